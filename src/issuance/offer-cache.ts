import type { TenantId } from '../caller.ts'
import { RecentByStore } from '../directory/recent.ts'
import type { Platform } from '../platform.ts'
import type { Offered } from './redemption-store.ts'

type Needs = Pick<Platform, 'store' | 'clock'>

/** Who shows an offer mostly has the wallet at hand. */
const BOUNDS = { entriesMax: 5000, ttlMs: 60_000 } as const

const caches = new RecentByStore<Offered>(BOUNDS)

/**
 * Keeps what an offer that was just made says, until it expires or a minute is over, so that the wallet's fetch need not read it again. A hint
 * and no more: what was ended by another process in that minute is still shown here, and its code is refused at the token endpoint.
 */
export function rememberOffer(
  { store, clock }: Needs,
  tenantId: TenantId,
  id: string,
  offered: Offered,
  expiresAt: Date,
): void {
  const cache = caches.of(store)
  cache.set(`${tenantId}|${id}`, offered, clock.now(), expiresAt.getTime())
}

/** What {@link rememberOffer} kept, as often as it is asked for. */
export function knownOffer({ store, clock }: Needs, tenantId: TenantId, id: string): Offered | null {
  return caches.of(store).get(`${tenantId}|${id}`, clock.now()) ?? null
}

/** For an offer that was ended, or is in doubt: the next fetch asks the database. */
export function forgetOffer({ store }: Pick<Needs, 'store'>, tenantId: TenantId, id: string): void {
  caches.of(store).delete(`${tenantId}|${id}`)
}
