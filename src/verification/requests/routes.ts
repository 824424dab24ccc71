import { Type } from 'typebox'
import { conditionalAnswer } from '../../api/held-answer.ts'
import { filtersOf, listPage, listQuery } from '../../api/list.ts'
import type { Caller } from '../../caller.ts'
import { once } from '../../http/routes/operation.ts'
import { answer, type Route, route } from '../../http/routes/route.ts'
import type { Platform } from '../../platform.ts'
import { knownId } from '../../uuid.ts'
import type { PresentationTemplate } from '../templates/presentation-template.ts'
import {
  archiveTemplateOf,
  createPresentationTemplate,
  replaceTemplateOf,
} from '../templates/presentation-templates.ts'
import { PresentationTemplateBody, PresentationTemplateReply } from '../templates/schemas.ts'
import { getPresentationTemplate, listPresentationTemplates } from '../templates/template-store.ts'
import { createPresentationRequest } from './create-request.ts'
import { requestStatuses } from './presentation-request.ts'
import {
  cancelPresentation,
  getMadeRequest,
  getPresentationRequest,
  listRequestPage,
  unsealed,
} from './presentation-requests.ts'
import { watchedRequests } from './request-store.ts'
import { CreateRequestBody, PresentationRequestReply } from './schemas.ts'
import { showPresentationTemplate, showRequest, templateMeta } from './show.ts'

const TemplateList = listQuery({ sorts: ['createdAt', 'name'], searches: ['name'] })
const RequestList = listQuery({
  filters: {
    status: Type.Enum([...requestStatuses]),
    reference: Type.String({ minLength: 1, maxLength: 200 }),
    presentationTemplateId: Type.String({ format: 'uuid' }),
  },
})

function readTemplate({ store }: Pick<Platform, 'store'>, { tenantId }: Caller, id: string) {
  return store.single(tenantId, (tx) => getPresentationTemplate(tx, id))
}

const shown = (template: PresentationTemplate) =>
  answer(showPresentationTemplate(template), { meta: templateMeta(template) })

const createTemplateRoute = route({
  group: 'creds',
  method: 'POST',
  path: '/templates/presentations',
  tag: 'presentation templates',
  summary: 'Adds a presentation template: what to ask a holder for, and what must be true of it.',
  scope: 'verification:write',
  body: PresentationTemplateBody,
  status: 201,
  reply: PresentationTemplateReply,
  faults: [],
  handle: async ({ platform, caller, body, operation }) => {
    const find = (id: string) => readTemplate(platform, caller, id)
    return shown(await once(operation, find, (id) => createPresentationTemplate(platform, caller, body, id)))
  },
})

const listTemplatesRoute = route({
  group: 'creds',
  method: 'GET',
  path: '/templates/presentations',
  tag: 'presentation templates',
  summary: 'Lists the presentation templates that are not archived.',
  scope: 'verification:read',
  query: TemplateList,
  status: 200,
  reply: Type.Array(PresentationTemplateReply),
  faults: [],
  handle: ({ platform, caller, query, href }) =>
    listPage(
      { query, href },
      (list) => platform.store.single(caller.tenantId, (tx) => listPresentationTemplates(tx, list, filtersOf(query))),
      showPresentationTemplate,
    ),
})

const getTemplateRoute = route({
  group: 'creds',
  method: 'GET',
  path: '/templates/presentations/{id}',
  tag: 'presentation templates',
  summary: 'Reads a presentation template; what is accepted in requests only stands in `meta`.',
  scope: 'verification:read',
  status: 200,
  reply: PresentationTemplateReply,
  faults: ['resource.unknown'],
  handle: async ({ platform, caller, params }) => shown(await readTemplate(platform, caller, knownId(params.id))),
})

const replaceTemplateRoute = route({
  group: 'creds',
  method: 'PUT',
  path: '/templates/presentations/{id}',
  tag: 'presentation templates',
  summary: 'Replaces a presentation template entirely. Requests made before keep what they were made from.',
  scope: 'verification:write',
  body: PresentationTemplateBody,
  status: 200,
  reply: PresentationTemplateReply,
  faults: ['resource.unknown'],
  handle: async ({ platform, caller, params, body }) =>
    shown(await replaceTemplateOf(platform, caller, knownId(params.id), body)),
})

