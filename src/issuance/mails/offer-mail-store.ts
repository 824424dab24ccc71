import type { TenantId } from '../../caller.ts'
import type { MailFailure } from '../../contract/issuance/offer-mails.ts'
import type { AuditEntry } from '../../events/audit/entry.ts'
import { recordChange } from '../../events/audit/record.ts'
import { type AcrossTx, sql, type TenantTx } from '../../store/store.ts'
import { CLAIMS_END } from '../offers/claims-end.ts'
import type { TemplateDefinition } from '../templates/template.ts'

/** SQL: the mail of an issuance of tenant $1 as JSON; null: none was requested. `id` is SQL. */
export const offerMailOf = (id: string) =>
  `(select json_build_object('state', m.state, 'at', m.at, 'reason', m.reason) from offer_mail m where m.tenant_id = $1 and m.id = ${id})`

/** Mails of one offer: a person is not mailed more often. */
export const MAILS_OF_OFFER_MAX = 10

const queueStatement = sql(
  'issuance.queue_mail',
  `insert into offer_mail as old (tenant_id, id, state, sealed_mail, at, drop_at, batch_id)
   select $1, one.id, 'queued', one.sealed_mail, $4, $5, $6::uuid from unnest($2::uuid[], $3::bytea[]) as one (id, sealed_mail)
   on conflict (tenant_id, id) do update set state = 'queued', reason = null, sealed_mail = excluded.sealed_mail, at = excluded.at,
     drop_at = excluded.drop_at, revision = old.revision + 1, is_reminder = false where old.revision < ${MAILS_OF_OFFER_MAX}
   returning id as "issuanceId", revision`,
)
const findStatement = sql(
  'issuance.find_queued_mail',
  `select m.sealed_mail as "sealedMail", i.status = 'offered' and i.redeemed_at is null and ${CLAIMS_END} > $4 as "isOpen",
     i.expires_at as "expiresAt", i.tx_code_mac is not null as "hasCode", m.is_reminder as "isReminder", t.name as "templateName", v.definition -> 'display' as display
   from offer_mail m join issuance i on i.tenant_id = $1 and i.id = m.id
     join credential_template t on t.tenant_id = $1 and t.id = i.template_id
     join credential_template_version v on v.tenant_id = $1 and v.template_id = i.template_id and v.version = i.template_version
   where m.tenant_id = $1 and m.id = $2 and m.revision = $3 and m.state = 'queued'`,
)
// The issuance is locked first, as by what clears its claims, whose trigger erases the address of a mail that was sent.
const settleStatement = sql(
  'issuance.settle_mail',
  `with offer as materialized (
     select sealed_claims is not null as "isKept" from issuance where tenant_id = $1 and id = $2 for share
   ), found as (
     select m.id, m.batch_id, m.is_counted, offer."isKept" from offer cross join offer_mail m
     where m.tenant_id = $1 and m.id = $2 and m.revision = $3 and m.state = 'queued' for update of m
   )
   update offer_mail m set state = case when $4::text is null then 'sent' else 'failed' end, reason = $4::text,
     sealed_mail = case when $4::text is null and found."isKept" then m.sealed_mail end, at = $5, is_counted = true
   from found
   where m.tenant_id = $1 and m.id = found.id returning found.batch_id as "batchId", found.is_counted as "isCounted"`,
)
const countSettled = sql(
  'issuance.count_settled_mail',
  `update issuance_batch set mails_sent = mails_sent + case when $3 then 1 else 0 end,
     mails_failed = mails_failed + case when $3 then 0 else 1 end
   where tenant_id = $1 and id = $2`,
)
const selectTenantsDue = sql(
  'issuance.list_tenants_with_old_mails',
  `select distinct tenant_id as "tenantId" from offer_mail where state = 'queued' and drop_at <= $1 limit 1000`,
)
const selectDue = sql(
  'issuance.list_old_mails',
  `select id as "issuanceId", revision from offer_mail where tenant_id = $1 and state = 'queued' and drop_at <= $2 order by drop_at limit 500`,
)
const countFailed = sql(
  'issuance.count_failed_mails',
  `select count(*)::int as count from offer_mail where tenant_id = $1 and state = 'failed' and reason <> 'offer_ended' and at > $2`,
)

