import { Type } from 'typebox'
import { conditionalAnswer } from '../../api/held-answer.ts'
import { listQuery } from '../../api/list.ts'
import { routeGroup } from '../../api/route-group.ts'
import type { Caller } from '../../caller.ts'
import { entityTagOf, isSame } from '../../http/routes/entity-tag.ts'
import { once } from '../../http/routes/operation.ts'
import { answer, type Route } from '../../http/routes/route.ts'
import type { Platform } from '../../platform.ts'
import { knownId } from '../../uuid.ts'
import type { PresentationTemplate } from '../templates/presentation-template.ts'
import {
  archivePresentationTemplate,
  createPresentationTemplate,
  replacePresentationTemplate,
} from '../templates/presentation-templates.ts'
import { attributeViolations } from '../templates/read-template.ts'
import { PresentationTemplateBody, PresentationTemplateMeta, PresentationTemplateReply } from '../templates/schemas.ts'
import { getPresentationTemplate, listPresentationTemplates } from '../templates/template-store.ts'
import { createPresentationRequest } from './create-request.ts'
import {
  cancelPresentation,
  eraseResult,
  getCreatedRequest,
  getPresentationRequest,
  listRequestPage,
  unsealResult,
} from './presentation-requests.ts'
import { watchedRequests } from './request-store.ts'
import { CreateRequestBody, PresentationRequestReply } from './schemas.ts'
import { showPresentationTemplate, showRequest, templateMeta } from './show.ts'

const TemplateList = listQuery({
  sorts: ['createdAt', 'name'],
  searches: ['name'],
  filters: {
    type: Type.String({
      ...{ minLength: 1, maxLength: 512 },
      description: 'Only those that ask for a credential of this type: a VCT or document type.',
    }),
  },
})
const RequestList = listQuery({
  filters: {
    status: PresentationRequestReply.properties.status,
    reference: Type.String({ minLength: 1, maxLength: 200 }),
    presentationTemplateId: Type.String({ format: 'uuid' }),
    createdAfter: Type.String({ format: 'date-time' }),
    createdBefore: Type.String({ format: 'date-time' }),
  },
})

function readTemplate({ store }: Pick<Platform, 'store'>, { tenantId }: Caller, id: string) {
  return store.single(tenantId, (tx) => getPresentationTemplate(tx, id))
}

const replyOf = (template: PresentationTemplate) =>
  answer(showPresentationTemplate(template), { meta: templateMeta(template), headers: { etag: tagOf(template) } })

function tagOf({ id, updatedAt }: PresentationTemplate): string {
  return entityTagOf(`${id} ${updatedAt.toISOString()}`)
}

const common = { group: 'creds', scope: { read: 'verification:read', write: 'verification:write' } } as const
const templates = routeGroup({
  ...common,
  tag: 'presentation templates',
  path: '/templates/presentations',
  reply: PresentationTemplateReply,
  meta: PresentationTemplateMeta,
  replyHeaders: ['ETag'],
})
const requests = routeGroup({
  ...common,
  tag: 'presentation requests',
  path: '/presentations',
  reply: PresentationRequestReply,
})

const createTemplateRoute = templates.post('', {
  summary:
    'Creates a presentation template: the credentials and claims to request, and the conditions on their values.',
  body: PresentationTemplateBody,
  moreViolations: attributeViolations,
  status: 201,
  handle: async ({ platform, caller, body, operation }) => {
    const find = (id: string) => readTemplate(platform, caller, id)
    return replyOf(await once(operation, find, (id) => createPresentationTemplate(platform, caller, body, id)))
  },
})

const listTemplatesRoute = templates.list('', {
  summary: 'Lists the presentation templates that are not archived.',
  query: TemplateList,
  read: ({ platform, caller }, list, filters) =>
    platform.store.single(caller.tenantId, (tx) => listPresentationTemplates(tx, list, filters)),
  show: showPresentationTemplate,
})

const getTemplateRoute = templates.get('/{id}', {
  summary: 'Returns a presentation template; the members that are accepted in request bodies only are in `meta`.',
  handle: async ({ platform, caller, params }) => replyOf(await readTemplate(platform, caller, knownId(params.id))),
})

