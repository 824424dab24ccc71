import { conditionalTaggedAnswer } from '../../api/held-answer.ts'
import { listAnswer, parseListQuery } from '../../api/list.ts'
import { presentations, type ShownPresentation } from '../../contract/wallet/presentations.ts'
import { describeCaller } from '../../directory/users/describe-caller.ts'
import { once } from '../../http/routes/operation.ts'
import { answer, type Route, serve } from '../../http/routes/route.ts'
import { answerPresentation } from './answer-presentation.ts'
import { startConfirmation } from './confirm-sharing.ts'
import { getPresentation, getVerifierLogo, listShared } from './get-presentation.ts'
import { type PresentationAnswer, preparePresentation } from './prepare-presentation.ts'
import { watchedPresentations } from './presentation-store.ts'

const replyOf = ({ data, meta, etag }: PresentationAnswer) =>
  answer(data, { meta, ...(etag !== undefined && { headers: { etag } }) })
const listRoute = serve(presentations.list, async ({ platform, caller, query, href }) => {
  const list = parseListQuery(query)
  const rows = await listShared(platform, caller, query['filter[status]'] ?? null, list)
  const listed = listAnswer(rows, { href, query, list }, ({ about: _, ...row }) => row)
  const shown = rows.slice(0, list.size).map(({ id, about }) => [id, about] as const)
  return { ...listed, meta: { ...listed.meta, presentations: Object.fromEntries(shown) } }
})

const prepareRoute = serve(presentations.prepare, async ({ platform, caller, body, operation }) => {
  const find = (id: string) => getPresentation(platform, caller, id)
  const prepare = (id: string) => preparePresentation(platform, caller, body.presentationRequest, id)
  return replyOf(await once(operation, find, prepare))
})

const getRoute = serve(presentations.get, ({ platform, caller, params, headers }) => {
  const read = () => getPresentation(platform, caller, params.id, headers['accept-language'])
  const isFinal = ({ status }: ShownPresentation) => status !== 'pending'
  const held = { watched: watchedPresentations, id: params.id, read, isFinal }
  return conditionalTaggedAnswer({ platform, caller, headers }, held)
})

const answerRoute = serve(presentations.answer, async ({ platform, caller, params, body, headers }) =>
  replyOf(await answerPresentation(platform, caller, params.id, body, headers['if-match'])),
)
const logoRoute = serve(presentations.getLogo, async ({ platform, caller, params }) =>
  answer(await getVerifierLogo(platform, caller, params.id)),
)

const confirmRoute = serve(presentations.startConfirmation, async ({ platform, caller, params, body, headers }) =>
  answer(await startConfirmation(platform, caller, params.id, body, headers['if-match'])),
)
const whoamiRoute = serve(presentations.whoami, async ({ platform, caller }) =>
  answer(await describeCaller(platform, caller)),
)

/** Presentations of a holder, and the caller's own record. */
export const presentationRoutes: readonly Route[] = [
  listRoute,
  prepareRoute,
  getRoute,
  answerRoute,
  logoRoute,
  confirmRoute,
  whoamiRoute,
]
