import { Type } from 'typebox'
import { IdParams } from '../../api/id-params.ts'
import { listPage, listQuery } from '../../api/list.ts'
import { describeCaller } from '../../directory/users/describe-caller.ts'
import { once } from '../../http/routes/operation.ts'
import { answer, type Route, route } from '../../http/routes/route.ts'
import { presentationRequestFaults } from '../credentials/refusals.ts'
import { answerPresentation } from './answer-presentation.ts'
import { getPresentation, listShared } from './get-presentation.ts'
import { type PresentationAnswer, preparePresentation } from './prepare-presentation.ts'
import { AnswerBody, CurrentUser, Presentation, PresentationBody, presentationStatuses } from './schemas.ts'

const Status = Type.Enum([...presentationStatuses], { description: 'Only presentations with this status.' })

const base = { group: 'wallet', tag: 'presentations' } as const
const single = {
  ...base,
  path: '/v2/presentations/{id}',
  params: IdParams,
  status: 200,
  reply: Presentation,
  faults: ['holder.missing', 'resource.unknown'],
} as const

const replyOf = ({ data, meta }: PresentationAnswer) => answer(data, { meta })

const listRoute = route({
  ...base,
  method: 'GET',
  path: '/v2/presentations',
  summary: 'Lists the presentation requests to the holder.',
  scope: 'wallet:read',
  query: listQuery({ filters: { status: Status } }),
  status: 200,
  reply: Type.Array(Presentation),
  faults: ['holder.missing'],
  handle: ({ platform, caller, query, href }) =>
    listPage(
      { query, href },
      (list) => listShared(platform, caller, query['filter[status]'] ?? null, list),
      (row) => row,
    ),
})

const prepareRoute = route({
  ...base,
  method: 'POST',
  path: '/v2/presentations',
  summary: 'Fetches a presentation request and proposes an answer. Nothing is sent before the holder shares.',
  scope: 'wallet:write',
  body: PresentationBody,
  status: 201,
  reply: Presentation,
  faults: ['holder.missing', ...presentationRequestFaults],
  handle: async ({ platform, caller, body, operation }) => {
    const find = (id: string) => getPresentation(platform, caller, id)
    const prepare = (id: string) => preparePresentation(platform, caller, body.presentationRequest, id)
    return replyOf(await once(operation, find, prepare))
  },
})

const getRoute = route({
  ...single,
  method: 'GET',
  summary: 'Returns a presentation.',
  scope: 'wallet:read',
  handle: async ({ platform, caller, params }) => replyOf(await getPresentation(platform, caller, params.id)),
})

const answerRoute = route({
  ...single,
  method: 'PATCH',
  summary:
    "Sends the holder's answer to the verifier: credentials or a refusal. A repetition of the call resends an answer that the verifier did not confirm.",
  scope: 'wallet:write',
  body: AnswerBody,
  faults: [
    ...single.faults,
    'state.invalid',
    'credential.unmatched',
    'presentation.undelivered',
    'presentation.postponed',
    'presentation.unconfirmed',
    'upstream.unreachable',
    'upstream.timeout',
  ],
  handle: async ({ platform, caller, params, body }) =>
    replyOf(await answerPresentation(platform, caller, params.id, body)),
})

const whoamiRoute = route({
  ...base,
  method: 'GET',
  path: '/v2/whoami',
  summary: 'Returns the caller.',
  scope: 'wallet:read',
  status: 200,
  reply: CurrentUser,
  faults: [],
  handle: async ({ platform, caller }) => answer(await describeCaller(platform, caller)),
})

/** Presentations of a holder, and the caller's own record. */
export const presentationRoutes: readonly Route[] = [listRoute, prepareRoute, getRoute, answerRoute, whoamiRoute]
