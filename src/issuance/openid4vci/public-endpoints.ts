import { imageTypes, qrAnswer } from '../../api/qr-image.ts'
import { currentDpopNonce } from '../../authorization/access/check-dpop.ts'
import { attestationChallenge } from '../../authorization/server/clients/check-attestation.ts'
import { TokenReply } from '../../authorization/server/endpoint/reply-schemas.ts'
import { answerTokenRequest } from '../../authorization/server/endpoint/token-endpoint.ts'
import { getTenant } from '../../directory/tenants/find-tenant.ts'
import { Fault } from '../../fault.ts'
import { type Endpoint, endpoint } from '../../http/routes/endpoint.ts'
import { languageOf } from '../../pages/language.ts'
import { makeCNonce } from '../../protocols/openid4vci/c-nonce.ts'
import { checkSentAttestation } from '../clients/check-sent-attestation.ts'
import { codeFlowEndpoints } from '../code-flow/public-endpoints.ts'
import { offerPageQrText } from '../offers/offer-page.ts'
import { makeOfferedWallet } from '../offers/offered-wallet.ts'
import { statusEndpoints } from '../status/public-endpoints.ts'
import { issueCredential } from './issue-credential.ts'
import { issueDeferred } from './issue-deferred.ts'
import { issuerInstance } from './issuer-instance.ts'
import { nextNonce, readPresentedToken } from './present-token.ts'
import { limitIssuanceRefusals, limitNonces, refundNonce } from './rate-limits.ts'
import { recordNotification } from './record-notification.ts'
import {
  ChallengeReply,
  CredentialReply,
  CredentialRequestBody,
  DeferredRequestBody,
  NonceReply,
  NotificationBody,
  OfferedWalletReply,
  OfferReply,
  TokenRequestForm,
} from './schemas.ts'
import { findOpenOffer, offerQrText, serveOffer } from './serve-offer.ts'

const tag = 'OpenID4VCI'
const json = 'application/json'
const jwt = 'application/jwt'

const credentialTypes = { [json]: CredentialReply, [jwt]: null }
const credentialReplies = {
  200: { types: credentialTypes },
  202: { description: 'Deferred: the credential is to be fetched with the `transaction_id`.', types: credentialTypes },
}

const offer = endpoint({
  method: 'GET',
  path: '/issuers/{tenant}/offers/{token}',
  operationId: 'getCredentialOffer',
  replies: {
    200: {
      description:
        'The offer. The header `Sunset` says when it ends; `Offer-State: taken`, that a wallet has redeemed it already; `Offer-Scheme` is the scheme of its link, `Offer-Credential` the name of the credential in a language of `Accept-Language`, percent-encoded.',
      types: { 'application/json': OfferReply },
    },
  },
  summary: 'Returns a credential offer until it ends.',
  tag,
  accepts: 'none',
  crossOrigin: true,
  handle: async ({ platform, params, url, headers, ip }) => {
    const tenant = await getTenant(platform, params.tenant)
    const serve = () => serveOffer(platform, tenant, params.token, languageOf({ url, headers }))
    const { offer, expiresAt, isTaken, scheme, name } = await limitIssuanceRefusals(platform, { tenant, ip }, serve)
    // RFC 8594: wallets may say how much time is left; and that the offer was taken, which the document does not say
    const about = { sunset: expiresAt.toUTCString(), ...(isTaken && { 'offer-state': 'taken' }) }
    // for our page of the offer, which has the link for wallets, and says what is offered
    const link = { 'offer-scheme': scheme, 'offer-credential': encodeURIComponent(name.toWellFormed()) }
    // [VCI-O6]
    return { status: 200, body: offer, headers: { 'cache-control': 'no-store', ...about, ...link } }
  },
})

