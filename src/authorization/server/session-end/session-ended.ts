import { type Static, Type } from 'typebox'
import type { TenantId } from '../../../caller.ts'
import { enqueue, type Job, job } from '../../../jobs/job.ts'
import { deleteCodesOfSession } from '../grants/code-store.ts'
import { deleteFamiliesOfSession } from '../grants/family-store.ts'
import { sendLogoutJob } from './send-logout.ts'

const Ended = Type.Object({ tenantId: Type.String(), sessionId: Type.String(), userId: Type.String() })

/**
 * Ends what clients got from a session: unused codes, refresh tokens; and informs each client that asked to be. Access tokens live on for
 * their few minutes. Codes first: a redemption that is under way then has either no code, or a family that is found.
 */
export const sessionEndedJob: Job<Static<typeof Ended>> = job({
  name: 'authorization.session-ended',
  payload: Ended,
  attemptsMax: 20,
  timeoutSeconds: 30,
  run: async ({ store, clock }, { tenantId, sessionId, userId }) =>
    // Written by this server.
    store.inTenant(tenantId as TenantId, async (tx) => {
      await deleteCodesOfSession(tx, sessionId)
      for (const clientId of await deleteFamiliesOfSession(tx, sessionId)) {
        await enqueue(tx, sendLogoutJob, { tenantId, sessionId, userId, clientId }, { now: clock.now() })
      }
    }),
})
