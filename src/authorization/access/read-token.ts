import { sha256Base64url } from '../../crypto/digest.ts'
import type { PublicJwk } from '../../crypto/jwk.ts'
import { type Jws, parseCompact, verifyCompact } from '../../crypto/jws.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { platformTenantId } from '../../store/store.ts'
import { type AccessTokenGrant, TOKEN_TYP, verifyAccessToken } from './platform-token.ts'

type Needs = Pick<Platform, 'keys' | 'clock' | 'urls' | 'memory'>

const TOKEN_CHARS_MAX = 8192
/** Age at which the key set is reloaded, so that a key that is no longer published stops verifying. */
const KEYS_FRESH_MS = 300_000
/** Age at which an unknown key id reloads the key set. Not at once: a caller without a valid token can invent key ids. */
const KEYS_RELOAD_MS = 3_000

type Keys = { readonly byKid: ReadonlyMap<string, PublicJwk>; readonly loadedAt: number }

/**
 * Verifies an access token that this platform issued. A verified token is cached by its digest until it expires. Whether its tenant still
 * exists is NOT checked.
 *
 * @throws Fault `token.invalid`
 */
export async function readToken(needs: Needs, token: string): Promise<AccessTokenGrant> {
  const grants = needs.memory.cache<AccessTokenGrant>('authorization.grants')
  const now = needs.clock.now()
  const digest = sha256Base64url(token)
  const cached = grants.get(digest, now)
  if (cached !== undefined) return cached
  const jws = parsed(token)
  const key = await keyOf(needs, jws.header.kid)
  try {
    // [SEC-20] [SEC-21] ES256 and at+jwt, nothing else
    verifyCompact(jws, key, { algs: ['ES256'], typ: TOKEN_TYP })
  } catch (cause) {
    throw new Fault('token.invalid', {
      detail: 'The access token was not issued by this platform, or was altered.',
      cause,
    })
  }
  const grant = verifyAccessToken(jws.payload, needs.urls, now)
  grants.set(digest, grant, now, grant.expiresAt.getTime())
  return grant
}

function parsed(token: string): Jws {
  try {
    return parseCompact(token, { charsMax: TOKEN_CHARS_MAX })
  } catch (cause) {
    throw new Fault('token.invalid', { detail: 'The access token is not a signed JWT.', cause })
  }
}

function keySetOf({ memory }: Needs) {
  return memory.single('authorization.token_keys', () => ({ loading: null as Promise<Keys> | null }))
}

async function keyOf(needs: Needs, kid: unknown): Promise<PublicJwk> {
  const set = keySetOf(needs)
  const now = needs.clock.now().getTime()
  set.loading ??= loadKeys(needs)
  let keys = await set.loading
  const found = typeof kid === 'string' ? keys.byKid.get(kid) : undefined
  const isFresh = now - keys.loadedAt < (found === undefined ? KEYS_RELOAD_MS : KEYS_FRESH_MS)
  if (isFresh) return published(found)
  // The first call replaces the promise; concurrent calls await the same load.
  if ((await set.loading) === keys) set.loading = loadKeys(needs)
  keys = await set.loading
  return published(typeof kid === 'string' ? keys.byKid.get(kid) : undefined)
}

function published(key: PublicJwk | undefined): PublicJwk {
  if (key === undefined) {
    throw new Fault('token.invalid', { detail: 'The access token is not signed with a key of this platform.' })
  }
  return key
}

function loadKeys(needs: Needs): Promise<Keys> {
  const loading = needs.keys.published(platformTenantId, ['access-token']).then((all) => ({
    byKid: new Map(all.map(({ kid, jwk }) => [kid, jwk])),
    loadedAt: needs.clock.now().getTime(),
  }))
  loading.catch(() => {
    keySetOf(needs).loading = null
  })
  return loading
}
