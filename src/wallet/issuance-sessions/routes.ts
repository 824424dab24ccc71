import { conditionalAnswer } from '../../api/held-answer.ts'
import { type IssuanceSession, issuanceSessions } from '../../contract/wallet/issuance-sessions.ts'
import { once } from '../../http/routes/operation.ts'
import { answer, type Route, serve } from '../../http/routes/route.ts'
import { knownId } from '../../uuid.ts'
import { createSession } from './create-session.ts'
import { watchedSessions } from './session-store.ts'
import { getSession } from './show-session.ts'

const createRoute = serve(issuanceSessions.create, async ({ platform, caller, body, operation }) => {
  const find = (id: string) => getSession(platform, caller, id)
  const make = async (id: string) => {
    await createSession(platform, caller, body, id)
    return find(id)
  }
  return answer(await once(operation, find, make))
})

const getRoute = serve(issuanceSessions.get, ({ platform, caller, params, headers }) => {
  const id = knownId(params.id)
  const read = () => getSession(platform, caller, id)
  const isFinal = ({ status }: IssuanceSession) => status !== 'pending' && status !== 'redeeming'
  return conditionalAnswer({ platform, caller, headers }, { watched: watchedSessions, id, read, isFinal })
})

/** Issuance sessions, in our API. */
export const issuanceSessionRoutes: readonly Route[] = [createRoute, getRoute]
