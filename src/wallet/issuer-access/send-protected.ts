import { isJsonObject, parseJson } from '../../crypto/json.ts'
import { privateKeyFromPkcs8 } from '../../crypto/jwk.ts'
import { type SigningKey, softwareKey } from '../../crypto/signing-key.ts'
import { Fault } from '../../fault.ts'
import type { ForTenant, OutboundAnswer, OutboundRequest, Platform } from '../../platform.ts'
import { buildDpopProof } from '../../protocols/oauth2/build-dpop-proof.ts'
import { keepServerNonce, serverNonce } from './server-nonces.ts'

/** What sending needs, and the tenant that is charged. */
export type SendNeeds = Pick<Platform, 'fetch' | 'clock' | 'memory'> & ForTenant

/** An access token of an issuer. Secret. */
export type IssuerAccess = {
  readonly accessToken: string
  /** The key that the token is bound to, as PKCS #8 in base64; null: a bearer token. */
  readonly boundKey: string | null
}

/** Returns the key of a sealed PKCS #8. */
export function keyOf(pkcs8: string): SigningKey {
  return softwareKey(privateKeyFromPkcs8(Buffer.from(pkcs8, 'base64')))
}

/**
 * Sends a request with an access token: as bearer token, or with a DPoP proof by the key that it is bound to. [HAIP-2]
 *
 * @throws Fault `upstream.*`
 */
export function sendWithToken(
  needs: SendNeeds,
  url: string,
  { accessToken, boundKey }: IssuerAccess,
  request: OutboundRequest,
): Promise<OutboundAnswer> {
  const scheme = boundKey === null ? 'Bearer' : 'DPoP'
  const headers = { ...request.headers, authorization: `${scheme} ${accessToken}` }
  const key = boundKey === null ? null : keyOf(boundKey)
  const prover = key === null ? null : { key, accessToken }
  return sendWithProof(needs, url, async () => ({ ...request, headers }), prover)
}

/**
 * Sends a request with a DPoP proof, if there is a key. A server that requires a nonce gets the request once more, with
 * the nonce that it sent. [HAIP-2]
 *
 * @param request Builds the request anew for each attempt: a proof in it, such as that of a client attestation, is
 *   accepted once.
 * @see [RFC 9449, 8](https://www.rfc-editor.org/rfc/rfc9449#section-8) and [9](https://www.rfc-editor.org/rfc/rfc9449#section-9)
 */
export async function sendWithProof(
  needs: SendNeeds,
  url: string,
  request: () => Promise<OutboundRequest>,
  prover: { readonly key: SigningKey; readonly accessToken: string | null } | null,
): Promise<OutboundAnswer> {
  const attempt = async (nonce: string | null) => {
    const built = await request()
    if (prover === null) return needs.fetch(needs.tenantId, url, built)
    const { key, accessToken } = prover
    const proof = { method: built.method ?? 'GET', url, accessToken, nonce }
    const dpop = await buildDpopProof(proof, key, needs.clock.now())
    return needs.fetch(needs.tenantId, url, { ...built, headers: { ...built.headers, dpop } })
  }
  const answer = await attempt(serverNonce(needs, url))
  const nonce = keepServerNonce(needs, url, answer)
  if (prover === null || nonce === null || !requiresNonce(answer)) return answer
  const second = await attempt(nonce)
  keepServerNonce(needs, url, second)
  return second
}

/** RFC 9449 8: 400 with the error in the body; 9: 401 with the error in `WWW-Authenticate`. */
function requiresNonce(answer: OutboundAnswer): boolean {
  if (answer.status === 401 && /\buse_dpop_nonce\b/.test(answer.headers['www-authenticate'] ?? '')) return true
  return (answer.status === 400 || answer.status === 401) && oauthErrorOf(answer) === 'use_dpop_nonce'
}

/** Returns `error` of a JSON body; null: there is none. */
export function oauthErrorOf({ contentType, body }: OutboundAnswer): string | null {
  if (contentType !== 'application/json') return null
  try {
    const value = parseJson(body)
    return isJsonObject(value) && typeof value.error === 'string' ? value.error : null
  } catch (error) {
    if (error instanceof Fault) return null
    throw error
  }
}
