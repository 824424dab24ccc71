import { Type } from 'typebox'
import { conditionalTaggedAnswer } from '../../api/held-answer.ts'
import { IdParams } from '../../api/id-params.ts'
import { listAnswer, listQuery, PageMeta, parseListQuery } from '../../api/list.ts'
import { routeGroup } from '../../api/route-group.ts'
import { describeCaller } from '../../directory/users/describe-caller.ts'
import { once } from '../../http/routes/operation.ts'
import { answer, type Route } from '../../http/routes/route.ts'
import { presentationRequestFaults } from '../credentials/refusals.ts'
import { CardImage } from '../display/schemas.ts'
import { answerPresentation } from './answer-presentation.ts'
import { startConfirmation } from './confirm-sharing.ts'
import { getPresentation, getVerifierLogo, listShared } from './get-presentation.ts'
import { type PresentationAnswer, preparePresentation } from './prepare-presentation.ts'
import { watchedPresentations } from './presentation-store.ts'
import {
  AnswerBody,
  Confirmation,
  ConfirmationBody,
  CurrentUser,
  Presentation,
  PresentationBody,
  PresentationMeta,
  PresentationSummary,
  presentationStatuses,
  type ShownPresentation,
} from './schemas.ts'

const Status = Type.Enum([...presentationStatuses], { description: 'Only presentations with this status.' })

const presentations = routeGroup({
  ...{ group: 'wallet', tag: 'presentations', params: IdParams },
  ...{ reply: Presentation, meta: PresentationMeta, faults: ['holder.missing'] },
  scope: { read: 'wallet:read', write: 'wallet:write' },
})

const replyOf = ({ data, meta, etag }: PresentationAnswer) =>
  answer(data, { meta, ...(etag !== undefined && { headers: { etag } }) })

const PresentationListQuery = listQuery({ filters: { status: Status } })

const listRoute = presentations.get('/v2/presentations', {
  summary: 'Lists the presentation requests to the holder.',
  query: PresentationListQuery,
  reply: Type.Array(Presentation),
  meta: Type.Object({
    ...PageMeta.properties,
    presentations: Type.Record(Type.String(), PresentationSummary, { description: 'More about each, by id.' }),
  }),
  handle: async ({ platform, caller, query, href }) => {
    const list = parseListQuery(query)
    const rows = await listShared(platform, caller, query['filter[status]'] ?? null, list)
    const listed = listAnswer(rows, { href, query, list }, ({ about: _, ...row }) => row)
    const shown = rows.slice(0, list.size).map(({ id, about }) => [id, about] as const)
    return { ...listed, meta: { ...listed.meta, presentations: Object.fromEntries(shown) } }
  },
})

const prepareRoute = presentations.post('/v2/presentations', {
  replyHeaders: ['ETag'],
  summary: 'Fetches a presentation request and proposes an answer. Nothing is sent before the holder shares.',
  body: PresentationBody,
  status: 201,
  faults: presentationRequestFaults,
  handle: async ({ platform, caller, body, operation }) => {
    const find = (id: string) => getPresentation(platform, caller, id)
    const prepare = (id: string) => preparePresentation(platform, caller, body.presentationRequest, id)
    return replyOf(await once(operation, find, prepare))
  },
})

const getRoute = presentations.get('/v2/presentations/{id}', {
  summary:
    'Returns a presentation; while it is pending, with the claims and values that would leave. Its `ETag` changes with what the holder is shown. With `Prefer: wait`, once it is not pending any more.',
  longPoll: true,
  handle: ({ platform, caller, params, headers }) => {
    const read = () => getPresentation(platform, caller, params.id, headers['accept-language'])
    const isFinal = ({ status }: ShownPresentation) => status !== 'pending'
    const held = { watched: watchedPresentations, id: params.id, read, isFinal }
    return conditionalTaggedAnswer({ platform, caller, headers }, held)
  },
})

const answerRoute = presentations.patch('/v2/presentations/{id}', {
  replyHeaders: ['ETag'],
  operationId: 'answerPresentation',
  summary:
    "Sends the holder's answer to the verifier: credentials or a refusal. A repetition of the call resends an answer that the verifier did not confirm.",
  body: AnswerBody,
  ifMatch: true,
  faults: [
    'resource.changed',
    'state.invalid',
    'credential.unmatched',
    'presentation.confirmation_required',
    'presentation.undelivered',
    'presentation.postponed',
    'presentation.unconfirmed',
    'upstream.unreachable',
    'upstream.timeout',
  ],
  handle: async ({ platform, caller, params, body, headers }) =>
    replyOf(await answerPresentation(platform, caller, params.id, body, headers['if-match'])),
})

/** Of one presentation, but no presentation. */
const parts = routeGroup({
  ...{ group: 'wallet', tag: 'presentations', params: IdParams, faults: ['holder.missing'] },
  scope: 'wallet:write',
})

const logoRoute = parts.get('/v2/presentations/{id}/logo', {
  operationId: 'getVerifierLogo',
  summary: 'Returns the logo of a verifier whom the organisation knows, as it was fetched when the request arrived.',
  scope: 'wallet:read',
  reply: CardImage,
  handle: async ({ platform, caller, params }) => answer(await getVerifierLogo(platform, caller, params.id)),
})

const confirmRoute = parts.post('/v2/presentations/{id}/confirmation', {
  operationId: 'requestConfirmation',
  summary:
    'Starts the sign-in by which a person confirms one answer, where the organisation wants that. Send the person to the authorization endpoint with `prompt=login` and this `nonce`; the ID token is the `confirmation` of PATCH, for the same credentials and as long as nothing has changed.',
  body: ConfirmationBody,
  reply: Confirmation,
  ifMatch: true,
  faults: ['resource.changed', 'state.invalid'],
  handle: async ({ platform, caller, params, body, headers }) =>
    answer(await startConfirmation(platform, caller, params.id, body, headers['if-match'])),
})

const caller = routeGroup({ group: 'wallet', tag: 'presentations', scope: 'wallet:read' })

const whoamiRoute = caller.get('/v2/whoami', {
  summary: 'Returns the caller.',
  reply: CurrentUser,
  handle: async ({ platform, caller }) => answer(await describeCaller(platform, caller)),
})

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
