import { Type } from 'typebox'
import { type Role, roles } from '../../caller.ts'
import { type Job, job } from '../../jobs/job.ts'
import { destroyUserRow } from './write-user-store.ts'

/** Days after which the wallet of a deleted user is destroyed. */
export const GRACE_DAYS = 30

/** Destroys a user when the days of grace are over. It does nothing if the user was restored, or deleted anew, meanwhile. */
export const destroyUserJob = job({
  name: 'directory.destroy-user',
  payload: Type.Object({ userId: Type.String() }, { additionalProperties: false }),
  attemptsMax: 20,
  timeoutSeconds: 60,
  run: async ({ store, clock }, { userId }, _signal, { tenantId }) => {
    const now = clock.now()
    const deletedBy = new Date(now.getTime() - GRACE_DAYS * 86_400_000)
    // Object.keys loses the type of the keys.
    const by = { roles: Object.keys(roles) as Role[], now }
    const entry = { action: 'user.destroyed', subject: { kind: 'user', id: userId }, by: 'system' } as const
    await store.single(tenantId, (tx) => destroyUserRow(tx, userId, deletedBy, by, entry))
  },
})

/** Jobs of the directory. */
export const directoryJobs: readonly Job<never>[] = [destroyUserJob]
