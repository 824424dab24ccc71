import { Type } from 'typebox'
import { imageTypes, qrAnswer } from '../../api/qr-image.ts'
import { PresentationCheck, PresentationCheckBody } from '../../contract/verification/presentation-checks.ts'
import { PublicRequestReply } from '../../contract/verification/presentation-requests.ts'
import { getTenant } from '../../directory/tenants/find-tenant.ts'
import { type Endpoint, endpoint } from '../../http/routes/endpoint.ts'
import { REQUEST_OBJECT_MEDIA_TYPE } from '../../protocols/openid4vp/request-object.ts'
import { readResponse } from '../../protocols/openid4vp/response.ts'
import { limitVerifierRefusals } from '../requests/rate-limits.ts'
import { linksOf } from '../requests/request-links.ts'
import { findPendingRequest } from '../requests/request-store.ts'
import { requestEndOf, requestOf, serveRequestObject } from '../requests/serve-request-object.ts'
import { askedCredentials, inWords } from '../templates/asked-credentials.ts'
import { acceptResponse } from './accept-response.ts'
import { checkPresentation } from './check-presentation.ts'

const tag = 'OpenID4VP'
const noStore = { 'cache-control': 'no-store' }

/** The reply to a response of a wallet. */
export const ResponseReply = Type.Object(
  { redirect_uri: Type.Optional(Type.String({ description: 'Where the browser of the holder continues.' })) },
  { $id: 'PresentationSubmitted' },
)

const getRequestObject = endpoint({
  method: 'GET',
  path: '/verifiers/{tenant}/requests/{requestToken}',
  operationId: 'getRequestObject',
  replies: { 200: { types: { [REQUEST_OBJECT_MEDIA_TYPE]: null } } },
  summary: 'Returns the signed request object of an open presentation request.',
  tag,
  accepts: 'none',
  handle: async ({ platform, params }) => {
    const tenant = await getTenant(platform, params.tenant)
    const body = await serveRequestObject(platform, tenant, params.requestToken)
    return { status: 200, type: REQUEST_OBJECT_MEDIA_TYPE, body, headers: noStore }
  },
})

const postRequestObject = endpoint({
  method: 'POST',
  path: '/verifiers/{tenant}/requests/{requestToken}',
  operationId: 'requestRequestObject',
  replies: { 200: { types: { [REQUEST_OBJECT_MEDIA_TYPE]: null } } },
  summary: 'Returns the same object with the `wallet_nonce` of the wallet (`request_uri_method` post).',
  tag,
  accepts: 'form',
  body: Type.Object({
    wallet_nonce: Type.Optional(Type.String({ maxLength: 512 })),
    wallet_metadata: Type.Optional(Type.String({ maxLength: 16_384 })),
  }),
  handle: async ({ platform, params, body }) => {
    const tenant = await getTenant(platform, params.tenant)
    const object = await serveRequestObject(platform, tenant, params.requestToken, body)
    return { status: 200, type: REQUEST_OBJECT_MEDIA_TYPE, body: object }
  },
})

const describeRequest = endpoint({
  method: 'GET',
  path: '/verifiers/{tenant}/requests/{requestToken}/about',
  operationId: 'getPublicPresentationRequest',
  replies: { 200: { types: { 'application/json': PublicRequestReply } } },
  summary:
    'Returns what the holder of a link may know of a presentation request: what it asks for, why, and how it ended.',
  tag,
  accepts: 'none',
  handle: async ({ platform, params, headers, ip }) => {
    const tenant = await getTenant(platform, params.tenant)
    const read = () => requestOf(platform, tenant, params.requestToken)
    const row = await limitVerifierRefusals(platform, { tenant, ip }, read)
    const { id, expiresAt } = row
    const links = await linksOf(platform, tenant, params.requestToken, row)
    const { authorizationRequestUri, authorizationRequestReferenceUri: reference, authorizationRequestQrUri } = links
    const open = await platform.store.single(tenant.id, (tx) => findPendingRequest(tx, id, platform.clock.now()))
    const asked = open === null ? [] : await askedCredentials(platform, tenant, open.credentials)
    const body = {
      end: requestEndOf(row),
      asks: inWords(asked, headers['accept-language']),
      purpose: open?.verifierConfig?.purpose ?? null,
      expiresAt: expiresAt.toISOString(),
      authorizationRequestUri,
      authorizationRequestQrUri,
      ...(reference !== undefined && { authorizationRequestReferenceUri: reference }),
    }
    return { status: 200, body, headers: noStore }
  },
})

