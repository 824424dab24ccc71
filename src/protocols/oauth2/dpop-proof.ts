import { equalInConstantTime, sha256Base64url } from '../../crypto/digest.ts'
import { type PublicJwk, readPublicJwk, thumbprint } from '../../crypto/jwk.ts'
import { findJwsError, type Jws, parseCompact } from '../../crypto/jws.ts'
import { Fault } from '../../fault.ts'

/** Algorithms of DPoP proofs, as the metadata name them. */
export const DPOP_ALGS = ['ES256', 'EdDSA', 'Ed25519'] as const

const PROOF_CHARS_MAX = 8192
const JTI_CHARS_MAX = 256
/** How old `iat` may be, and how far in the future. [SEC-80] */
const AGE_SECONDS_MAX = 300
const SKEW_SECONDS = 60

/** A verified DPoP proof. `jti` is to be spent until `expiresAt`; `nonce` is to be checked. */
type DpopProof = {
  /** Thumbprint of its key. */
  readonly jkt: string
  readonly jti: string
  readonly nonce: string | null
  readonly expiresAt: Date
}

/**
 * Verifies a DPoP proof.
 *
 * NOT checked: that its nonce is one of ours, that its `jti` was not used before, and that a token is bound to its key.
 *
 * @param url Public address of the request, without query and fragment.
 * @param accessToken The token that the request carries, at a resource server.
 * @throws Fault `dpop_proof.invalid`
 * @see [RFC 9449, 4.3](https://www.rfc-editor.org/rfc/rfc9449#section-4.3)
 */
export function checkDpopProof(
  text: string,
  expected: { readonly method: string; readonly url: string; readonly now: Date; readonly accessToken?: string },
): DpopProof {
  const { jws, jwk } = parsed(text)
  // RFC 9449 4.3, 4 to 7: type, algorithm and signature, by the key in the header
  if (findJwsError(jws, jwk, { algs: DPOP_ALGS, typ: 'dpop+jwt' }) !== null)
    throw invalid('is not signed as dpop+jwt with its own key')
  const { htm, htu, iat, jti, ath, nonce } = jws.payload
  // RFC 9449 4.3, 8 and 9
  if (htm !== expected.method) throw invalid('is for another method')
  if (typeof htu !== 'string' || normalized(htu) !== normalized(expected.url)) throw invalid('is for another address')
  const seconds = expected.now.getTime() / 1000
  // RFC 9449 4.3, 11
  if (typeof iat !== 'number' || iat < seconds - AGE_SECONDS_MAX) throw invalid('is too old or has no iat')
  if (iat > seconds + SKEW_SECONDS) throw invalid('is from the future')
  // RFC 9449 4.3, 3
  if (typeof jti !== 'string' || jti === '' || jti.length > JTI_CHARS_MAX) throw invalid('has no usable jti')
  if (nonce !== undefined && typeof nonce !== 'string') throw invalid('has a malformed nonce')
  checkTokenHash(ath, expected.accessToken)
  const expiresAt = new Date((iat + AGE_SECONDS_MAX + SKEW_SECONDS) * 1000)
  return { jkt: thumbprint(jwk), jti, nonce: nonce ?? null, expiresAt }
}

function parsed(text: string): { readonly jws: Jws; readonly jwk: PublicJwk } {
  try {
    // RFC 9449 4.3, 1 and 2: one header with one JWT; Node joins several headers with a comma, which no JWT contains
    const jws = parseCompact(text, { charsMax: PROOF_CHARS_MAX })
    return { jws, jwk: readPublicJwk(jws.header.jwk) }
  } catch (cause) {
    throw invalid('is not a JWT with a public key', cause)
  }
}

/** RFC 9449 4.3, 12: the proof names the token that it is sent with. */
function checkTokenHash(ath: unknown, accessToken: string | undefined): void {
  if (accessToken === undefined) return
  if (typeof ath !== 'string' || !equalInConstantTime(ath, sha256Base64url(accessToken)))
    throw invalid('is for another access token')
}

function normalized(text: string): string | null {
  if (!URL.canParse(text)) return null
  const { origin, pathname } = new URL(text)
  return `${origin}${pathname}`
}

function invalid(why: string, cause?: unknown): Fault {
  return new Fault('dpop_proof.invalid', { detail: `The DPoP proof ${why}.`, cause })
}
