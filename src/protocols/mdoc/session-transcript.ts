import { fromBase64url } from '../../crypto/base64url.ts'
import { sha256 } from '../../crypto/digest.ts'
import { type PublicJwk, thumbprint } from '../../crypto/jwk.ts'
import { encodeCbor } from '../cbor/encode.ts'

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
  const keyThumbprint = encryptionKey === null ? null : fromBase64url(thumbprint(encryptionKey))
  const handoverInfo = encodeCbor([clientId, nonce, keyThumbprint, responseUri])
  return encodeCbor([null, null, ['OpenID4VPHandover', sha256(handoverInfo)]])
}
