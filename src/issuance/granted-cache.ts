import type { TenantId } from '../caller.ts'
import { Recent } from '../memory/recent.ts'
import type { Platform } from '../platform.ts'
import { oncePer } from '../store/once-per.ts'
import type { Granted } from './credential-store.ts'

type Needs = Pick<Platform, 'store' | 'clock'>

/** A wallet asks for the credential within a second of getting its token. */
const BOUNDS = { entriesMax: 1000, ttlMs: 30_000 } as const
/** Larger claims are read again rather than kept. */
const SEALED_BYTES_MAX = 16_384

type Kept = { readonly tenantId: TenantId; readonly tokenHash: Buffer; readonly granted: Granted }

/** By the first bytes of the hash of the token; the entry says whether it is the whole hash. */
const caches = oncePer(() => new Recent<Kept, number>(BOUNDS))
const KEY_BYTES = 6

/**
 * Keeps what a token was just issued for, so that the credential request that follows need not read it again. A hint and no more: the
 * statement that reserves the credential checks token, time and state itself, and another process reads the row.
 */
export function rememberGranted(
  { store, clock }: Needs,
  tenantId: TenantId,
  tokenHash: Buffer,
  granted: Granted,
): void {
  if ((granted.sealedClaims?.length ?? 0) > SEALED_BYTES_MAX) return
  const cache = caches(store)
  cache.set(keyOf(tokenHash), { tenantId, tokenHash, granted }, clock.now())
}

/** What {@link rememberGranted} kept, once: whoever comes again gets what the database says. */
export function takeGranted({ store, clock }: Needs, tenantId: TenantId, tokenHash: Buffer): Granted | null {
  const cache = caches(store)
  const key = keyOf(tokenHash)
  const found = cache.get(key, clock.now())
  if (found === undefined || found.tenantId !== tenantId || !found.tokenHash.equals(tokenHash)) return null
  cache.delete(key)
  return found.granted
}

function keyOf(tokenHash: Buffer): number {
  return tokenHash.readUIntBE(0, KEY_BYTES)
}
