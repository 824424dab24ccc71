import { sql, type TenantTx } from '../../store/store.ts'

/** The request that a visitor began on a page. */
type Visit = { readonly requestId: string; readonly pageId: string; readonly secretHash: Buffer }

const insert = sql(
  'verification.insert_visit',
  'insert into verification_visit (tenant_id, request_id, page_id, secret_hash, created_at) values ($1, $2, $3, $4::bytea, $5)',
)
const find = sql(
  'verification.find_visit',
  `select request_id as "requestId", page_id as "pageId", secret_hash as "secretHash" from verification_visit
   where tenant_id = $1 and request_id = $2`,
)

/** Inserts the visit of a request. */
export async function insertVisit(tx: TenantTx, { requestId, pageId, secretHash }: Visit, now: Date): Promise<void> {
  await tx.rows(insert, [tx.tenantId, requestId, pageId, secretHash, now])
}

/** Returns the visit of a request; null if no visitor began it. */
export async function findVisit(tx: TenantTx, requestId: string): Promise<Visit | null> {
  return (await tx.rows<Visit>(find, [tx.tenantId, requestId]))[0] ?? null
}
