import { Allowance, networkOf } from '../directory/allowance.ts'
import type { Tenant } from '../directory/tenant.ts'
import { Fault, type FaultCode } from '../fault.ts'
import type { Platform } from '../platform.ts'
import type { Store } from '../store/store.ts'

/** A minute, in this process, of one address at one tenant. Answers that were taken count nowhere, whatever came of them. */
const bounds = { countMax: 120, windowMs: 60_000, keysMax: 20_000 } as const

/** What somebody meets who tries addresses and states, or has us ask for issuers again and again. */
const counted: ReadonlySet<FaultCode> = new Set([
  ...(['resource.unknown', 'presentation_request.closed', 'presentation_response.undecided'] as const),
])

const counts = new WeakMap<Store, Allowance>()

/**
 * Does the work unless its caller was refused too often. [SEC-74]
 *
 * @throws Fault `request.rate_limited`, and what the work throws
 */
export async function countingRefusals<T>(
  { store, clock }: Pick<Platform, 'store' | 'clock'>,
  { tenant, ip }: { readonly tenant: Pick<Tenant, 'id'>; readonly ip: string },
  work: () => Promise<T>,
): Promise<T> {
  const network = networkOf(ip)
  if (network === null) return work()
  const allowance = counts.get(store) ?? new Allowance(bounds)
  counts.set(store, allowance)
  const key = `${tenant.id} ${network}`
  allowance.admit(key, clock.now())
  try {
    return await work()
  } catch (error) {
    if (error instanceof Fault && counted.has(error.code)) allowance.count(key, clock.now())
    throw error
  }
}
