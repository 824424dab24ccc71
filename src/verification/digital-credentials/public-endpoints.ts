import { Type } from 'typebox'
import { getTenant } from '../../directory/tenants/find-tenant.ts'
import { type Endpoint, endpoint } from '../../http/routes/endpoint.ts'
import { asset } from '../../pages/assets.ts'
import { limitVerifierRefusals } from '../requests/rate-limits.ts'
import { ResponseReply } from '../responses/public-endpoints.ts'
import { acceptBrowserAnswer } from './accept-browser-answer.ts'
import { buildBrowserRequests } from './build-browser-request.ts'
import { requestPage } from './request-page.ts'

const tag = 'OpenID4VP'
const DATA_CHARS_MAX = 900_000

/** The argument of `navigator.credentials.get`. */
const BrowserRequestReply = Type.Object(
  {
    digital: Type.Object({
      requests: Type.Array(Type.Object({ protocol: Type.String(), data: Type.Record(Type.String(), Type.Unknown()) })),
    }),
  },
  { $id: 'BrowserRequest' },
)

const getBrowserRequests = endpoint({
  method: 'GET',
  path: '/verifiers/{tenant}/requests/{requestToken}/digital-credentials',
  operationId: 'getBrowserRequest',
  replies: { 200: { types: { 'application/json': BrowserRequestReply } } },
  summary: 'Returns an open presentation request as argument of `navigator.credentials.get` (Digital Credentials API).',
  tag,
  accepts: 'none',
  crossOrigin: true,
  handle: async ({ platform, params, ip }) => {
    const tenant = await getTenant(platform, params.tenant)
    const build = () => buildBrowserRequests(platform, tenant, params.requestToken)
    const requests = await limitVerifierRefusals(platform, { tenant, ip }, build)
    return { status: 200, body: { digital: { requests } }, headers: { 'cache-control': 'no-store' } }
  },
})

const postBrowserAnswer = endpoint({
  method: 'POST',
  path: '/verifiers/{tenant}/requests/{requestToken}/digital-credentials',
  operationId: 'submitBrowserPresentation',
  replies: { 200: { types: { 'application/json': ResponseReply } } },
  summary: "Accepts the wallet's answer that a browser returned for the request.",
  tag,
  // A form, which pages of other origins can post without a preflight.
  accepts: 'form',
  crossOrigin: true,
  body: Type.Object({
    protocol: Type.String({ maxLength: 64, description: 'The `protocol` of the `DigitalCredential`.' }),
    data: Type.String({ maxLength: DATA_CHARS_MAX, description: 'The `data` of the `DigitalCredential` as JSON.' }),
    origin: Type.Optional(
      Type.String({ maxLength: 300, description: 'The origin of the page, if a server forwards the answer.' }),
    ),
  }),
  handle: async ({ platform, params, body, headers, ip, requestId }) => {
    const tenant = await getTenant(platform, params.tenant)
    const from = { ip, requestId, header: headers.origin }
    const accept = () => acceptBrowserAnswer(platform, tenant, params.requestToken, body, from)
    const redirectUri = await limitVerifierRefusals(platform, { tenant, ip }, accept)
    return { status: 200, body: redirectUri === null ? {} : { redirect_uri: redirectUri } }
  },
})

const getScript = endpoint({
  method: 'GET',
  path: '/verifiers/request-credential.js',
  operationId: 'getRequestCredentialScript',
  replies: { 200: { types: { 'text/javascript': null } } },
  summary: 'Returns the custom element `request-credential`, with which a page of a verifier requests a presentation.',
  tag,
  accepts: 'none',
  crossOrigin: true,
  handle: () => {
    const { type, text } = asset('request-credential.js')
    const headers = { 'cache-control': 'public, max-age=300', 'cross-origin-resource-policy': 'cross-origin' }
    return { status: 200, type, body: text, headers }
  },
})

/** The Digital Credentials API: requests, answers, and what pages embed. */
export const digitalCredentialEndpoints: readonly Endpoint[] = [
  getBrowserRequests,
  postBrowserAnswer,
  getScript,
  requestPage,
]
