import { setTimeout } from 'node:timers/promises'
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
/**
 * Pause before an unknown key id reloads the key set: a caller without a valid token can invent key ids, and all of
 * them share one load.
 */
const RELOAD_PAUSE_MS = 100

type Keys = { readonly byKid: ReadonlyMap<string, PublicJwk>; readonly loadedAt: number }

/**
 * Verifies an access token that this platform issued. A verified token is cached by its digest until it expires.
 * Whether its tenant still exists is NOT checked.
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

/** `known`: the last load. `next`: one that has not begun. */
type KeySet = { known: Promise<Keys> | null; next: Promise<Keys> | null }

function keySetOf({ memory }: Needs): KeySet {
  return memory.single('authorization.token_keys', () => ({ known: null, next: null }))
}

async function keyOf(needs: Needs, kid: unknown): Promise<PublicJwk> {
  const set = keySetOf(needs)
  const keys = await freshKeys(needs, set)
  const find = ({ byKid }: Keys) => (typeof kid === 'string' ? byKid.get(kid) : undefined)
  // Another server may have made the key since; a load that has begun may have read before.
  const found = find(keys) ?? find(await reload(needs, set))
  if (found === undefined) {
    throw new Fault('token.invalid', { detail: 'The access token is not signed with a key of this platform.' })
  }
  return found
}

async function freshKeys(needs: Needs, set: KeySet): Promise<Keys> {
  set.known ??= loadKeys(needs)
  const known = set.known
  const keys = await known
  if (needs.clock.now().getTime() - keys.loadedAt < KEYS_FRESH_MS) return keys
  // The first call replaces the promise; concurrent calls await the same load. Old keys are not used where it fails.
  if (set.known === known) set.known = null
  set.known ??= loadKeys(needs)
  return set.known
}

function reload(needs: Needs, set: KeySet): Promise<Keys> {
  set.next ??= setTimeout(RELOAD_PAUSE_MS).then(() => {
    set.next = null
    set.known = loadKeys(needs)
    return set.known
  })
  return set.next
}

function loadKeys(needs: Needs): Promise<Keys> {
  const loading = needs.keys.published(platformTenantId, ['access-token']).then((all) => ({
    byKid: new Map(all.map(({ kid, jwk }) => [kid, jwk])),
    loadedAt: needs.clock.now().getTime(),
  }))
  loading.catch(() => {
    keySetOf(needs).known = null
  })
  return loading
}
