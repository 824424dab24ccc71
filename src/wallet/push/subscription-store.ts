import type { UserId } from '../../caller.ts'
import type { AuditEntry } from '../../events/audit/entry.ts'
import { auditStep } from '../../events/audit/recorded-sql.ts'
import { sql, type TenantTx } from '../../store/store.ts'
import type { NewPushSubscription, PushSubscription } from './subscription.ts'

/** Further subscriptions of a user replace the oldest. */
const SUBSCRIPTIONS_MAX = 10
/** After so many messages in succession that could not be sent, a subscription is deleted. */
const FAILURES_MAX = 3

const COLUMNS = `id, sealed_target as "sealedTarget", language, created_at as "createdAt", sent_at as "sentAt"`
// A browser has one subscription of an organisation: of two users of one browser the one who agreed last gets the
// messages.
const insertStatement = sql(
  'wallet.insert_push_subscription',
  `insert into wallet_push_subscription (tenant_id, id, user_id, endpoint_hash, sealed_target, language, not_before, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $7)
   on conflict (tenant_id, endpoint_hash) do update set id = excluded.id, user_id = excluded.user_id, language = excluded.language,
     sealed_target = excluded.sealed_target, created_at = excluded.created_at, queued_at = null, failures = 0, sent_at = null`,
)
const trimStatement = sql(
  'wallet.trim_push_subscriptions',
  `delete from wallet_push_subscription where tenant_id = $1 and user_id = $2 and id in (
     select id from wallet_push_subscription where tenant_id = $1 and user_id = $2 order by created_at desc, id desc offset $3)`,
)
const listStatement = sql(
  'wallet.list_push_subscriptions',
  `select ${COLUMNS} from wallet_push_subscription where tenant_id = $1 and user_id = $2 order by created_at desc, id desc`,
)
const deleteOfUser = sql(
  'wallet.delete_push_subscription_of_user',
  'delete from wallet_push_subscription where tenant_id = $1 and id = $2 and user_id = $3 returning id',
)
const deleteEarlier = sql(
  'wallet.delete_push_subscriptions',
  'delete from wallet_push_subscription where tenant_id = $1 and user_id = $2 and created_at <= $3',
)
// A job that was lost does not block later ones.
const queueStatement = sql(
  'wallet.queue_push',
  `update wallet_push_subscription set queued_at = $3 where tenant_id = $1 and user_id = $2
     and (queued_at is null or queued_at <= $3::timestamptz - interval '1 hour')
   returning id, not_before as "notBefore"`,
)
const findQueued = sql(
  'wallet.find_queued_push',
  `select ${COLUMNS} from wallet_push_subscription where tenant_id = $1 and id = $2 and queued_at is not null`,
)
const endSent = sql(
  'wallet.end_push',
  `update wallet_push_subscription set queued_at = null, failures = 0, sent_at = $3, not_before = $4 where tenant_id = $1 and id = $2`,
)
const deleteFailed = sql(
  'wallet.delete_failed_push_subscription',
  'delete from wallet_push_subscription where tenant_id = $1 and id = $2 and failures >= $3 returning id',
)
const countFailure = sql(
  'wallet.count_push_failure',
  `update wallet_push_subscription set queued_at = null, failures = failures + 1, not_before = $3 where tenant_id = $1 and id = $2`,
)
const deleteGone = sql(
  'wallet.delete_gone_push_subscription',
  'delete from wallet_push_subscription where tenant_id = $1 and id = $2',
)

/**
 * Inserts a subscription, or replaces that of the same browser; the oldest beyond {@link SUBSCRIPTIONS_MAX} are
 * deleted.
 */
export async function insertSubscription(tx: TenantTx, one: NewPushSubscription): Promise<void> {
  const { id, userId, endpointHash, sealedTarget, language, createdAt } = one
  await tx.rows(insertStatement, [tx.tenantId, id, userId, endpointHash, sealedTarget, language, createdAt])
  await tx.rows(trimStatement, [tx.tenantId, userId, SUBSCRIPTIONS_MAX])
}

/** Lists the subscriptions of a user, the newest first. */
export async function listSubscriptions(tx: TenantTx, userId: UserId): Promise<PushSubscription[]> {
  return tx.rows<PushSubscription>(listStatement, [tx.tenantId, userId])
}

/** Deletes a subscription of a user. @returns whether there was one */
export async function deleteSubscription(tx: TenantTx, userId: UserId, id: string): Promise<boolean> {
  return (await tx.rows(deleteOfUser, [tx.tenantId, id, userId])).length === 1
}

/** Deletes the subscriptions that a user has made until a time. */
export async function deleteSubscriptionsUntil(tx: TenantTx, userId: string, until: Date): Promise<void> {
  await tx.rows(deleteEarlier, [tx.tenantId, userId, until])
}

/**
 * Records an audit entry and marks the subscriptions of a user as queued, those that are not yet.
 *
 * @returns those for which the caller enqueues a job in the same transaction
 */
export async function recordAndQueue(
  tx: TenantTx,
  userId: string,
  entry: AuditEntry,
  now: Date,
): Promise<{ readonly id: string; readonly notBefore: Date }[]> {
  return tx.rows(queueStatement, [tx.tenantId, userId, now], [auditStep(tx, entry, now)])
}

/** Returns a subscription with a message to send; null if there is none any more. */
export async function findQueuedSubscription(tx: TenantTx, id: string): Promise<PushSubscription | null> {
  return (await tx.rows<PushSubscription>(findQueued, [tx.tenantId, id]))[0] ?? null
}

/** Records that a message was sent. @param notBefore When the next one may be sent */
export async function endMessage(tx: TenantTx, id: string, now: Date, notBefore: Date): Promise<void> {
  await tx.rows(endSent, [tx.tenantId, id, now, notBefore])
}

/** Records that a message could not be sent. The last of several failures in succession deletes the subscription. */
export async function failMessage(tx: TenantTx, id: string, notBefore: Date): Promise<void> {
  const deleted = await tx.rows(deleteFailed, [tx.tenantId, id, FAILURES_MAX - 1])
  if (deleted.length === 0) await tx.rows(countFailure, [tx.tenantId, id, notBefore])
}

/** Deletes a subscription that its push service does not know any more. */
export async function deleteGoneSubscription(tx: TenantTx, id: string): Promise<void> {
  await tx.rows(deleteGone, [tx.tenantId, id])
}
