import { Type } from 'typebox'
import type { UserId } from '../../caller.ts'
import { job } from '../../jobs/job.ts'
import { UUID_PATTERN } from '../../uuid.ts'
import { endEarlierSessions } from './session.ts'

/**
 * Ends the sessions of a user who was disabled or deleted, and so what clients got from them. Sessions that started
 * after that, since the user was enabled again, stay.
 */
export const endSessionsOfUserJob = job({
  name: 'authorization.end-sessions-of-user',
  payload: Type.Object(
    { userId: Type.String({ pattern: UUID_PATTERN }), before: Type.String({ format: 'date-time' }) },
    { additionalProperties: false },
  ),
  attemptsMax: 20,
  timeoutSeconds: 30,
  run: async ({ store, clock }, { userId, before }, _signal, { tenantId }) =>
    store.inTenant(tenantId, (tx) =>
      // The payload was written by this server.
      endEarlierSessions(tx, userId as UserId, new Date(before), 'system', clock.now()),
    ),
})
