import { Fault } from '../fault.ts'
import { fromBase64url, toBase64url } from './base64url.ts'
import { type JsonObject, parseJsonObject } from './json.ts'
import type { VerificationKey } from './jwk.ts'
import { findSignatureError, signatureMessages } from './raw-signature.ts'
import type { RsaSigningKey, SigningKey } from './signing-key.ts'

/** Signature algorithms that we verify. `Ed25519` is the newer name of `EdDSA` with that curve (RFC 9864). */
export type JwsAlg = 'ES256' | 'EdDSA' | 'Ed25519'

/** Algorithms that foreign OpenID providers use besides. */
export type ForeignJwsAlg = JwsAlg | 'RS256' | 'PS256'

/** All of {@link JwsAlg}; the default allow-list. */
export const jwsAlgs: readonly JwsAlg[] = ['ES256', 'EdDSA', 'Ed25519']

/** [SEC-41] Maximum length of a compact JWS, in characters. */
export const JWS_CHARS_MAX = 512 * 1024

/** A parsed compact JWS. Nothing in it is trustworthy before its signature is verified. */
export type Jws = {
  readonly header: JsonObject
  readonly payload: JsonObject
  readonly signingInput: string
  readonly signature: Buffer
}

/** Why a JWS is not accepted. */
type JwsError = {
  readonly code: 'crit' | 'algorithm' | 'type' | 'key' | 'signature'
  readonly message: string
}

/** `algs`: allow-list for this use, by default {@link jwsAlgs}. `typ`: accepted media types; not checked if absent. */
type JwsPolicy = { readonly algs?: readonly ForeignJwsAlg[]; readonly typ?: string | readonly string[] }

type Header = Readonly<Record<string, unknown>>

/** Signs an object as compact JWS. `alg` comes from the key; the caller adds `kid`, `typ`, `x5c`. */
export async function signCompact(
  header: Header,
  payload: object,
  key: Pick<SigningKey | RsaSigningKey, 'alg' | 'sign'>,
): Promise<string> {
  const head = toBase64url(JSON.stringify({ ...header, alg: key.alg }))
  const signingInput = `${head}.${toBase64url(JSON.stringify(payload))}`
  const signature = await key.sign(Buffer.from(signingInput, 'latin1'))
  return `${signingInput}.${signature.toString('base64url')}`
}

/**
 * Parses a compact JWS strictly. Verifies nothing.
 *
 * @param limits `charsMax`: maximum length, by default 512 KiB. `exactIntegers` as in `JsonLimits`, for the payload.
 * @throws Fault `jws.malformed`
 * @see [RFC 7515, 7.1](https://www.rfc-editor.org/rfc/rfc7515#section-7.1)
 */
export function parseCompact(
  text: string,
  limits: { readonly charsMax?: number; readonly exactIntegers?: boolean } = {},
): Jws {
  if (text.length > (limits.charsMax ?? JWS_CHARS_MAX))
    throw new Fault('jws.malformed', { detail: 'The JWS is too long.' })
  const first = text.indexOf('.')
  const second = text.indexOf('.', first + 1)
  if (first < 1 || second < 0 || text.indexOf('.', second + 1) !== -1) {
    throw new Fault('jws.malformed', { detail: 'A compact JWS has three parts.' })
  }
  try {
    return {
      // RFC 7515 4: header names are plain ASCII, so an escaped name is an attack
      header: parseJsonObject(fromBase64url(text.slice(0, first)), { escapedNames: false }),
      payload: parseJsonObject(fromBase64url(text.slice(first + 1, second)), { exactIntegers: limits.exactIntegers }),
      signingInput: text.slice(0, second),
      signature: fromBase64url(text.slice(second + 1)),
    }
  } catch (cause) {
    throw new Fault('jws.malformed', { cause })
  }
}

/**
 * Verifies a compact JWS: form, header, algorithm, signature. NOT checked: claims such as `exp` and `aud`.
 *
 * @throws Fault `jws.malformed` (form), `jws.refused` (everything else; `detail` says what).
 * @see [RFC 7515, 5.2](https://www.rfc-editor.org/rfc/rfc7515#section-5.2) and [RFC 8725, 3](https://www.rfc-editor.org/rfc/rfc8725#section-3)
 */
export function verifyCompact(jws: string | Jws, key: VerificationKey, policy: JwsPolicy = {}): Jws {
  const parsed = typeof jws === 'string' ? parseCompact(jws) : jws
  const error = findJwsError(parsed, key, policy)
  if (error !== null) throw new Fault('jws.refused', { detail: error.message })
  return parsed
}

/** Returns why a JWS does not verify under a key, or null if it does. For checks that report instead of throwing. */
export function findJwsError(jws: Jws, key: VerificationKey, policy: JwsPolicy = {}): JwsError | null {
  const header = findJwsHeaderError(jws.header, policy)
  if (header !== null) return header
  const scheme = jws.header.alg === 'ES256' ? 'ES256' : 'EdDSA'
  const code = findSignatureError(Buffer.from(jws.signingInput, 'latin1'), jws.signature, key, scheme)
  return code === null ? null : { code, message: signatureMessages[code] }
}

/**
 * Returns why a protected header is refused whatever the key, or null: `crit`, `b64`, an algorithm or a type outside
 * the policy.
 */
export function findJwsHeaderError(header: JsonObject, policy: JwsPolicy = {}): JwsError | null {
  // RFC 7515 4.1.11: an unsupported extension in `crit`; none is supported. RFC 7797 6: `b64` needs `crit`.
  if (Object.hasOwn(header, 'crit') || Object.hasOwn(header, 'b64')) {
    return { code: 'crit', message: 'The header requires an extension that is not supported.' }
  }
  // [SEC-20] an allow-list without `none` and symmetric algorithms
  if (!(policy.algs ?? jwsAlgs).some((alg) => alg === header.alg)) {
    return { code: 'algorithm', message: 'The algorithm is not accepted here.' }
  }
  // [SEC-21] a JWT of another use is refused
  if (policy.typ !== undefined && !hasTyp(header.typ, policy.typ)) {
    return { code: 'type', message: 'The JWT has another type.' }
  }
  return null
}

function hasTyp(typ: unknown, accepted: string | readonly string[]): boolean {
  if (typeof typ !== 'string') return false
  // RFC 7515 4.1.9: media types compare without case, and `application/` may be left out
  const name = typ.toLowerCase().replace(/^application\//, '')
  return typeof accepted === 'string' ? name === accepted : accepted.includes(name)
}