const offeredWallet = endpoint({
  method: 'POST',
  path: '/issuers/{tenant}/offers/{token}/wallet',
  operationId: 'createOfferedWallet',
  replies: { 200: { types: { 'application/json': OfferedWalletReply } } },
  summary: 'Makes a wallet for a person who was offered a credential and has none; once for an offer.',
  tag,
  accepts: 'none',
  handle: async ({ platform, params, ip, requestId }) => {
    const tenant = await getTenant(platform, params.tenant)
    const id = await limitIssuanceRefusals(platform, { tenant, ip }, () =>
      findOpenOffer(platform, tenant, params.token),
    )
    const { kind: _, ...body } = await makeOfferedWallet(platform, tenant, id, { kind: 'user', ip, requestId })
    return { status: 200, body, headers: { 'cache-control': 'no-store' } }
  },
})

const offerQr = endpoint({
  method: 'GET',
  path: '/issuers/{tenant}/offer-qr',
  operationId: 'getCredentialOfferQr',
  replies: { 200: { types: imageTypes } },
  summary:
    'Returns a credential offer as a QR code: SVG, or PNG by Accept. Wallets accept this address as the offer itself.',
  tag,
  accepts: 'none',
  handle: async ({ platform, params, query, headers }) => {
    const tenant = await getTenant(platform, params.tenant)
    const offerUri = query.credential_offer_uri
    if (offerUri === undefined) throw new Fault('resource.unknown')
    return qrAnswer(await offerQrText(platform, tenant, { offerUri, scheme: query.scheme }), headers.accept)
  },
})

const offerPageQr = endpoint({
  method: 'GET',
  path: '/issuers/{tenant}/offers/{token}/page-qr',
  operationId: 'getOfferPageQr',
  replies: { 200: { types: imageTypes } },
  summary: 'Returns the address of the page of a credential offer as a QR code: SVG, or PNG by Accept.',
  tag,
  accepts: 'none',
  handle: async ({ platform, params, headers }) => {
    const tenant = await getTenant(platform, params.tenant)
    return qrAnswer(await offerPageQrText(platform, tenant, params.token), headers.accept)
  },
})

const token = endpoint({
  method: 'POST',
  path: '/issuers/{tenant}/token',
  operationId: 'requestIssuerToken',
  crossOrigin: true,
  replies: { 200: { types: { 'application/json': TokenReply } } },
  summary: 'Issues an access token for a pre-authorized code, an authorization code or a refresh token, once each.',
  tag,
  accepts: 'form',
  describedBody: TokenRequestForm,
  handle: async ({ platform, params, body, headers, ip, requestId }) => {
    const tenant = await getTenant(platform, params.tenant)
    const instance = issuerInstance(platform, tenant)
    const redeem = () => answerTokenRequest({ platform, instance, form: body, headers, ip, requestId })
    return limitIssuanceRefusals(platform, { tenant, ip }, redeem)
  },
})

const nonce = endpoint({
  method: 'POST',
  path: '/issuers/{tenant}/nonce',
  operationId: 'requestNonce',
  crossOrigin: true,
  replies: { 200: { types: { 'application/json': NonceReply } } },
  summary: 'Returns a fresh nonce for key proofs.',
  tag,
  accepts: 'none',
  handle: async ({ platform, params, ip }) => {
    const tenant = await getTenant(platform, params.tenant)
    limitNonces(platform, { tenant, ip })
    const macKey = await platform.sealing.deriveShortLived(tenant.id, 'c-nonce')
    // [VCI-N3] saves wallets with DPoP a refused credential request
    const headers = { 'dpop-nonce': await currentDpopNonce(platform) }
    return { status: 200, headers, body: { c_nonce: makeCNonce(macKey, platform.clock.now()) } }
  },
})

const challenge = endpoint({
  method: 'POST',
  path: '/issuers/{tenant}/challenge',
  operationId: 'requestAttestationChallenge',
  crossOrigin: true,
  replies: { 200: { types: { 'application/json': ChallengeReply } } },
  summary: 'Returns the challenge for the proof of possession of a client attestation.',
  tag,
  accepts: 'none',
  handle: async ({ platform, params }) => {
    await getTenant(platform, params.tenant)
    return { status: 200, body: { attestation_challenge: await attestationChallenge(platform) } }
  },
})