const postResponse = endpoint({
  method: 'POST',
  path: '/verifiers/{tenant}/responses/{requestToken}',
  operationId: 'submitPresentation',
  replies: { 200: { types: { 'application/json': ResponseReply } } },
  summary: "Accepts a wallet's response (response mode direct_post or direct_post.jwt): presentations, or an error.",
  tag,
  accepts: 'form',
  body: Type.Object({
    response: Type.Optional(
      Type.String({ description: 'The encrypted response (direct_post.jwt), in place of the other members.' }),
    ),
    state: Type.Optional(Type.String({ description: 'The `state` of the request object; required.' })),
    vp_token: Type.Optional(
      Type.String({
        description: 'A JSON object with an array of presentations under each query id. Either this or `error`.',
      }),
    ),
    error: Type.Optional(Type.String({ description: 'An OAuth error code, e.g. `access_denied`.' })),
    error_description: Type.Optional(Type.String()),
  }),
  handle: async ({ platform, params, body, ip, requestId }) => {
    const tenant = await getTenant(platform, params.tenant)
    const response = readResponse(body)
    const accept = () => acceptResponse(platform, tenant, params.requestToken, response, { ip, requestId })
    const redirectUri = await limitVerifierRefusals(platform, { tenant, ip }, accept)
    return { status: 200, body: redirectUri === null ? {} : { redirect_uri: redirectUri } }
  },
})

const checkFile = endpoint({
  method: 'POST',
  path: '/verifiers/{tenant}/presentation-checks',
  operationId: 'checkPresentation',
  replies: { 200: { types: { 'application/json': PresentationCheck } } },
  summary:
    'Checks a presentation that somebody has as a file, against the audience and nonce in it and the trust of the organisation. Nothing is stored.',
  tag: 'Shared links',
  accepts: 'json',
  body: PresentationCheckBody,
  handle: async ({ platform, params, body, ip }) => {
    const tenant = await getTenant(platform, params.tenant)
    return { status: 200, body: await checkPresentation(platform, tenant, body, ip), headers: noStore }
  },
})

/** What a QR code of this error correction holds; a longer request by value is shown by reference. */
const QR_CHARS_MAX = 2300

const getQrImage = endpoint({
  method: 'GET',
  path: '/verifiers/{tenant}/requests/{requestToken}/qr',
  operationId: 'getRequestQr',
  replies: { 200: { types: imageTypes } },
  summary:
    'Returns a presentation request as QR code: SVG, or PNG by `Accept`. A wallet accepts the URL itself as well.',
  tag,
  accepts: 'none',
  crossOrigin: true,
  handle: async ({ platform, params, headers }) => {
    const tenant = await getTenant(platform, params.tenant)
    // Only for requests that exist.
    const request = await requestOf(platform, tenant, params.requestToken)
    const { authorizationRequestUri: link, authorizationRequestReferenceUri: reference = link } = await linksOf(
      platform,
      tenant,
      params.requestToken,
      request,
    )
    return qrAnswer(link.length > QR_CHARS_MAX ? reference : link, headers.accept)
  },
})

/** The OpenID4VP endpoints. */
export const verificationEndpoints: readonly Endpoint[] = [
  getRequestObject,
  postRequestObject,
  describeRequest,
  postResponse,
  checkFile,
  getQrImage,
]
