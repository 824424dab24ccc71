import { conditionalAnswer } from '../../api/held-answer.ts'
import { IdParams } from '../../api/id-params.ts'
import { routeGroup } from '../../api/route-group.ts'
import { once } from '../../http/routes/operation.ts'
import { answer, type Route } from '../../http/routes/route.ts'
import { knownId } from '../../uuid.ts'
import { previewFaults } from '../credentials/refusals.ts'
import { createSession } from './create-session.ts'
import { IssuanceSession, SessionBody } from './schemas.ts'
import { watchedSessions } from './session-store.ts'
import { getSession } from './show-session.ts'

const sessions = routeGroup({
  ...{ group: 'wallet', tag: 'credentials', path: '/v2/issuance-sessions', params: IdParams },
  ...{ reply: IssuanceSession, faults: ['holder.missing'] },
  scope: { read: 'wallet:read', write: 'wallet:write' },
})

const createRoute = sessions.post('', {
  summary: 'Prepares the sign-in of the holder at an issuer, and returns the address that the holder opens.',
  body: SessionBody,
  status: 201,
  faults: ['request.invalid', 'state.invalid', 'issuer_answer.invalid', ...previewFaults],
  handle: async ({ platform, caller, body, operation }) => {
    const find = (id: string) => getSession(platform, caller, id)
    const make = async (id: string) => {
      await createSession(platform, caller, body, id)
      return find(id)
    }
    return answer(await once(operation, find, make))
  },
})

const getRoute = sessions.get('/{id}', {
  summary: 'Returns an issuance session; with `Prefer: wait`, once its status has changed.',
  longPoll: true,
  handle: ({ platform, caller, params, headers }) => {
    const id = knownId(params.id)
    const read = () => getSession(platform, caller, id)
    const isFinal = ({ status }: IssuanceSession) => status !== 'pending' && status !== 'redeeming'
    return conditionalAnswer({ platform, caller, headers }, { watched: watchedSessions, id, read, isFinal })
  },
})

/** Issuance sessions, in our API. */
export const issuanceSessionRoutes: readonly Route[] = [createRoute, getRoute]
