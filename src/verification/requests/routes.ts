import { conditionalAnswer } from '../../api/held-answer.ts'
import { serveList } from '../../api/serve-list.ts'
import type { Caller } from '../../caller.ts'
import {
  type PresentationRequestReply,
  presentationRequests,
} from '../../contract/verification/presentation-requests.ts'
import { presentationTemplates } from '../../contract/verification/presentation-templates.ts'
import { entityTagOf, isSame } from '../../http/routes/entity-tag.ts'
import { once } from '../../http/routes/operation.ts'
import { answer, type Route, serve } from '../../http/routes/route.ts'
import type { Platform } from '../../platform.ts'
import { knownId } from '../../uuid.ts'
import type { PresentationTemplate } from '../templates/presentation-template.ts'
import {
  archivePresentationTemplate,
  createPresentationTemplate,
  replacePresentationTemplate,
} from '../templates/presentation-templates.ts'
import { requestedViolations } from '../templates/read-template.ts'
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
import { showPresentationTemplate, showRequest, templateMeta } from './show.ts'

function readTemplate({ store }: Pick<Platform, 'store'>, { tenantId }: Caller, id: string) {
  return store.single(tenantId, (tx) => getPresentationTemplate(tx, id))
}

const replyOf = (template: PresentationTemplate) =>
  answer(showPresentationTemplate(template), { meta: templateMeta(template), headers: { etag: tagOf(template) } })

function tagOf({ id, updatedAt }: PresentationTemplate): string {
  return entityTagOf(`${id} ${updatedAt.toISOString()}`)
}

const createTemplateRoute = serve(
  presentationTemplates.create,
  async ({ platform, caller, body, operation }) => {
    const find = (id: string) => readTemplate(platform, caller, id)
    return replyOf(await once(operation, find, (id) => createPresentationTemplate(platform, caller, body, id)))
  },
  { moreViolations: requestedViolations },
)

const listTemplatesRoute = serveList(presentationTemplates.list, {
  read: ({ platform, caller }, list, filters) =>
    platform.store.single(caller.tenantId, (tx) => listPresentationTemplates(tx, list, filters)),
  show: showPresentationTemplate,
})

const getTemplateRoute = serve(presentationTemplates.get, async ({ platform, caller, params }) =>
  replyOf(await readTemplate(platform, caller, knownId(params.id))),
)

const replaceTemplateRoute = serve(
  presentationTemplates.replace,
  async ({ platform, caller, params, body, headers }) => {
    const ifMatch = headers['if-match']
    const isExpected = ifMatch === undefined ? undefined : (now: PresentationTemplate) => isSame(ifMatch, tagOf(now))
    return replyOf(await replacePresentationTemplate(platform, caller, knownId(params.id), body, isExpected))
  },
  { moreViolations: requestedViolations },
)

const archiveTemplateRoute = serve(presentationTemplates.archive, async ({ platform, caller, params }) =>
  replyOf(await archivePresentationTemplate(platform, caller, knownId(params.id))),
)

const createRequestRoute = serve(presentationRequests.create, async ({ platform, caller, body, operation }) => {
  const find = (id: string) => getCreatedRequest(platform, caller, id)
  const create = async (id: string) =>
    unsealResult(platform, caller, await createPresentationRequest(platform, caller, body, id))
  return answer(await showRequest(platform, caller, await once(operation, find, create)))
})

const listRequestsRoute = serveList(presentationRequests.list, {
  read: ({ platform, caller }, list, filters) => listRequestPage(platform, caller, list, filters),
  show: (row, { platform, caller }) => showRequest(platform, caller, row),
})

const getRequestRoute = serve(presentationRequests.get, ({ platform, caller, params, query, headers }) => {
  const id = knownId(params.id)
  const read = async () => showRequest(platform, caller, await getPresentationRequest(platform, caller, id, query))
  const isFinal = ({ status }: PresentationRequestReply) => status !== 'requested'
  return conditionalAnswer({ platform, caller, headers }, { watched: watchedRequests, id, read, isFinal })
})

const cancelRequestRoute = serve(presentationRequests.cancel, async ({ platform, caller, params }) =>
  answer(await showRequest(platform, caller, await cancelPresentation(platform, caller, knownId(params.id)))),
)

const deleteClaimsRoute = serve(presentationRequests.deleteClaims, async ({ platform, caller, params }) =>
  answer(await showRequest(platform, caller, await eraseResult(platform, caller, knownId(params.id)))),
)

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
