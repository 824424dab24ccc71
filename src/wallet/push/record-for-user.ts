import type { AuditEntry } from '../../events/audit/entry.ts'
import { enqueueEach } from '../../jobs/job.ts'
import type { TenantTx } from '../../store/store.ts'
import { sendPushJob } from './send-push.ts'
import { recordAndQueue } from './subscription-store.ts'

/**
 * Records something that a user has to learn of, and enqueues a message to each of the user's browsers that agreed, in
 * the caller's transaction. A browser for which a message is enqueued gets no second one.
 *
 * @param entry With the user in its detail.
 */
export async function recordForUser(
  tx: TenantTx,
  entry: AuditEntry & { readonly action: 'user.notification' },
  userId: string,
  now: Date,
): Promise<void> {
  const queued = await recordAndQueue(tx, userId, entry, now)
  const payloads = queued.map(({ id }) => ({ subscriptionId: id }))
  await enqueueEach(tx, sendPushJob, payloads, { now, runAt: queued.map(({ notBefore }) => later(notBefore, now)) })
}

function later(one: Date, other: Date): Date {
  return one > other ? one : other
}
