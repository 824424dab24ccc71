import { type Crl, readCrl } from '../../crypto/x509-path/crl.ts'
import { type PathInput, validatePath } from '../../crypto/x509-path/validate-path.ts'
import { Fault } from '../../fault.ts'
import { tenantOfWork } from '../../http/routes/tenant-of-work.ts'
import { FetchedCache } from '../../memory/fetched-cache.ts'
import type { OutboundFetch, Platform } from '../../platform.ts'
import { oncePer } from '../../store/once-per.ts'
import { isOutOfReach, isServerTrouble } from '../lookups/out-of-reach.ts'

/** `owner` of the anchors that are the tenant's own roots. */
export const OWN_ANCHOR = 'own'

type Loaded = { readonly found: Found; readonly bytes: number }
/** A list, or why there is none. */
type Found = Crl | 'out of reach' | 'unusable'

/** A revocation is noticed within this time. */
const KEPT = { bytesMax: 8 * 1024 * 1024, ttlMs: 300_000 } as const
/** Where there was no list, none is looked for again sooner. */
const FAILED_MS = 60_000
const BYTES_MAX = 1024 * 1024
const REDIRECTS_MAX = 3

/** A list that was read holds its DER, and each serial number once more as text. */
const READ_TO_DER = 3

const stateOf = oncePer((_: OutboundFetch) => ({
  cache: new FetchedCache<Found>(KEPT),
  coming: new Map<string, Promise<Loaded>>(),
}))

/**
 * [SEC-29] Fetches the revocation lists that the certificates of a good chain name; undefined if it is not good, or if none is named.
 *
 * Under the tenant's own roots a list must be there; for others one that cannot be had is overlooked. Only addresses that a trusted authority
 * wrote are asked, and only those that the outbound fetch allows: outside development no http addresses.
 *
 * @throws Fault `upstream.unreachable` if a list that must be there is out of reach
 */
export async function revocationFor(
  { fetch }: Pick<Platform, 'fetch'>,
  ask: Omit<PathInput, 'revocation'>,
  now: Date,
): Promise<PathInput['revocation']> {
  const { path, anchor } = validatePath(ask)
  const urls = new Set(path.slice(0, -1).flatMap(({ extensions }) => extensions.crlUrls.slice(0, 1)))
  if (urls.size === 0) return undefined
  const policy = anchor?.owner === OWN_ANCHOR ? 'hard' : 'soft'
  const found = await Promise.all([...urls].map((url) => listAt(fetch, url, now)))
  if (policy === 'hard' && found.includes('out of reach')) throw new Fault('upstream.unreachable')
  return { crls: found.filter((one) => typeof one !== 'string'), policy, now }
}

/** Callers that come together share one fetch. */
async function listAt(fetch: OutboundFetch, url: string, now: Date): Promise<Found> {
  const { cache, coming } = stateOf(fetch)
  const kept = cache.get(url, now)
  if (kept !== undefined) return kept
  const loading = coming.get(url) ?? load(fetch, url).finally(() => coming.delete(url))
  coming.set(url, loading)
  const { found, bytes } = await loading
  // one that has run out is not asked for at every credential either
  const until = typeof found === 'string' ? 0 : (found.nextUpdate?.getTime() ?? 0)
  cache.set(url, found, bytes, tenantOfWork(), now, Math.max(until, now.getTime() + FAILED_MS))
  return found
}

async function load(fetch: OutboundFetch, url: string): Promise<Loaded> {
  try {
    // RFC 5280 4.2.1.13 names application/pkix-crl; many servers say something else
    const { status, body } = await fetch(url, { accept: [], bytesMax: BYTES_MAX, redirectsMax: REDIRECTS_MAX })
    if (isServerTrouble(status)) return { found: 'out of reach', bytes: 0 }
    return status === 200 ? { found: readCrl(body), bytes: body.length * READ_TO_DER } : { found: 'unusable', bytes: 0 }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return { found: isOutOfReach(error) ? 'out of reach' : 'unusable', bytes: 0 }
  }
}
