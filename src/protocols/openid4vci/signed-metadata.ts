import type { JsonObject } from '../../crypto/json.ts'
import type { VerificationKey } from '../../crypto/jwk.ts'
import { findJwsError, findJwsHeaderError, type Jws, parseCompact } from '../../crypto/jws.ts'
import { Fault, faultOf } from '../../fault.ts'

const TYPE = 'openidvci-issuer-metadata+jwt'
const CHARS_MAX = 512 * 1024
const CLOCK_SKEW_SECONDS = 60

/**
 * Parses signed issuer metadata, so that the caller can resolve the key of the signer. Type and algorithm are checked.
 * [W-M3]
 *
 * @throws Fault `issuer_metadata.invalid`
 */
export function parseSignedMetadata(text: string): Jws {
  try {
    const jws = parseCompact(text, { charsMax: CHARS_MAX })
    // [SEC-21]
    const error = findJwsHeaderError(jws.header, { typ: TYPE })
    if (error !== null) throw invalid(`The signed metadata are refused. ${error.message}`)
    return jws
  } catch (cause) {
    if (cause instanceof Fault && cause.code === 'issuer_metadata.invalid') throw cause
    throw new Fault('issuer_metadata.invalid', { detail: 'The signed metadata are no signed JWT.', cause })
  }
}

/**
 * Verifies signed issuer metadata that {@link parseSignedMetadata} returned, and returns them. [W-M3]
 *
 * NOT checked: that the signer is trusted for this issuer, and the members of the metadata.
 *
 * @param issuer Credential Issuer Identifier, which `sub` must be.
 * @throws Fault `issuer_metadata.invalid`
 * @see [OpenID4VCI 1.0, 12.2.3](https://openid.net/specs/openid-4-verifiable-credential-issuance-1_0.html#name-signed-metadata)
 */
export function checkSignedMetadata(jws: Jws, key: VerificationKey, issuer: string, now: Date): JsonObject {
  const error = findJwsError(jws, key, { typ: TYPE })
  if (error !== null) throw invalid(`The signed metadata are refused. ${error.message}`)
  const { sub, iat, exp } = jws.payload
  const seconds = now.getTime() / 1000
  if (sub !== issuer) throw invalid('The signed metadata are those of another issuer.')
  if (typeof iat !== 'number' || iat > seconds + CLOCK_SKEW_SECONDS)
    throw invalid('iat of the signed metadata is missing or in the future.')
  if (exp !== undefined && (typeof exp !== 'number' || exp + CLOCK_SKEW_SECONDS <= seconds)) {
    throw invalid('The signed metadata have expired.')
  }
  return jws.payload
}

const invalid = faultOf('issuer_metadata.invalid')
