import { Type } from 'typebox'
import { heldAnswer } from '../../api/held-answer.ts'
import { filtersOf, listPage, listQuery } from '../../api/list.ts'
import type { Caller } from '../../caller.ts'
import { once } from '../../http/routes/operation.ts'
import { answer, type Route, route } from '../../http/routes/route.ts'
import type { Platform } from '../../platform.ts'
import { knownId } from '../../uuid.ts'
import type { PresentationTemplate } from '../templates/presentation-template.ts'
import { archiveTemplate, createTemplate, replaceTemplate } from '../templates/presentation-templates.ts'
import { PresentationTemplateBody, PresentationTemplateReply } from '../templates/schemas.ts'
import { getPresentationTemplate, listPresentationTemplates } from '../templates/template-store.ts'
import { openRequest } from './create-request.ts'
import { requestStatuses } from './presentation-request.ts'
import { cancelRequest, getMadeRequest, getRequest, listRequests, unsealed } from './presentation-requests.ts'
import { watchedRequests } from './request-store.ts'
import { OpenRequestBody, PresentationRequestReply } from './schemas.ts'
import { showRequest, showTemplate, templateMeta } from './show.ts'

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

const shown = (template: PresentationTemplate) => answer(showTemplate(template), { meta: templateMeta(template) })

const createTemplateRoute = route({
  group: 'creds',
  method: 'POST',
  path: '/templates/presentations',
  tag: 'presentation templates',
  says: 'Adds a presentation template: what to ask a holder for, and what must be true of it.',
  needs: 'verification:write',
  body: PresentationTemplateBody,
  status: 201,
  reply: PresentationTemplateReply,
  faults: [],
  handle: async ({ platform, caller, body, operation }) => {
    const find = (id: string) => readTemplate(platform, caller, id)
    return shown(await once(operation, find, (id) => createTemplate(platform, caller, body, id)))
  },
})

const listTemplatesRoute = route({
  group: 'creds',
  method: 'GET',
  path: '/templates/presentations',
  tag: 'presentation templates',
  says: 'Lists the presentation templates that are not archived.',
  needs: 'verification:read',
  query: TemplateList,
  status: 200,
  reply: Type.Array(PresentationTemplateReply),
  faults: [],
  handle: ({ platform, caller, query, href }) =>
    listPage(
      { query, href },
      (list) => platform.store.single(caller.tenantId, (tx) => listPresentationTemplates(tx, list, filtersOf(query))),
      showTemplate,
    ),
})

const getTemplateRoute = route({
  group: 'creds',
  method: 'GET',
  path: '/templates/presentations/{id}',
  tag: 'presentation templates',
  says: 'Reads a presentation template; what is accepted in requests only stands in `meta`.',
  needs: 'verification:read',
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
  says: 'Replaces a presentation template entirely. Requests made before keep what they were made from.',
  needs: 'verification:write',
  body: PresentationTemplateBody,
  status: 200,
  reply: PresentationTemplateReply,
  faults: ['resource.unknown'],
  handle: async ({ platform, caller, params, body }) =>
    shown(await replaceTemplate(platform, caller, knownId(params.id), body)),
})

const archiveTemplateRoute = route({
  group: 'creds',
  method: 'DELETE',
  path: '/templates/presentations/{id}',
  tag: 'presentation templates',
  says: 'Archives a presentation template. Open requests stay open.',
  needs: 'verification:write',
  status: 200,
  reply: PresentationTemplateReply,
  faults: ['resource.unknown'],
  handle: async ({ platform, caller, params }) => shown(await archiveTemplate(platform, caller, knownId(params.id))),
})

const openRequestRoute = route({
  group: 'creds',
  method: 'POST',
  path: '/presentations/request',
  tag: 'presentation requests',
  says: 'Makes a presentation request to show to a holder.',
  needs: 'verification:write',
  body: OpenRequestBody,
  status: 200,
  reply: PresentationRequestReply,
  faults: ['resource.unknown', 'presentation_template.unsupported', 'certificate.none_active', 'state.conflict'],
  handle: async ({ platform, caller, body, operation }) => {
    const find = (id: string) => getMadeRequest(platform, caller, id)
    const open = async (id: string) => unsealed(platform, caller, await openRequest(platform, caller, body, id))
    return answer(await showRequest(platform, caller, await once(operation, find, open)))
  },
})

const listRequestsRoute = route({
  group: 'creds',
  method: 'GET',
  path: '/presentations',
  tag: 'presentation requests',
  says: 'Lists presentation requests with their results; results of requests with a redirectUri are read one by one, with their code.',
  needs: 'verification:read',
  query: RequestList,
  status: 200,
  reply: Type.Array(PresentationRequestReply),
  faults: [],
  handle: ({ platform, caller, query, href }) =>
    listPage(
      { query, href },
      (list) => listRequests(platform, caller, list, filtersOf(query)),
      (row) => showRequest(platform, caller, row),
    ),
})

const getRequestRoute = route({
  group: 'creds',
  method: 'GET',
  path: '/presentations/{id}',
  tag: 'presentation requests',
  says: 'Reads a presentation request with its result; with `Prefer: wait` when it has changed.',
  holds: true,
  needs: 'verification:read',
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
    const read = async () => showRequest(platform, caller, await getRequest(platform, caller, id, query.responseCode))
    const isFinal = ({ status }: PresentationRequestReply) => status !== 'requested'
    return heldAnswer({ platform, caller, headers }, { watched: watchedRequests, id, read, isFinal })
  },
})

const cancelRequestRoute = route({
  group: 'creds',
  method: 'DELETE',
  path: '/presentations/{id}',
  tag: 'presentation requests',
  says: 'Cancels an open presentation request: it is expired from now on.',
  needs: 'verification:write',
  status: 200,
  reply: PresentationRequestReply,
  faults: ['resource.unknown', 'presentation_request.closed'],
  handle: async ({ platform, caller, params }) =>
    answer(await showRequest(platform, caller, await cancelRequest(platform, caller, knownId(params.id)))),
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
