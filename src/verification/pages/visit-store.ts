import { sql, type TenantTx } from '../../store/store.ts'
import { tenantsWith } from '../../store/tenants-with.ts'

/** The request that a visitor began on a page. */
type Visit = {
  readonly requestId: string
  readonly pageId: string
  readonly secretHash: Buffer
  /** When the browser that began it came back from its wallet. */
  readonly returnedAt: Date | null
}

const insert = sql(
  'verification.insert_visit',
  'insert into verification_visit (tenant_id, request_id, page_id, secret_hash, created_at) values ($1, $2, $3, $4::bytea, $5)',
)
const find = sql(
  'verification.find_visit',
  `select request_id as "requestId", page_id as "pageId", secret_hash as "secretHash", returned_at as "returnedAt" from verification_visit
   where tenant_id = $1 and request_id = $2`,
)

const setReturned = sql(
  'verification.set_visit_returned',
  'update verification_visit set returned_at = $3 where tenant_id = $1 and request_id = $2 and returned_at is null',
)

// Their visits go with them.
const removeUnanswered = sql(
  'verification.delete_unanswered_visits',
  `delete from presentation_request where tenant_id = $1 and status = 'expired' and id in (
     select request_id from verification_visit where tenant_id = $1 and created_at < $2 order by created_at limit $3)
   returning id`,
)
const removeEnded = sql(
  'verification.delete_ended_visits',
  `delete from verification_visit where tenant_id = $1 and request_id in (
     select v.request_id from verification_visit v join presentation_request r on r.tenant_id = v.tenant_id and r.id = v.request_id
     where v.tenant_id = $1 and v.created_at < $2 and r.status not in ('requested', 'answering') order by v.created_at limit $3)
   returning request_id`,
)

/** Lists tenants that have visits from before a time. */
export const listTenantsWithOldVisits = tenantsWith(
  'verification.list_visit_tenants',
  'from verification_visit where created_at < $1',
)

/**
 * Deletes up to `countMax` visits from before a time whose requests have ended, and of these requests those that no
 * wallet answered. An answered request stays until the retention of its result ends.
 *
 * @returns how many visits were deleted
 */
export async function deleteOldVisits(tx: TenantTx, before: Date, countMax: number): Promise<number> {
  const unanswered = await tx.rows(removeUnanswered, [tx.tenantId, before, countMax])
  return unanswered.length + (await tx.rows(removeEnded, [tx.tenantId, before, countMax])).length
}

/** Inserts the visit of a request. */
export async function insertVisit(
  tx: TenantTx,
  { requestId, pageId, secretHash }: Omit<Visit, 'returnedAt'>,
  now: Date,
): Promise<void> {
  await tx.rows(insert, [tx.tenantId, requestId, pageId, secretHash, now])
}

/** Records that the browser that began a request came back from its wallet. */
export async function setVisitReturned(tx: TenantTx, requestId: string, now: Date): Promise<void> {
  await tx.rows(setReturned, [tx.tenantId, requestId, now])
}

/** Returns the visit of a request; null if no visitor began it. */
export async function findVisit(tx: TenantTx, requestId: string): Promise<Visit | null> {
  return (await tx.rows<Visit>(find, [tx.tenantId, requestId]))[0] ?? null
}
