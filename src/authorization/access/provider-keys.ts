import type { TenantId } from '../../caller.ts'
import { type ForeignKey, readForeignKey } from '../../crypto/foreign-jws.ts'
import { parseJsonObject } from '../../crypto/json.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { providerConfigurationUrl } from '../../protocols/oauth2/provider-configuration-url.ts'
import type { TokenIssuer } from './token-issuer-store.ts'

type Needs = Pick<Platform, 'fetch' | 'memory' | 'clock'>
type Entry = {
  keys: readonly ForeignKey[]
  /** When the keys were loaded; 0: never. */
  loadedAtMs: number
  /** When they were last asked for. */
  triedAtMs: number
  loading: Promise<void> | null
}

const BYTES_MAX = 262_144
const KEYS_MAX = 100
const FETCH_MS_MAX = 5_000
/** Age at which known keys are loaded again, so that a key that the provider withdrew stops verifying. */
const FRESH_MS = 600_000
/** Any caller can invent key ids, and a provider that does not answer is not asked more often. */
const RELOAD_MS = 60_000
/** How long keys serve while the provider does not answer. */
const OUTAGE_MS = 86_400_000

/**
 * Returns the keys of a provider that may have signed a token with this key id: those of its JWK set, found by
 * discovery. A key that is known serves while the set is loaded again.
 */
export async function keysOfProvider(
  needs: Needs,
  provider: TokenIssuer,
  kid: unknown,
): Promise<readonly ForeignKey[]> {
  const cache = needs.memory.cache<Entry>('authorization.provider_keys')
  const now = needs.clock.now()
  const name = `${provider.tenantId} ${provider.id} ${provider.issuer}`
  const entry: Entry = cache.get(name, now) ?? { keys: [], loadedAtMs: 0, triedAtMs: 0, loading: null }
  cache.set(name, entry, now)
  const known = () => (now.getTime() - entry.loadedAtMs < OUTAGE_MS ? entry.keys.filter((key) => fits(key, kid)) : [])
  const found = known()
  const retryAtMs = entry.triedAtMs + RELOAD_MS
  const dueAtMs = found.length > 0 ? Math.max(entry.loadedAtMs + FRESH_MS, retryAtMs) : retryAtMs
  if (now.getTime() >= dueAtMs) entry.loading ??= load(needs, provider, entry)
  if (found.length > 0 || entry.loading === null) return found
  await entry.loading
  return known()
}

/** A key without an id may have signed anything, and so may any key have signed a token without one. */
function fits({ kid }: ForeignKey, wanted: unknown): boolean {
  return wanted === undefined || kid === null || kid === wanted
}

/** Loads the keys into the entry; if that fails, those from before stay. */
async function load(needs: Needs, { tenantId, issuer }: TokenIssuer, entry: Entry): Promise<void> {
  entry.triedAtMs = needs.clock.now().getTime()
  try {
    const metadata = await read(needs, tenantId, providerConfigurationUrl(issuer))
    // OpenID Connect Discovery 4.3: the document is that of the issuer
    if (metadata.issuer !== issuer || typeof metadata.jwks_uri !== 'string') throw new Fault('upstream.answer')
    const { keys } = await read(needs, tenantId, metadata.jwks_uri)
    if (!Array.isArray(keys)) throw new Fault('upstream.answer')
    entry.keys = keys.slice(0, KEYS_MAX).flatMap((jwk) => readForeignKey(jwk) ?? [])
    entry.loadedAtMs = needs.clock.now().getTime()
  } catch {
    // The next attempt is a minute away; until then a key that is not known refuses the token.
  } finally {
    entry.loading = null
  }
}

async function read({ fetch }: Needs, tenantId: TenantId, url: string) {
  const accept = ['application/json', 'application/jwk-set+json']
  const { status, body } = await fetch(tenantId, url, {
    accept,
    bytesMax: BYTES_MAX,
    redirectsMax: 2,
    timeoutMs: FETCH_MS_MAX,
  })
  if (status !== 200) throw new Fault('upstream.answer', { notes: `${url} answered ${status}` })
  return parseJsonObject(body)
}
