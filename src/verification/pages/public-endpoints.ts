import { Type } from 'typebox'
import { conditionalAnswer } from '../../api/held-answer.ts'
import { BegunVisitReply, PublicPageReply, VisitReply } from '../../contract/verification/verification-pages.ts'
import { faceOf } from '../../directory/tenants/face-of.ts'
import { bearerToken } from '../../http/routes/bearer-token.ts'
import { type Endpoint, type EndpointContext, type EndpointResponse, endpoint } from '../../http/routes/endpoint.ts'
import type { Platform } from '../../platform.ts'
import { limitVerifierRefusals } from '../requests/rate-limits.ts'
import { watchedRequests } from '../requests/request-store.ts'
import { inWords } from '../templates/asked-credentials.ts'
import { beginVisit } from './begin-visit.ts'
import { getPublicPage, type PublicPage } from './find-page.ts'
import { acceptsVisitors } from './verification-page.ts'
import { checkListedOrigin, takeWaitingPlace } from './visit-limits.ts'
import { checkVisitor, openVisitState, readVisitState, recordReturn, type VisitState } from './visit-state.ts'

const tag = 'Verification pages'
const noStore = { 'cache-control': 'no-store' }

type Context = EndpointContext<{ readonly page: string }>

/** Returns the page of the path. A page of a site may call it only if the owner lists its origin. */
async function pageOf({ platform, params, headers, ip }: Context): Promise<PublicPage> {
  const found = await getPublicPage(platform, params.page, ip)
  checkListedOrigin(platform, found, headers.origin)
  return found
}

const describePage = endpoint({
  method: 'GET',
  path: '/verify/{page}/about',
  operationId: 'getPublicVerificationPage',
  replies: { 200: { types: { 'application/json': PublicPageReply } } },
  summary:
    'Returns what visitors may know of a verification page: which organisation asks for which credentials and attributes, and whether the page is open.',
  tag,
  accepts: 'none',
  clientOrigins: true,
  handle: async (context) => {
    const { tenant, page, asks: asked, purpose } = await pageOf(context)
    const asks = inWords(asked, context.headers['accept-language'])
    const { accentColor, privacyUri, supportAddress } = faceOf(tenant)
    const { logoUri } = tenant.settings
    const organisation = {
      slug: tenant.slug,
      name: tenant.name,
      accentColor,
      privacyUri,
      supportAddress,
      logoUri: typeof logoUri === 'string' ? logoUri : null,
    }
    const { id, heading, explanation, origins } = page
    const body = { id, organisation, heading, explanation, asks, purpose, origins, isOpen: acceptsVisitors(page) }
    return { status: 200, body, headers: noStore }
  },
})

const beginRequest = endpoint({
  method: 'POST',
  path: '/verify/{page}/requests',
  operationId: 'createVisitorRequest',
  replies: { 201: { types: { 'application/json': BegunVisitReply } } },
  summary: 'Begins a presentation request for a visitor, and returns the secret by which its state is read.',
  tag,
  accepts: 'json',
  clientOrigins: true,
  body: Type.Object({
    reference: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200, description: 'Of the site; returned with the result.' }),
    ),
  }),
  handle: async (context) => {
    const { platform, body, ip, requestId } = context
    const found = await pageOf(context)
    const { request, secret } = await beginVisit(platform, found, { ip, requestId }, body.reference)
    const begun = { ...(await openVisitState(platform, found, request)), secret }
    return { status: 201, body: begun, headers: noStore }
  },
})

const readRequest = endpoint({
  method: 'GET',
  path: '/verify/{page}/requests/{request}',
  operationId: 'getVisitorRequest',
  replies: { 200: { types: { 'application/json': VisitReply } }, 304: { types: {} } },
  summary:
    'Returns the state of a request to the visitor who began it, never a claim; with `Prefer: wait` after the next change. The secret is the bearer token.',
  tag,
  accepts: 'none',
  clientOrigins: true,
  handle: async (context) => {
    const { platform, params, headers, ip } = context
    const found = await pageOf(context)
    const secret = bearerToken(headers.authorization)
    const requestId = await checkVisitor(platform, found, { requestId: params.request, secret, ip })
    const leave = takeWaitingPlace(platform, { tenantId: found.tenant.id, requestId, ip })
    try {
      return await stateAnswer(platform, found, requestId, {
        ...headers,
        ...(leave === null && { prefer: undefined }),
      })
    } finally {
      leave?.()
    }
  },
})

const returnToRequest = endpoint({
  method: 'POST',
  path: '/verify/{page}/requests/{request}/return',
  operationId: 'receiveVisitorReturn',
  replies: { 204: { types: {} } },
  summary:
    'Records that the wallet led the browser of the visitor back, with the code in its address. The secret is the bearer token.',
  tag,
  accepts: 'json',
  body: Type.Object({ responseCode: Type.String({ minLength: 1, maxLength: 200 }) }),
  handle: async (context) => {
    const { platform, params, headers, ip, body } = context
    const found = await pageOf(context)
    const secret = bearerToken(headers.authorization)
    const id = await checkVisitor(platform, found, { requestId: params.request, secret, ip })
    await limitVerifierRefusals(platform, { tenant: found.tenant, ip }, () =>
      recordReturn(platform, found, { id, responseCode: body.responseCode }),
    )
    return { status: 204, headers: noStore }
  },
})

async function stateAnswer(
  platform: Platform,
  found: PublicPage,
  id: string,
  headers: EndpointContext['headers'],
): Promise<EndpointResponse> {
  const read = () => readVisitState(platform, found, id)
  const isFinal = ({ status }: VisitState) => status !== 'requested'
  const ask = { platform, caller: { tenantId: found.tenant.id }, headers }
  const reply = await conditionalAnswer(ask, { watched: watchedRequests, id, read, isFinal })
  const own = { ...reply.headers, ...noStore }
  return reply.kind === 'raw' ? { status: 304, headers: own } : { status: 200, body: reply.data, headers: own }
}

const PATH = /^\/verify\/([^/?]+)\/(?:about|requests)(?:[/?]|$)/

/** Returns whether pages of an origin may call a path; null if it is no path of a verification page. */
export async function isListedOrigin(
  platform: Pick<Platform, 'store' | 'urls' | 'clock' | 'memory' | 'rateLimiter'>,
  origin: string,
  { path, ip }: { readonly path: string; readonly ip: string },
): Promise<boolean | null> {
  const id = PATH.exec(path)?.[1]
  if (id === undefined) return null
  try {
    return (await getPublicPage(platform, id, ip)).page.origins.includes(origin)
  } catch {
    return false
  }
}

/** What visitors and the sites that embed a page call. */
export const verificationPageEndpoints: readonly Endpoint[] = [describePage, beginRequest, readRequest, returnToRequest]
