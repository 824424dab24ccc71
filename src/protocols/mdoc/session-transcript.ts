import { fromBase64url } from '../../crypto/base64url.ts'
import { sha256 } from '../../crypto/digest.ts'
import { type PublicJwk, thumbprint } from '../../crypto/jwk.ts'
import { encodeCbor } from '../cbor/encode.ts'
import type { Cbor } from '../cbor/value.ts'

/**
 * The session transcript of OpenID4VP by redirects: what a holder's signature binds a presentation to.
 *
 * @param request As the wallet got it: from the request object if that was signed [VP-H2].
 * `encryptionKey`: the key of the verifier that the response is encrypted to; null if it is not encrypted [VP-H1].
 * @returns Encoded CBOR.
 * @see [OpenID4VP 1.0, B.2.6.1](https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#appendix-B.2.6.1)
 */
export function redirectTranscript(request: {
  readonly clientId: string
  readonly nonce: string
  readonly encryptionKey: PublicJwk | null
  /** `response_uri`, or `redirect_uri` where the response goes there. */
  readonly responseUri: string
}): Buffer {
  const { clientId, nonce, encryptionKey, responseUri } = request
  return transcriptOf('OpenID4VPHandover', [clientId, nonce, thumbprintOf(encryptionKey), responseUri])
}

/**
 * The session transcript of OpenID4VP over the Digital Credentials API.
 *
 * @param origin Of the verifier, as the browser states it, without the prefix `origin:`.
 * @returns Encoded CBOR.
 * @see [OpenID4VP 1.0, B.2.6.2](https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#appendix-B.2.6.2)
 */
export function browserTranscript(origin: string, nonce: string, encryptionKey: PublicJwk | null): Buffer {
  return transcriptOf('OpenID4VPDCAPIHandover', [origin, nonce, thumbprintOf(encryptionKey)])
}

function thumbprintOf(key: PublicJwk | null): Buffer | null {
  return key === null ? null : fromBase64url(thumbprint(key))
}

function transcriptOf(handover: string, info: readonly Cbor[]): Buffer {
  return encodeCbor([null, null, [handover, sha256(encodeCbor(info))]])
}