const replaceTemplateRoute = templates.put('/{id}', {
  summary: 'Replaces a presentation template entirely. Existing requests keep their copy of it.',
  body: PresentationTemplateBody,
  moreViolations: attributeViolations,
  ifMatch: true,
  faults: ['resource.changed'],
  handle: async ({ platform, caller, params, body, headers }) => {
    const ifMatch = headers['if-match']
    const isExpected = ifMatch === undefined ? undefined : (now: PresentationTemplate) => isSame(ifMatch, tagOf(now))
    return replyOf(await replacePresentationTemplate(platform, caller, knownId(params.id), body, isExpected))
  },
})

const archiveTemplateRoute = templates.delete('/{id}', {
  operationId: 'archivePresentationTemplate',
  summary: 'Archives a presentation template. Open requests stay open.',
  handle: async ({ platform, caller, params }) =>
    replyOf(await archivePresentationTemplate(platform, caller, knownId(params.id))),
})

const createRequestRoute = requests.post('/request', {
  summary: 'Creates a presentation request to show to a holder.',
  body: CreateRequestBody,
  faults: ['resource.unknown', 'certificate.none_active', 'state.conflict'],
  handle: async ({ platform, caller, body, operation }) => {
    const find = (id: string) => getCreatedRequest(platform, caller, id)
    const create = async (id: string) =>
      unsealResult(platform, caller, await createPresentationRequest(platform, caller, body, id))
    return answer(await showRequest(platform, caller, await once(operation, find, create)))
  },
})

const listRequestsRoute = requests.list('', {
  summary:
    'Lists presentation requests with their results. The result of a request with a redirectUri is returned only by GET with its response code.',
  query: RequestList,
  read: ({ platform, caller }, list, filters) => listRequestPage(platform, caller, list, filters),
  show: (row, { platform, caller }) => showRequest(platform, caller, row),
})

const getRequestRoute = requests.get('/{id}', {
  summary: 'Returns a presentation request with its result; with `Prefer: wait` after the next change.',
  longPoll: true,
  query: Type.Object(
    {
      responseCode: Type.Optional(
        Type.String({
          maxLength: 128,
          description:
            'The `response_code` from the redirect of the browser. The result of a request with a `redirectUri` requires it: 403 without, 404 with another.',
        }),
      ),
      browserSession: Type.Optional(
        Type.String({
          maxLength: 256,
          description:
            'The value that the request was created with. The result of such a request requires it: 403 without, 404 with another.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  faults: ['presentation_request.response_code'],
  handle: ({ platform, caller, params, query, headers }) => {
    const id = knownId(params.id)
    const read = async () => showRequest(platform, caller, await getPresentationRequest(platform, caller, id, query))
    const isFinal = ({ status }: PresentationRequestReply) => status !== 'requested'
    return conditionalAnswer({ platform, caller, headers }, { watched: watchedRequests, id, read, isFinal })
  },
})

const cancelRequestRoute = requests.delete('/{id}', {
  operationId: 'cancelPresentationRequest',
  summary: 'Cancels an open presentation request; its status becomes `expired`.',
  faults: ['presentation_request.closed'],
  handle: async ({ platform, caller, params }) =>
    answer(await showRequest(platform, caller, await cancelPresentation(platform, caller, knownId(params.id)))),
})

const deleteClaimsRoute = requests.delete('/{id}/claims', {
  operationId: 'deletePresentationClaims',
  summary: 'Erases claims and findings of an answered presentation request now, before their retention ends.',
  faults: ['state.invalid'],
  handle: async ({ platform, caller, params }) =>
    answer(await showRequest(platform, caller, await eraseResult(platform, caller, knownId(params.id)))),
})

/** Presentation templates and requests. */
export const verificationRoutes: readonly Route[] = [
  createTemplateRoute,
  listTemplatesRoute,
  getTemplateRoute,
  replaceTemplateRoute,
  archiveTemplateRoute,
  createRequestRoute,
  listRequestsRoute,
  getRequestRoute,
  cancelRequestRoute,
  deleteClaimsRoute,
]
