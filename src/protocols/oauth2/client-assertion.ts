import type { PublicJwk } from '../../crypto/jwk.ts'
import { findJwsError, type Jws, parseCompact } from '../../crypto/jws.ts'
import { Fault } from '../../fault.ts'

/** Algorithms of client assertions, as the metadata name them. */
export const ASSERTION_ALGS = ['ES256', 'EdDSA', 'Ed25519'] as const

const ASSERTION_CHARS_MAX = 16_384
const LIFETIME_SECONDS_MAX = 3600
/** FAPI 2.0 Security Profile 5.3.2.1: times up to 10 s in the future are accepted, since clocks differ. */
const LEEWAY_SECONDS = 10
const JTI_CHARS_MAX = 256

/** A parsed client assertion, not yet verified. */
export type Assertion = { readonly jws: Jws; readonly clientId: string }

/** Parses a client assertion. @throws Fault `client.unauthenticated` */
export function parseAssertion(text: string): Assertion {
  try {
    const jws = parseCompact(text, { charsMax: ASSERTION_CHARS_MAX })
    const { iss, sub } = jws.payload
    // RFC 7523 3: issuer and subject are both the client
    if (typeof iss === 'string' && iss === sub) return { jws, clientId: iss }
  } catch (cause) {
    throw invalidClient('is not a signed JWT', cause)
  }
  throw invalidClient('must have the client id as iss and as sub')
}

/**
 * Verifies a client assertion with the keys of its client. NOT checked: that its `jti` was not used before.
 *
 * @param audience Our issuer identifier: what `aud` must be.
 * @throws Fault `client.unauthenticated`
 * @see [RFC 7523, 3](https://www.rfc-editor.org/rfc/rfc7523#section-3)
 */
export function checkAssertion(
  { jws }: Assertion,
  keys: readonly PublicJwk[],
  { audience, now }: { readonly audience: string; readonly now: Date },
): { readonly jti: string; readonly expiresAt: Date } {
  const { typ, kid } = jws.header
  // [SEC-21] a JWT of another type is not a client assertion; older clients write JWT or nothing
  if (typ !== undefined && typ !== 'JWT' && typ !== 'client-authentication+jwt') throw invalidClient('has another type')
  const candidates = keys.filter((key) => kid === undefined || key.kid === undefined || key.kid === kid)
  if (!candidates.some((key) => findJwsError(jws, key, { algs: ASSERTION_ALGS }) === null)) {
    throw invalidClient('is not signed with a key of the client')
  }
  const { aud, exp, nbf, iat, jti } = jws.payload
  // FAPI 2.0 Security Profile 5.3.2.1: the issuer identifier alone, as a string; any other audience could replay the
  // assertion
  if (aud !== audience) throw invalidClient('is for another audience')
  const seconds = now.getTime() / 1000
  if (typeof exp !== 'number' || exp + LEEWAY_SECONDS <= seconds) throw invalidClient('has expired or has no exp')
  if (exp > seconds + LIFETIME_SECONDS_MAX) throw invalidClient('is valid for longer than an hour')
  if (isLater(nbf, seconds) || isLater(iat, seconds)) throw invalidClient('is not valid yet')
  if (typeof jti !== 'string' || jti === '' || jti.length > JTI_CHARS_MAX) throw invalidClient('has no usable jti')
  return { jti, expiresAt: new Date((exp + LEEWAY_SECONDS) * 1000) }
}

function isLater(time: unknown, seconds: number): boolean {
  return time !== undefined && (typeof time !== 'number' || time > seconds + LEEWAY_SECONDS)
}

/** Returns the refusal of a client assertion. */
export function invalidClient(why: string, cause?: unknown): Fault {
  return new Fault('client.unauthenticated', { detail: `The client assertion ${why}.`, cause })
}
