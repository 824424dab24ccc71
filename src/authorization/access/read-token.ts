import { sha256Base64url } from '../../crypto/digest.ts'
import type { PublicJwk } from '../../crypto/jwk.ts'
import { type Jws, parseCompact, verifyCompact } from '../../crypto/jws.ts'
import { Fault } from '../../fault.ts'
import { Recent } from '../../memory/recent.ts'
import type { Platform } from '../../platform.ts'
import { oncePer } from '../../store/once-per.ts'
import { platformTenantId, type Store } from '../../store/store.ts'
import { type AccessTokenGrant, TOKEN_TTL_SECONDS, TOKEN_TYP, verifyAccessToken } from './platform-token.ts'

type Needs = Pick<Platform, 'keys' | 'clock' | 'urls' | 'store'>

const TOKEN_CHARS_MAX = 8192
const GRANTS_MAX = 20_000
/** The set of keys is loaded anew after this long, so that a key that is no longer published stops verifying. */
const KEYS_FRESH_MS = 300_000
/** An unknown key id makes us look again, but no more often than this: anybody can invent key ids. */
const KEYS_AGAIN_MS = 3_000

type Keys = { readonly byKid: ReadonlyMap<string, PublicJwk>; readonly loadedAt: number }

const stateOf = oncePer((_store: Store) => ({
  grants: new Recent<AccessTokenGrant>({ entriesMax: GRANTS_MAX, ttlMs: TOKEN_TTL_SECONDS * 1000 }),
  keys: null as Promise<Keys> | null,
}))

/**
 * Verifies an access token of ours. A token that was verified is remembered by its hash until it runs out, so that a hot one costs
 * microseconds. Whether its tenant still exists is NOT checked.
 *
 * @throws Fault `token.invalid`
 */
export async function readToken(needs: Needs, token: string): Promise<AccessTokenGrant> {
  const { grants } = stateOf(needs.store)
  const now = needs.clock.now()
  const digest = sha256Base64url(token)
  const known = grants.get(digest, now)
  if (known !== undefined) return known
  const jws = parsed(token)
  const key = await keyOf(needs, jws.header.kid)
  try {
    // [SEC-20] [SEC-21] ES256 and at+jwt, nothing else
    verifyCompact(jws, key, { algs: ['ES256'], typ: TOKEN_TYP })
  } catch (cause) {
    throw new Fault('token.invalid', { detail: 'The access token is not one of ours, or was changed.', cause })
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

async function keyOf(needs: Needs, kid: unknown): Promise<PublicJwk> {
  const state = stateOf(needs.store)
  const now = needs.clock.now().getTime()
  state.keys ??= loadKeys(needs)
  let keys = await state.keys
  const found = typeof kid === 'string' ? keys.byKid.get(kid) : undefined
  const age = now - keys.loadedAt
  if (age < (found === undefined ? KEYS_AGAIN_MS : KEYS_FRESH_MS)) return known(found)
  // Whoever comes first replaces the promise; the others wait for the same load.
  if ((await state.keys) === keys) state.keys = loadKeys(needs)
  keys = await state.keys
  return known(typeof kid === 'string' ? keys.byKid.get(kid) : undefined)
}

function known(key: PublicJwk | undefined): PublicJwk {
  if (key === undefined)
    throw new Fault('token.invalid', { detail: 'The access token is not signed with a key of ours.' })
  return key
}

function loadKeys(needs: Needs): Promise<Keys> {
  const loading = needs.keys.published(platformTenantId, ['access-token']).then((published) => ({
    byKid: new Map(published.map(({ kid, jwk }) => [kid, jwk])),
    loadedAt: needs.clock.now().getTime(),
  }))
  loading.catch(() => {
    stateOf(needs.store).keys = null
  })
  return loading
}
