import { type Crl, crlLimits, readCrl } from '../../crypto/x509/crl.ts'
import { type PathInput, type PathResult, validatePath } from '../../crypto/x509-path/validate-path.ts'
import { Fault } from '../../fault.ts'
import type { ForTenant, Platform } from '../../platform.ts'
import { isOutOfReach, isServerTrouble } from '../lookups/out-of-reach.ts'

/** `owner` of the anchors that are the tenant's own roots. */
export const OWN_ANCHOR = 'own'

type RevocationNeeds = Pick<Platform, 'fetch' | 'memory'> & ForTenant
type Loaded = { readonly found: Found; readonly bytes: number }
/** A list, or the reason why there is none. */
type Found = Crl | 'out of reach' | 'unusable'

/** Minimum time before a list is fetched again after a failure. */
const FAILED_MS = 60_000
const REDIRECTS_MAX = 3

/** Memory of a parsed list by that of its DER: the DER itself, and each serial number as text. */
const READ_TO_DER = 3

/**
 * [SEC-29] Fetches the revocation lists that the certificates of a valid chain name; undefined if the chain is invalid
 * or names none.
 *
 * Under the tenant's own roots a list is required; elsewhere an unavailable one is ignored. Only addresses in
 * certificates of a trusted authority are fetched, and only those that the outbound fetch allows: outside development
 * no http addresses.
 *
 * @throws Fault `upstream.unreachable` if a required list is unreachable
 */
export async function revocationFor(
  needs: RevocationNeeds,
  ask: Omit<PathInput, 'revocation'>,
  now: Date,
): Promise<PathInput['revocation']> {
  return listsFor(needs, validatePath(ask), now)
}

/**
 * Validates a path, including revocation by the lists that {@link revocationFor} fetches.
 *
 * @throws Fault `upstream.unreachable` if a required list is unreachable
 */
export async function validateWithRevocation(
  needs: RevocationNeeds,
  ask: Omit<PathInput, 'revocation'>,
  now: Date,
): Promise<PathResult> {
  const result = validatePath(ask)
  const revocation = await listsFor(needs, result, now)
  return revocation === undefined ? result : validatePath({ ...ask, revocation })
}

async function listsFor(
  needs: RevocationNeeds,
  { path, anchor }: PathResult,
  now: Date,
): Promise<PathInput['revocation']> {
  const urls = new Set(path.slice(0, -1).flatMap(({ extensions }) => extensions.crlUrls.slice(0, 1)))
  if (urls.size === 0) return undefined
  const policy = anchor?.owner === OWN_ANCHOR ? 'hard' : 'soft'
  const found = await Promise.all([...urls].map((url) => listAt(needs, url, now)))
  if (policy === 'hard' && found.includes('out of reach')) throw new Fault('upstream.unreachable')
  return { crls: found.filter((one) => typeof one !== 'string'), policy, now }
}

/**
 * Concurrent calls of a tenant share one fetch; it may wait for the other calls of the tenant, so tenants share none.
 */
async function listAt(needs: RevocationNeeds, url: string, now: Date): Promise<Found> {
  const { memory, tenantId } = needs
  const cache = memory.fetched<Found>('trust.fetched_revocation_lists')
  const pending = memory.single('trust.pending_revocation_lists', () => new Map<string, Promise<Loaded>>())
  const kept = cache.get(url, now)
  if (kept !== undefined) return kept
  const name = `${tenantId} ${url}`
  const loading = pending.get(name) ?? load(needs, url).finally(() => pending.delete(name))
  pending.set(name, loading)
  const { found, bytes } = await loading
  // an expired list is not fetched for every credential either
  const until = typeof found === 'string' ? 0 : (found.nextUpdate?.getTime() ?? 0)
  cache.set(url, found, bytes, tenantId, now, Math.max(until, now.getTime() + FAILED_MS))
  return found
}

async function load({ fetch, tenantId }: RevocationNeeds, url: string): Promise<Loaded> {
  try {
    // RFC 5280 4.2.1.13 names application/pkix-crl; many servers send another media type
    const { status, body } = await fetch(tenantId, url, {
      accept: [],
      bytesMax: crlLimits.bytes,
      redirectsMax: REDIRECTS_MAX,
    })
    if (isServerTrouble(status)) return { found: 'out of reach', bytes: 0 }
    return status === 200 ? { found: readCrl(body), bytes: body.length * READ_TO_DER } : { found: 'unusable', bytes: 0 }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return { found: isOutOfReach(error) ? 'out of reach' : 'unusable', bytes: 0 }
  }
}
