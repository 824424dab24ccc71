import type { Tenant } from '../directory/tenant.ts'
import { Fault } from '../fault.ts'
import type { Platform } from '../platform.ts'
import { buildRequestObject, signRequestObject, vpFormatsSupported } from '../protocols/openid4vp/request-object.ts'
import { addressesOf } from './request-addresses.ts'
import { findOpenQuestion } from './request-store.ts'
import { readRequestToken } from './request-token.ts'
import { queryOf } from './template-query.ts'

type Needs = Pick<Platform, 'store' | 'clock' | 'sealing' | 'keys' | 'urls'>

/**
 * Makes the signed request object of an open request. It may be fetched as often as a wallet likes until the request ends: nonce,
 * state and query stay the same [VP-R11]. One statement; signed outside of it.
 *
 * @param walletNonce Echoed, for a wallet that posted one [VP-U2].
 * @throws Fault `resource.unknown`, `presentation_request.closed`
 * @see [OpenID4VP 1.0, 5.10](https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#name-request-uri-method-post)
 */
export async function serveRequestObject(
  platform: Needs,
  { id: tenantId, slug }: Tenant,
  token: string,
  walletNonce?: string,
): Promise<string> {
  const { store, clock, keys, urls } = platform
  const id = await readRequestToken(platform, tenantId, token)
  if (id === null) throw new Fault('resource.unknown')
  const now = clock.now()
  const question = await store.single(tenantId, (tx) => findOpenQuestion(tx, id, now))
  if (question === null) throw new Fault('presentation_request.closed')
  const { clientId, responseUri } = addressesOf(urls, slug, token)
  const { nonce, state, expiresAt } = question
  const lifetimeSeconds = Math.max(1, Math.floor((expiresAt.getTime() - now.getTime()) / 1000))
  const claims = buildRequestObject(
    {
      ...{ clientId, responseUri, nonce, state, lifetimeSeconds },
      dcqlQuery: queryOf(question),
      ...(walletNonce !== undefined && { walletNonce }),
    },
    { 'dc+sd-jwt': vpFormatsSupported['dc+sd-jwt'] },
    now,
  )
  const key = await keys.current(tenantId, 'request')
  // 5.9.3: `kid` names the verification method in the DID document
  return signRequestObject(claims, { kid: `${urls.did(slug)}#${key.kid}` }, key)
}
