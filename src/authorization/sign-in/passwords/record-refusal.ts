import { Type } from 'typebox'
import type { TenantId } from '../../../caller.ts'
import { record } from '../../../events/audit/record.ts'
import { job } from '../../../jobs/job.ts'
import { UUID_PATTERN } from '../../../uuid.ts'
import { anonymous } from '../visit.ts'

const Id = Type.String({ pattern: UUID_PATTERN })

/**
 * Records a refused sign-in in the audit trail of each user whose name was given. It is a job, so that a sign-in with
 * an unknown name writes as much as one with a known name before it is answered. A run that fails half-way records some
 * refusals twice.
 */
export const recordRefusalJob = job({
  name: 'authorization.record-refused-sign-in',
  payload: Type.Object(
    {
      users: Type.Array(Type.Object({ tenantId: Id, userId: Id }, { additionalProperties: false }), { maxItems: 10 }),
      ip: Type.String(),
      requestId: Type.String(),
      isNewLock: Type.Boolean(),
    },
    { additionalProperties: false },
  ),
  attemptsMax: 5,
  timeoutSeconds: 30,
  run: async ({ store, clock }, { users, isNewLock, ...from }) => {
    const now = clock.now()
    for (const { tenantId, userId } of users) {
      const subject = { kind: 'user', id: userId } as const
      const entry = { subject, by: anonymous(from), result: 'refused' } as const
      // The payload was written by this server.
      await store.inTenant(tenantId as TenantId, async (tx) => {
        await record(tx, { ...entry, action: 'user.authenticated' }, now)
        if (isNewLock) await record(tx, { ...entry, action: 'user.locked' }, now)
      })
    }
  },
})
