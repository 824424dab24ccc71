import { countShared, countSharedByNetwork } from '../../api/failure-limit.ts'
import { Fault } from '../../fault.ts'
import { networkOf } from '../../memory/network.ts'
import type { Platform } from '../../platform.ts'
import type { PublicPage } from './find-page.ts'

type Needs = Pick<Platform, 'store' | 'sealing' | 'clock' | 'memory' | 'rateLimiter'>

/**
 * Waiting visitors of one server. A tenant's own callers keep the other half of its share of those who wait
 * (`api/changes.ts`).
 */
export const waitLimits = { ofServer: 1000, ofTenant: 100, ofNetwork: 20, ofVisit: 2 } as const

/**
 * Of what a page or tenant has for its visitors: the rest is for networks from which nothing has begun within the
 * minute.
 */
const REPEATED_PART = 0.75

/**
 * Counts a request that a visitor begins: by page, by page and network, and in this process by tenant and by network.
 * The limits of the page hold for all servers together; each of them concerns this page only.
 *
 * @throws Fault `request.rate_limited` with the time to wait
 */
export async function countVisit(needs: Needs, { tenant, page }: PublicPage, ip: string): Promise<void> {
  const { rateLimiter, clock } = needs
  const now = clock.now()
  rateLimiter.admitAddress('verification.visits_of_network', ip, now)
  const part = rateLimiter.isFirst('verification.visits_of_network', ip, now) ? 1 : REPEATED_PART
  rateLimiter.admit('verification.visits_of_tenant', tenant.id, now, part)
  const { id, requestsPerAddress, requestsPerMinute } = page
  // First by network, so that one visitor cannot use up what the page has for all.
  const by = { of: id, ip }
  await countSharedByNetwork(needs, 'verification.page_visits_of_network', by, requestsPerAddress, requestsPerMinute)
  await countShared(needs, 'verification.page_visits', id, Math.ceil(requestsPerMinute * part))
  rateLimiter.count('verification.visits_of_tenant', tenant.id, now)
  rateLimiter.countAddress('verification.visits_of_network', ip, now)
}

/**
 * Takes a place among the waiting visitors of this server.
 *
 * @returns a function that gives the place back, once; null if there is none: the visitor is answered at once then.
 */
export function takeWaitingPlace(
  { memory }: Pick<Platform, 'memory'>,
  { tenantId, requestId, ip }: { readonly tenantId: string; readonly requestId: string; readonly ip: string },
): (() => void) | null {
  const counts = memory.single('verification.waiting_visitors', () => new Map<string, number>())
  const network = networkOf(ip)
  const kinds = [
    ['all', waitLimits.ofServer],
    [`tenant ${tenantId}`, waitLimits.ofTenant],
    [`visit ${requestId}`, waitLimits.ofVisit],
    ...(network === null ? [] : [[`network ${network}`, waitLimits.ofNetwork] as const]),
  ] as const
  if (kinds.some(([key, max]) => (counts.get(key) ?? 0) >= max)) return null
  const add = (by: 1 | -1) => {
    for (const [key] of kinds) {
      const count = (counts.get(key) ?? 0) + by
      if (count > 0) counts.set(key, count)
      else counts.delete(key)
    }
  }
  add(1)
  let isHeld = true
  return () => {
    if (isHeld) add(-1)
    isHeld = false
  }
}

/**
 * Refuses a page of a site that the owner does not list.
 *
 * @param origin Header of the request; undefined: it is not sent by a page of another site.
 */
export function checkListedOrigin(
  { urls }: Pick<Platform, 'urls'>,
  { page }: PublicPage,
  origin: string | undefined,
): void {
  if (origin === undefined || origin === new URL(urls.publicUrl).origin || page.origins.includes(origin)) return
  throw new Fault('verification_page.origin')
}