const archiveTemplateRoute = route({
  group: 'creds',
  method: 'DELETE',
  path: '/templates/presentations/{id}',
  tag: 'presentation templates',
  summary: 'Archives a presentation template. Open requests stay open.',
  scope: 'verification:write',
  status: 200,
  reply: PresentationTemplateReply,
  faults: ['resource.unknown'],
  handle: async ({ platform, caller, params }) => shown(await archiveTemplateOf(platform, caller, knownId(params.id))),
})

const openRequestRoute = route({
  group: 'creds',
  method: 'POST',
  path: '/presentations/request',
  tag: 'presentation requests',
  summary: 'Makes a presentation request to show to a holder.',
  scope: 'verification:write',
  body: CreateRequestBody,
  status: 200,
  reply: PresentationRequestReply,
  faults: ['resource.unknown', 'presentation_template.unsupported', 'certificate.none_active', 'state.conflict'],
  handle: async ({ platform, caller, body, operation }) => {
    const find = (id: string) => getMadeRequest(platform, caller, id)
    const open = async (id: string) =>
      unsealed(platform, caller, await createPresentationRequest(platform, caller, body, id))
    return answer(await showRequest(platform, caller, await once(operation, find, open)))
  },
})

const listRequestsRoute = route({
  group: 'creds',
  method: 'GET',
  path: '/presentations',
  tag: 'presentation requests',
  summary:
    'Lists presentation requests with their results; results of requests with a redirectUri are read one by one, with their code.',
  scope: 'verification:read',
  query: RequestList,
  status: 200,
  reply: Type.Array(PresentationRequestReply),
  faults: [],
  handle: ({ platform, caller, query, href }) =>
    listPage(
      { query, href },
      (list) => listRequestPage(platform, caller, list, filtersOf(query)),
      (row) => showRequest(platform, caller, row),
    ),
})

const getRequestRoute = route({
  group: 'creds',
  method: 'GET',
  path: '/presentations/{id}',
  tag: 'presentation requests',
  summary: 'Reads a presentation request with its result; with `Prefer: wait` when it has changed.',
  longPoll: true,
  scope: 'verification:read',
  query: Type.Object(
    {
      responseCode: Type.Optional(
        Type.String({
          maxLength: 128,
          description:
            'The `response_code` that came back with the browser. A request with a `redirectUri` shows its result only with its code: 403 without, 404 with another.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  status: 200,
  reply: PresentationRequestReply,
  faults: ['resource.unknown', 'presentation_request.response_code'],
  handle: ({ platform, caller, params, query, headers }) => {
    const id = knownId(params.id)
    const read = async () =>
      showRequest(platform, caller, await getPresentationRequest(platform, caller, id, query.responseCode))
    const isFinal = ({ status }: PresentationRequestReply) => status !== 'requested'
    return conditionalAnswer({ platform, caller, headers }, { watched: watchedRequests, id, read, isFinal })
  },
})

const cancelRequestRoute = route({
  group: 'creds',
  method: 'DELETE',
  path: '/presentations/{id}',
  tag: 'presentation requests',
  summary: 'Cancels an open presentation request: it is expired from now on.',
  scope: 'verification:write',
  status: 200,
  reply: PresentationRequestReply,
  faults: ['resource.unknown', 'presentation_request.closed'],
  handle: async ({ platform, caller, params }) =>
    answer(await showRequest(platform, caller, await cancelPresentation(platform, caller, knownId(params.id)))),
})

/** Presentation templates, requests and results. */
export const verificationRoutes: readonly Route[] = [
  createTemplateRoute,
  listTemplatesRoute,
  getTemplateRoute,
  replaceTemplateRoute,
  archiveTemplateRoute,
  openRequestRoute,
  listRequestsRoute,
  getRequestRoute,
  cancelRequestRoute,
]
