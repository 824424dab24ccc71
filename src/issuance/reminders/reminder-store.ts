import { sql, type TenantTx } from '../../store/store.ts'
import { MAILS_OF_OFFER_MAX, type QueuedMail } from '../mails/offer-mail-store.ts'
import { CLAIMS_END } from '../offers/claims-end.ts'

const isDue = (before: string) =>
  `m.state = 'sent' and m.sealed_mail is not null and m.at <= ${before} and m.revision < ${MAILS_OF_OFFER_MAX}`

/** SQL: nobody has taken the offer of issuance `i`, and it can be taken. */
const isOpen = (now: string) => `i.status = 'offered' and i.redeemed_at is null and ${CLAIMS_END} > ${now}`

const selectOfBatch = sql(
  'issuance.list_due_reminders',
  `select m.id from issuance_batch_item b join offer_mail m on m.tenant_id = $1 and m.id = b.issuance_id
   where b.tenant_id = $1 and b.batch_id = $2 and b.status = 'done' and ${isDue('$3')} order by b.position limit $4`,
)
const countOfBatch = sql(
  'issuance.count_open_offers',
  `select count(*)::int as open, count(*) filter (where ${isDue('$4')})::int as due
   from issuance_batch_item b join issuance i on i.tenant_id = $1 and i.id = b.issuance_id
     left join offer_mail m on m.tenant_id = $1 and m.id = b.issuance_id
   where b.tenant_id = $1 and b.batch_id = $2 and b.status = 'done' and ${isOpen('$3')}`,
)
// The old state is in WHERE: of two callers one reminds.
const queueStatement = sql(
  'issuance.queue_reminders',
  `update offer_mail m set state = 'queued', is_reminder = true, at = $3, drop_at = $5, revision = m.revision + 1
   from issuance i
   where m.tenant_id = $1 and m.id = any($2::uuid[]) and ${isDue('$4')} and i.tenant_id = $1 and i.id = m.id
     and ${isOpen('$3')}
   returning m.id as "issuanceId", m.revision`,
)

/** Which reminders are due. `before`: those whose last mail was sent by that time. */
type Due = { readonly before: Date }

/**
 * Returns issuances of a batch whose offer was mailed, and whose last mail is old enough, in the order of the items.
 */
export async function listDueReminders(
  tx: TenantTx,
  batchId: string,
  { before, limit }: Due & { readonly limit: number },
): Promise<string[]> {
  const rows = await tx.rows<{ id: string }>(selectOfBatch, [tx.tenantId, batchId, before, limit])
  return rows.map(({ id }) => id)
}

/** Offers of a batch: those that can be taken, and those of them of which a reminder is due. */
export type OpenOffers = { readonly open: number; readonly due: number }

/** Counts the open offers of a batch. */
export async function countOpenOffers(
  tx: TenantTx,
  batchId: string,
  { now, before }: Due & { readonly now: Date },
): Promise<OpenOffers> {
  const [row] = await tx.rows<OpenOffers>(countOfBatch, [tx.tenantId, batchId, now, before])
  return row ?? { open: 0, due: 0 }
}

/**
 * Queues reminders, to the addresses that the offers were mailed to, of those of the issuances whose offer is open. A
 * job for each that is returned must be enqueued in the transaction.
 */
export async function queueReminders(
  tx: TenantTx,
  ids: readonly string[],
  { now, before, dropAt }: Due & { readonly now: Date; readonly dropAt: Date },
): Promise<QueuedMail[]> {
  return tx.rows<QueuedMail>(queueStatement, [tx.tenantId, ids, now, before, dropAt])
}