const credential = endpoint({
  method: 'POST',
  path: '/issuers/{tenant}/credential',
  operationId: 'requestCredential',
  crossOrigin: true,
  replies: credentialReplies,
  summary: 'Issues a credential, one copy for each key that the wallet proves to hold.',
  tag,
  // [VCI-E1] An encrypted request is a JWT.
  accepts: 'json-or-jwt',
  describedBody: CredentialRequestBody,
  needsToken: true,
  // [VCI-C3] Never the general invalid_request.
  unreadable: 'credential_request.invalid',
  handle: async ({ platform, params, body, headers, ip, requestId }) => {
    const tenant = await getTenant(platform, params.tenant)
    const isJwe = /^application\/jwt(;|$)/i.test(headers['content-type'] ?? '')
    const issue = async () => {
      await checkSentAttestation(platform, tenant, { headers, ip })
      const granted = await readPresentedToken(platform, tenant, { headers, endpoint: 'credential' })
      return issueCredential(platform, tenant, { granted, body, isJwe }, { ip, requestId })
    }
    const issued = await limitIssuanceRefusals(platform, { tenant, ip }, issue)
    refundNonce(platform, { tenant, ip })
    return { ...issued, headers: await nextNonce(platform, headers) }
  },
})

const deferredCredential = endpoint({
  method: 'POST',
  path: '/issuers/{tenant}/deferred-credential',
  operationId: 'requestDeferredCredential',
  crossOrigin: true,
  replies: credentialReplies,
  summary: 'Returns a deferred credential once it is approved, or that it is not ready.',
  tag,
  accepts: 'json-or-jwt',
  describedBody: DeferredRequestBody,
  needsToken: true,
  // [VCI-C3] As at the credential endpoint.
  unreadable: 'credential_request.invalid',
  handle: async ({ platform, params, body, headers, ip, requestId }) => {
    const tenant = await getTenant(platform, params.tenant)
    const isJwe = /^application\/jwt(;|$)/i.test(headers['content-type'] ?? '')
    const issued = await limitIssuanceRefusals(platform, { tenant, ip }, async () => {
      await checkSentAttestation(platform, tenant, { headers, ip })
      const granted = await readPresentedToken(platform, tenant, { headers, endpoint: 'deferred-credential' })
      return issueDeferred(platform, tenant, { granted, body, isJwe }, { ip, requestId })
    })
    return { ...issued, headers: await nextNonce(platform, headers) }
  },
})

const notification = endpoint({
  method: 'POST',
  path: '/issuers/{tenant}/notification',
  operationId: 'notifyIssuer',
  crossOrigin: true,
  replies: { 204: {} },
  summary: 'Records a notification of the wallet about an issued credential.',
  tag,
  accepts: 'json',
  describedBody: NotificationBody,
  needsToken: true,
  // [VCI-X3]
  unreadable: 'notification.invalid',
  handle: async ({ platform, params, body, headers, ip, requestId }) => {
    const tenant = await getTenant(platform, params.tenant)
    await limitIssuanceRefusals(platform, { tenant, ip }, async () => {
      const granted = await readPresentedToken(platform, tenant, { headers, endpoint: 'notification' })
      await recordNotification(platform, tenant, { granted, body }, { ip, requestId })
    })
    return { status: 204 }
  },
})

/** The endpoints of a tenant as credential issuer, for wallets and verifiers. */
export const issuanceEndpoints: readonly Endpoint[] = [
  offer,
  offeredWallet,
  offerQr,
  offerPageQr,
  token,
  nonce,
  challenge,
  credential,
  deferredCredential,
  notification,
  ...codeFlowEndpoints(issuerInstance),
  ...statusEndpoints,
]
