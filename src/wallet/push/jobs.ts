import { Type } from 'typebox'
import { type Job, job } from '../../jobs/job.ts'
import { UUID_PATTERN } from '../../uuid.ts'
import { sendPushJob } from './send-push.ts'
import { deleteSubscriptionsUntil } from './subscription-store.ts'

/** Ends the messages to a user whose sessions were all ended. The sign-in enqueues it under this name. Idempotent. */
const deletePushSubscriptionsJob = job({
  name: 'wallet.delete-push-subscriptions',
  payload: Type.Object(
    { userId: Type.String({ pattern: UUID_PATTERN }), before: Type.String({ format: 'date-time' }) },
    { additionalProperties: false },
  ),
  attemptsMax: 20,
  timeoutSeconds: 30,
  run: async ({ store }, { userId, before }, _signal, { tenantId }) =>
    store.single(tenantId, (tx) => deleteSubscriptionsUntil(tx, userId, new Date(before))),
})

/** Work on subscriptions that outlives a request. */
export const pushJobs: readonly Job<never>[] = [deletePushSubscriptionsJob]

/** Messages to browsers: they wait for push services of anybody's choice. */
export const pushMessageJobs: readonly Job<never>[] = [sendPushJob]

/** The worker of these jobs. One tenant occupies two places of six, whatever push services its people chose. */
export const messageWorker = { concurrency: 6, ofTenantMax: 2 } as const
