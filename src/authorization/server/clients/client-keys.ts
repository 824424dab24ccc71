import type { TenantId } from '../../../caller.ts'
import { isJsonObject, type Json, parseJsonObject } from '../../../crypto/json.ts'
import { type PublicJwk, readPublicJwk } from '../../../crypto/jwk.ts'
import type { Client } from '../../../directory/clients/client.ts'
import { Fault } from '../../../fault.ts'
import type { Platform } from '../../../platform.ts'
import { invalidClient } from '../../../protocols/oauth2/client-assertion.ts'

type Needs = Pick<Platform, 'fetch' | 'memory' | 'clock'>
type Fetched = { readonly keys: readonly PublicJwk[]; readonly fetchedAt: number }

const BYTES_MAX = 131_072
const KEYS_MAX = 50
/** Any caller can invent key ids, so an unknown one fetches the keys again at most this often. */
const REFETCH_MS = 30_000

/**
 * Returns the keys that may have signed an assertion of a client: the registered ones, or those that it publishes at
 * its `jwks_uri`, which are cached. A key id that is not among them fetches them again, so that a client can rotate its
 * keys.
 *
 * @throws Fault `client.unauthenticated` if they cannot be fetched
 */
export async function keysForAssertion(needs: Needs, client: Client, kid: unknown): Promise<readonly PublicJwk[]> {
  const { jwksUri, keys } = client
  if (jwksUri === null) return keys ?? []
  const cache = needs.memory.cache<Promise<Fetched>>('authorization.client_keys')
  const now = needs.clock.now()
  const name = `${client.tenantId} ${jwksUri}`
  const cached = await cache.get(name, now)?.catch(() => undefined)
  const isKnown = cached?.keys.some((key) => kid === undefined || key.kid === kid)
  if (cached !== undefined && (isKnown || now.getTime() - cached.fetchedAt < REFETCH_MS)) return cached.keys
  // Where the keys cannot be fetched again, those from before stay.
  const fetching = fetchKeys(needs, client.tenantId, jwksUri).catch((error: unknown) => {
    if (cached === undefined) throw error
    return { ...cached, fetchedAt: now.getTime() }
  })
  cache.set(name, fetching, now)
  fetching.catch(() => cache.delete(name))
  return (await fetching).keys
}

async function fetchKeys({ fetch, clock }: Needs, tenantId: TenantId, jwksUri: string): Promise<Fetched> {
  try {
    const accept = ['application/json', 'application/jwk-set+json']
    const { status, body } = await fetch(tenantId, jwksUri, { accept, bytesMax: BYTES_MAX, redirectsMax: 3 })
    if (status !== 200) throw new Fault('upstream.answer', { notes: `the jwks_uri answered ${status}` })
    const { keys } = parseJsonObject(body)
    if (!Array.isArray(keys)) throw new Fault('upstream.answer', { notes: 'the jwks_uri is not a JWK set' })
    return { keys: keys.slice(0, KEYS_MAX).flatMap(usable), fetchedAt: clock.now().getTime() }
  } catch (cause) {
    throw invalidClient('cannot be verified, because the keys of the client cannot be fetched', cause)
  }
}

/** RFC 7517 5: keys of unknown types are ignored. */
function usable(value: Json): PublicJwk[] {
  try {
    return isJsonObject(value) ? [readPublicJwk(value)] : []
  } catch {
    return []
  }
}
