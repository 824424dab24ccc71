import { sha256 } from '../../../crypto/digest.ts'
import { isSignedByForeignKey, readForeignKey } from '../../../crypto/foreign-jws.ts'
import { type Jws, parseCompact, signCompact } from '../../../crypto/jws.ts'
import type { Platform } from '../../../platform.ts'
import { platformTenantId } from '../../../store/store.ts'
import type { Granted, IdTokenHint } from '../instance.ts'
import { acrOf } from './acr.ts'
import { ID_TOKEN_USAGES, idTokenKey } from './id-token-keys.ts'

/** Lifetime of an ID token. As a hint it is accepted longer. */
const TTL_SECONDS = 300
const CHARS_MAX = 8192

type Needs = Pick<Platform, 'keys' | 'clock' | 'urls'>

/**
 * Signs the ID token of a grant.
 *
 * @param accessToken The token that is issued with it.
 * @see [OpenID Connect Core 1.0, 2](https://openid.net/specs/openid-connect-core-1_0.html#IDToken) and [3.1.3.6](https://openid.net/specs/openid-connect-core-1_0.html#CodeIDToken)
 */
export async function signIdToken(
  { keys, clock, urls }: Needs,
  granted: Granted,
  accessToken: string,
): Promise<string> {
  const { client, userId, sessionId, nonce, methods, authenticatedAt } = granted
  const key = await idTokenKey(keys, client)
  const iat = Math.floor(clock.now().getTime() / 1000)
  const claims = {
    iss: urls.auth,
    sub: userId,
    aud: client.clientId,
    iat,
    exp: iat + TTL_SECONDS,
    auth_time: Math.floor(authenticatedAt.getTime() / 1000),
    ...(nonce === null ? {} : { nonce }),
    // OpenID Connect Core 3.1.3.6: the left half of the digest
    at_hash: sha256(accessToken).subarray(0, 16).toString('base64url'),
    acr: acrOf(methods),
    amr: methods,
    sid: sessionId,
    // Many applications know a person by the address in the ID token, and never ask the userinfo endpoint.
    ...granted.emailClaims,
  }
  return signCompact({ typ: 'JWT', kid: key.kid }, claims, key)
}

/** What an ID token of ours says. `authenticatedAt` and `expiresAt` are whole seconds. */
type ReadIdToken = IdTokenHint & {
  readonly nonce: string | null
  readonly authenticatedAt: Date
  readonly methods: readonly string[]
  readonly expiresAt: Date
}

/**
 * Reads an ID token that returns as a hint; null if it is none of ours. Its expiry does not matter.
 *
 * @see [OpenID Connect RP-Initiated Logout 1.0, 2](https://openid.net/specs/openid-connect-rpinitiated-1_0.html#RPLogout)
 */
export async function readIdTokenHint(needs: Omit<Needs, 'clock'>, text: string): Promise<IdTokenHint | null> {
  const read = await readIdToken(needs, text)
  return read === null ? null : { userId: read.userId, clientId: read.clientId, sessionId: read.sessionId }
}

/**
 * Reads an ID token that a client of ours shows; null if it is none of ours. Whether it has expired, and whom it is
 * for, is the caller's to check.
 */
export async function readIdToken({ keys, urls }: Omit<Needs, 'clock'>, text: string): Promise<ReadIdToken | null> {
  const jws = parsed(text)
  if (jws === null) return null
  const published = await keys.published(platformTenantId, ID_TOKEN_USAGES)
  const own = published.find(({ kid }) => kid === jws.header.kid)
  const key = own === undefined ? null : readForeignKey({ ...own.jwk, alg: own.alg })
  // [SEC-21] a logout token is signed with the same key
  if (key === null || !isSignedByForeignKey(jws, key, ['jwt'])) return null
  const { iss, sub, aud, sid, nonce, auth_time: authTime, exp, amr } = jws.payload
  if (iss !== urls.auth || typeof sub !== 'string' || typeof aud !== 'string' || typeof sid !== 'string') return null
  return {
    userId: sub,
    clientId: aud,
    sessionId: sid,
    nonce: typeof nonce === 'string' ? nonce : null,
    authenticatedAt: new Date(Number(authTime) * 1000),
    expiresAt: new Date(Number(exp) * 1000),
    methods: Array.isArray(amr) ? amr.map(String) : [],
  }
}

function parsed(text: string): Jws | null {
  try {
    return parseCompact(text, { charsMax: CHARS_MAX })
  } catch {
    return null
  }
}
