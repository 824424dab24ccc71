import type { TenantId } from '../caller.ts'
import { Recent } from '../memory/recent.ts'
import type { Platform } from '../platform.ts'
import { oncePer } from '../store/once-per.ts'
import type { Offered } from './redemption-store.ts'

type Needs = Pick<Platform, 'store' | 'clock'>

/** Who shows an offer mostly has the wallet at hand. */
const BOUNDS = { entriesMax: 5000, ttlMs: 60_000 } as const

type Kept = { readonly tenantId: TenantId; readonly id: string; readonly offered: Offered }

/** By the random end of the id of the issuance; the entry says whether it is the whole id. */
const caches = oncePer(() => new Recent<Kept, number>(BOUNDS))
const KEY_DIGITS = 12

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
  const cache = caches(store)
  cache.set(keyOf(id), { tenantId, id, offered }, clock.now(), expiresAt.getTime())
}

/** What {@link rememberOffer} kept, as often as it is asked for. */
export function knownOffer({ store, clock }: Needs, tenantId: TenantId, id: string): Offered | null {
  const found = caches(store).get(keyOf(id), clock.now())
  return found !== undefined && found.tenantId === tenantId && found.id === id ? found.offered : null
}

/** For an offer that was ended, or is in doubt: the next fetch asks the database. */
export function forgetOffer({ store }: Pick<Needs, 'store'>, id: string): void {
  caches(store).delete(keyOf(id))
}

function keyOf(id: string): number {
  return Number.parseInt(id.slice(-KEY_DIGITS), 16)
}