/** A mail to send: which request of which issuance. */
export type QueuedMail = { readonly issuanceId: string; readonly revision: number }

/**
 * What a mail says about its offer. `display`: of the template; `hasCode`: the holder must enter a transaction code;
 * `isReminder`: the offer was mailed before.
 */
export type MailedOffer = {
  readonly sealedMail: Buffer
  /** Whether a wallet can redeem it and none has. */
  readonly isOpen: boolean
  readonly expiresAt: Date
  readonly hasCode: boolean
  readonly isReminder: boolean
  readonly templateName: string
  readonly display: TemplateDefinition['display'] | null
}

/**
 * Queues the mails of issuances that are inserted in the same transaction, or offered again. A job for each must be
 * enqueued in it.
 *
 * @returns those that were queued; an offer that was mailed ten times is not among them
 */
export async function queueMails(
  tx: TenantTx,
  mails: readonly { readonly id: string; readonly sealedMail: Buffer }[],
  { now, dropAt, batchId }: { readonly now: Date; readonly dropAt: Date; readonly batchId: string | null },
): Promise<QueuedMail[]> {
  const values = [mails.map(({ id }) => id), mails.map(({ sealedMail }) => sealedMail)]
  return tx.rows<QueuedMail>(queueStatement, [tx.tenantId, ...values, now, dropAt, batchId])
}

/** Returns a queued mail with its offer; null if it was sent, given up or requested again. */
export async function findQueuedMail(
  tx: TenantTx,
  { issuanceId, revision }: QueuedMail,
  now: Date,
): Promise<MailedOffer | null> {
  return (await tx.rows<MailedOffer>(findStatement, [tx.tenantId, issuanceId, revision, now]))[0] ?? null
}

/** `isCounted`: an earlier mail of the same item was. */
type SettledMail = { readonly batchId: string | null; readonly isCounted: boolean }

/**
 * Records the outcome of a mail and counts it in its batch. Its address is erased, or kept as long as the claims of the
 * offer if it was sent. An outcome is recorded once; nothing
 * changes if the mail was requested again meanwhile.
 *
 * @param reason null: it was sent.
 */
export async function settleMail(
  tx: TenantTx,
  { issuanceId, revision }: QueuedMail,
  reason: MailFailure | null,
  entry: AuditEntry,
  now: Date,
): Promise<void> {
  const values = [tx.tenantId, issuanceId, revision, reason, now]
  const settled = await recordChange<SettledMail>(tx, settleStatement, values, entry, now)
  if (settled === null || settled.batchId === null || settled.isCounted) return
  await tx.rows(countSettled, [tx.tenantId, settled.batchId, reason === null])
}

/** Returns tenants with mails that are queued and whose retention ends by that time. */
export async function listTenantsWithOldMails(tx: AcrossTx, by: Date): Promise<TenantId[]> {
  return (await tx.rows<{ tenantId: TenantId }>(selectTenantsDue, [by])).map(({ tenantId }) => tenantId)
}

/**
 * Returns mails of a tenant that are queued and whose retention ends by that time: the 500 that were queued first at
 * most.
 */
export async function listOldMails(tx: TenantTx, by: Date): Promise<QueuedMail[]> {
  return tx.rows<QueuedMail>(selectDue, [tx.tenantId, by])
}

/** Counts the mails that failed after a time, without those whose offer had ended. */
export async function countFailedMails(tx: TenantTx, since: Date): Promise<number> {
  return (await tx.rows<{ count: number }>(countFailed, [tx.tenantId, since]))[0]?.count ?? 0
}
