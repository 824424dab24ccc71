import { Fault } from '../fault.ts'
import { fromBase64url, toBase64url } from './base64url.ts'
import { type JsonObject, parseJsonObject } from './json.ts'
import type { VerificationKey } from './jwk.ts'
import { objectionToSignature, signatureMessages } from './raw-signature.ts'
import { onceThere, type SigningKey, type SoftwareKey, type Soon } from './signing-key.ts'

/** Signature algorithms that we verify. `Ed25519` is the newer name of `EdDSA` with that curve (RFC 9864). */
export type JwsAlg = 'ES256' | 'EdDSA' | 'Ed25519'

/** All of {@link JwsAlg}: the widest list that a caller may allow. */
export const jwsAlgs: readonly JwsAlg[] = ['ES256', 'EdDSA', 'Ed25519']

/** [SEC-41] How long a compact JWS may be, in characters. */
export const JWS_CHARS_MAX = 512 * 1024

/** A compact JWS taken apart. Nothing in it is trustworthy before its signature was verified. */
export type Jws = {
  readonly header: JsonObject
  readonly payload: JsonObject
  readonly signingInput: string
  readonly signature: Buffer
}

/** What keeps a signature from being accepted. */
type JwsObjection = {
  readonly code: 'crit' | 'algorithm' | 'type' | 'key' | 'signature'
  readonly message: string
}

/** `algs`: allow-list for this use, all that we know unless told. `typ`: the media types accepted; unchecked if absent. */
type JwsPolicy = { readonly algs?: readonly JwsAlg[]; readonly typ?: string | readonly string[] }

type Header = Readonly<Record<string, unknown>>

/** Signs an object as compact JWS. `alg` is written from the key; any `kid`, `typ`, `x5c` is the caller's to put into the header. */
export function signCompact(header: Header, payload: object, key: SoftwareKey): string
export function signCompact(header: Header, payload: object, key: SigningKey): Soon<string>
export function signCompact(header: Header, payload: object, key: SigningKey): Soon<string> {
  const head = toBase64url(JSON.stringify({ ...header, alg: key.alg }))
  const signingInput = `${head}.${toBase64url(JSON.stringify(payload))}`
  const signature = key.sign(Buffer.from(signingInput, 'latin1'))
  return onceThere(signature, (bytes) => `${signingInput}.${bytes.toString('base64url')}`)
}

/**
 * Takes a compact JWS apart, strictly. Verifies nothing.
 *
 * @param limits `charsMax`: longest text accepted, 512 KiB unless told. `exactIntegers` as in `JsonLimits`, for the payload.
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
      // RFC 7515 4: header names are plain ASCII, so one that is spelled with escapes has something to hide
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
 * Verifies a compact JWS: form, header, algorithm, signature. Claims such as `exp` and `aud` are the caller's to check.
 *
 * @throws Fault `jws.malformed` (form), `jws.refused` (everything else; `detail` says what).
 * @see [RFC 7515, 5.2](https://www.rfc-editor.org/rfc/rfc7515#section-5.2) and [RFC 8725, 3](https://www.rfc-editor.org/rfc/rfc8725#section-3)
 */
export function verifyCompact(jws: string | Jws, key: VerificationKey, policy: JwsPolicy = {}): Jws {
  const parsed = typeof jws === 'string' ? parseCompact(jws) : jws
  const objection = objectionToJws(parsed, key, policy)
  if (objection !== null) throw new Fault('jws.refused', { detail: objection.message })
  return parsed
}

/** What stands against a JWS under a key, or null if it is verified. For checks that report instead of throwing. */
export function objectionToJws(jws: Jws, key: VerificationKey, policy: JwsPolicy = {}): JwsObjection | null {
  const header = objectionToHeader(jws.header, policy)
  if (header !== null) return header
  const scheme = jws.header.alg === 'ES256' ? 'ES256' : 'EdDSA'
  const code = objectionToSignature(Buffer.from(jws.signingInput, 'latin1'), jws.signature, key, scheme)
  return code === null ? null : { code, message: signatureMessages[code] }
}

/** What stands against a protected header whatever the key: `crit`, `b64`, an algorithm or a type outside the policy. */
export function objectionToHeader(header: JsonObject, policy: JwsPolicy = {}): JwsObjection | null {
  // RFC 7515 4.1.11: an extension named in `crit` that is not understood; we understand none. RFC 7797 6: `b64` needs `crit`.
  if (Object.hasOwn(header, 'crit') || Object.hasOwn(header, 'b64')) {
    return { code: 'crit', message: 'The header demands an extension that is not understood.' }
  }
  // [SEC-20] a list of what is allowed: `none` and the symmetric ones are not on it
  if (!(policy.algs ?? jwsAlgs).some((alg) => alg === header.alg)) {
    return { code: 'algorithm', message: 'The algorithm is not accepted here.' }
  }
  // [SEC-21] a JWT made for another use is not a JWT for this one
  if (policy.typ !== undefined && !hasTyp(header.typ, policy.typ)) {
    return { code: 'type', message: 'The JWT is of another type.' }
  }
  return null
}

function hasTyp(typ: unknown, wanted: string | readonly string[]): boolean {
  if (typeof typ !== 'string') return false
  // RFC 7515 4.1.9: media types compare without case, and `application/` may be left out
  const name = typ.toLowerCase().replace(/^application\//, '')
  return typeof wanted === 'string' ? name === wanted : wanted.includes(name)
}
