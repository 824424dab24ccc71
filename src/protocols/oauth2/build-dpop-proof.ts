import { sha256Base64url } from '../../crypto/digest.ts'
import { canonical } from '../../crypto/jwk.ts'
import { signCompact } from '../../crypto/jws.ts'
import { randomToken } from '../../crypto/random.ts'
import type { SigningKey } from '../../crypto/signing-key.ts'
import { toNumericDate } from '../numeric-date.ts'

/**
 * Creates a DPoP proof as a client, for one request.
 *
 * @param request `accessToken`: null at the authorization server. `nonce`: the last one of that server; null: none yet.
 * @see [RFC 9449, 4.2](https://www.rfc-editor.org/rfc/rfc9449#section-4.2)
 */
export function buildDpopProof(
  request: {
    readonly method: string
    readonly url: string
    readonly accessToken: string | null
    readonly nonce: string | null
  },
  key: SigningKey,
  now: Date,
): Promise<string> {
  const { origin, pathname } = new URL(request.url)
  const claims = {
    jti: randomToken(16),
    htm: request.method,
    // RFC 9449 4.2: without query and fragment
    htu: `${origin}${pathname}`,
    iat: toNumericDate(now),
    ...(request.accessToken !== null && { ath: sha256Base64url(request.accessToken) }),
    ...(request.nonce !== null && { nonce: request.nonce }),
  }
  return signCompact({ typ: 'dpop+jwt', jwk: canonical(key.publicJwk) }, claims, key)
}
