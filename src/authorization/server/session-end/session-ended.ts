import { type Static, Type } from 'typebox'
import type { TenantId } from '../../../caller.ts'
import { enqueueEach, enqueueMissing, type Job, job } from '../../../jobs/job.ts'
import type { TenantTx } from '../../../store/store.ts'
import { deleteCodesOfSession } from '../grants/code-store.ts'
import { deleteFamiliesOfSession, listClientsOfSession } from '../grants/family-store.ts'
import { sendLogoutJob } from './send-logout.ts'
import { requeueUnfinishedEnds } from './unfinished-end-store.ts'

const Ended = Type.Object({ tenantId: Type.String(), sessionId: Type.String(), userId: Type.String() })

/**
 * Ends what clients got from a session: unused codes, refresh tokens; and informs each client that asked to be. Access
 * tokens live on for their few minutes. Codes first: a redemption that is under way then has either no code, or a
 * family that is found. The families, by which the clients are found, are deleted once the messages are enqueued: a run
 * that ends before is repeated, and a client may be informed twice.
 */
export const sessionEndedJob: Job<Static<typeof Ended>> = job({
  name: 'authorization.session-ended',
  payload: Ended,
  attemptsMax: 20,
  timeoutSeconds: 30,
  run: async ({ store, clock }, { tenantId, sessionId, userId }) => {
    // Written by this server.
    const id = tenantId as TenantId
    await store.single(id, (tx) => deleteCodesOfSession(tx, sessionId))
    await store.inTenant(id, async (tx) => {
      const clientIds = await listClientsOfSession(tx, sessionId)
      const payloads = clientIds.map((clientId) => ({ tenantId, sessionId, userId, clientId }))
      await enqueueEach(tx, sendLogoutJob, payloads, { now: clock.now() })
    })
    await store.single(id, (tx) => deleteFamiliesOfSession(tx, sessionId))
  },
})

/** Enqueues the missing jobs of sessions that have ended, while clients have families of them. */
export async function requeueSessionEnds(tx: TenantTx, now: Date, limit: number): Promise<number> {
  const found = await requeueUnfinishedEnds(tx, now, limit)
  const sessions = new Map(found.map(({ sessionId, userId }) => [sessionId, userId]))
  const payloads = [...sessions].map(([sessionId, userId]) => ({ tenantId: tx.tenantId, sessionId, userId }))
  await enqueueMissing(tx, sessionEndedJob, payloads, now)
  return found.length
}
