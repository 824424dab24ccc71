import { qrAnswer } from '../../api/qr-image.ts'
import { getTenant } from '../../directory/tenants/find-tenant.ts'
import { Fault } from '../../fault.ts'
import { bearerToken } from '../../http/routes/bearer-token.ts'
import { type Endpoint, endpoint } from '../../http/routes/endpoint.ts'
import { makeCNonce } from '../../protocols/openid4vci/c-nonce.ts'
import { statusEndpoints } from '../status/public-endpoints.ts'
import { publishType } from '../types/publish-type.ts'
import { issueCredential } from './issue-credential.ts'
import { publishIssuerMetadata, publishServerMetadata } from './publish-metadata.ts'
import { admitNonce, countingRefusals, forgiveNonce } from './rate-limits.ts'
import { takeNotification } from './record-notification.ts'
import { redeemCode } from './redeem-code.ts'
import { offerQrText, serveOffer } from './serve-offer.ts'

const tag = 'OpenID4VCI'
const json = 'application/json'

const issuerMetadata = endpoint({
  method: 'GET',
  path: '/.well-known/openid-credential-issuer/issuers/{tenant}',
  says: 'Metadata of a tenant as credential issuer.',
  tag,
  takes: 'none',
  crossOrigin: true,
  handle: async ({ platform, params }) => ({
    status: 200,
    type: json,
    body: await publishIssuerMetadata(platform, await getTenant(platform, params.tenant)),
    headers: { 'cache-control': 'no-cache', vary: 'accept' },
  }),
})

const serverMetadata = endpoint({
  method: 'GET',
  path: '/.well-known/oauth-authorization-server/issuers/{tenant}',
  says: 'Metadata of a tenant as authorization server of its credential issuer.',
  tag,
  takes: 'none',
  crossOrigin: true,
  handle: async ({ platform, params }) => ({
    status: 200,
    type: json,
    body: publishServerMetadata(platform, await getTenant(platform, params.tenant)),
    headers: { 'cache-control': 'no-cache' },
  }),
})

const offer = endpoint({
  method: 'GET',
  path: '/issuers/{tenant}/offers/{token}',
  says: 'A credential offer, until its time is over.',
  tag,
  takes: 'none',
  crossOrigin: true,
  handle: async ({ platform, params, ip }) => {
    const tenant = await getTenant(platform, params.tenant)
    const body = await countingRefusals(platform, { tenant, ip }, () => serveOffer(platform, tenant, params.token))
    // [VCI-O6]
    return { status: 200, body, headers: { 'cache-control': 'no-store' } }
  },
})

const offerQr = endpoint({
  method: 'GET',
  path: '/issuers/{tenant}/offer-qr',
  says: 'A credential offer as a QR code: SVG, or PNG by Accept. A wallet may be given this address as the offer itself.',
  tag,
  takes: 'none',
  handle: async ({ platform, params, query, headers }) => {
    const tenant = await getTenant(platform, params.tenant)
    const offerUri = query.credential_offer_uri
    if (offerUri === undefined) throw new Fault('resource.unknown')
    return qrAnswer(await offerQrText(platform, tenant, offerUri), headers.accept)
  },
})

const token = endpoint({
  method: 'POST',
  path: '/issuers/{tenant}/token',
  says: 'Redeems a pre-authorized code for an access token, once.',
  tag,
  takes: 'form',
  handle: async ({ platform, params, body, ip, requestId }) => {
    const tenant = await getTenant(platform, params.tenant)
    const redeem = () => redeemCode(platform, tenant, body, { ip, requestId })
    return { status: 200, body: await countingRefusals(platform, { tenant, ip }, redeem) }
  },
})

const nonce = endpoint({
  method: 'POST',
  path: '/issuers/{tenant}/nonce',
  says: 'A fresh nonce for key proofs.',
  tag,
  takes: 'none',
  handle: async ({ platform, params, ip }) => {
    const tenant = await getTenant(platform, params.tenant)
    admitNonce(platform, { tenant, ip })
    const macKey = await platform.sealing.derive(tenant.id, 'c-nonce')
    return { status: 200, body: { c_nonce: makeCNonce(macKey, platform.clock.now()) } }
  },
})

const credential = endpoint({
  method: 'POST',
  path: '/issuers/{tenant}/credential',
  says: 'Issues a credential, one copy for each key that the wallet proves to hold.',
  tag,
  takes: 'json',
  needsToken: true,
  // [VCI-C3] never the general invalid_request
  unreadable: 'credential_request.invalid',
  handle: async ({ platform, params, body, headers, ip, requestId }) => {
    const tenant = await getTenant(platform, params.tenant)
    const ask = { token: bearerToken(headers.authorization), body }
    const issue = () => issueCredential(platform, tenant, ask, { ip, requestId })
    const issued = await countingRefusals(platform, { tenant, ip }, issue)
    forgiveNonce(platform, { tenant, ip })
    return { status: 200, body: issued }
  },
})

const notification = endpoint({
  method: 'POST',
  path: '/issuers/{tenant}/notification',
  says: 'Takes what became of a credential at the holder.',
  tag,
  takes: 'json',
  needsToken: true,
  // [VCI-X3]
  unreadable: 'notification.invalid',
  handle: async ({ platform, params, body, headers, ip, requestId }) => {
    const tenant = await getTenant(platform, params.tenant)
    const ask = { token: bearerToken(headers.authorization), body }
    await countingRefusals(platform, { tenant, ip }, () => takeNotification(platform, tenant, ask, { ip, requestId }))
    return { status: 204 }
  },
})

const typeMetadata = endpoint({
  method: 'GET',
  path: '/issuers/{tenant}/vct/{code}',
  says: 'Type metadata of the credentials of a template.',
  tag: 'Trust',
  takes: 'none',
  crossOrigin: true,
  handle: async ({ platform, params }) => ({
    status: 200,
    body: await publishType(platform, await getTenant(platform, params.tenant), params.code),
    // [TM-5]
    headers: { 'cache-control': 'public, max-age=300', 'x-content-type-options': 'nosniff' },
  }),
})

/** What wallets and verifiers reach of a tenant as an issuer. */
export const issuanceEndpoints: readonly Endpoint[] = [
  ...[issuerMetadata, serverMetadata, offer, offerQr, token, nonce],
  ...[credential, notification, typeMetadata],
  ...statusEndpoints,
]
