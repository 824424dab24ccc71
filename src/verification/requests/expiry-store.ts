import type { TenantId } from '../../caller.ts'
import { type AcrossTx, sql, type TenantTx } from '../../store/store.ts'
import { CLAIM_SECONDS } from './request-store.ts'

const due = `(status = 'requested' or (status = 'answering' and claimed_at <= $2)) and expires_at <= $1`

const tenantsWithDue = sql(
  'verification.tenants-with-due',
  `select distinct tenant_id as "tenantId" from presentation_request where ${due}`,
)
const tenantsWithResults = sql(
  'verification.tenants-with-results',
  `select distinct tenant_id as "tenantId" from presentation_request where result is not null and result_until <= $1`,
)
// The condition stands twice: a row that was claimed while we waited for it is left alone.
const expireDue = sql(
  'verification.expire-due',
  `update presentation_request set status = 'expired', claimed_at = null, updated_at = $1
   where tenant_id = $3 and id in (select id from presentation_request where tenant_id = $3 and ${due} order by expires_at limit $4)
     and ${due}
   returning id`,
)
const clearResults = sql(
  'verification.clear-results',
  `update presentation_request set result = null, result_until = null, updated_at = $2
   where tenant_id = $1 and id in (
     select id from presentation_request where tenant_id = $1 and result is not null and result_until <= $2 limit $3)
   returning id`,
)

/** Tenants that have a request nobody answered in time. */
export async function listTenantsWithDue(tx: AcrossTx, now: Date): Promise<TenantId[]> {
  const rows = await tx.rows<{ tenantId: TenantId }>(tenantsWithDue, [now, staleAt(now)])
  return rows.map((row) => row.tenantId)
}

/** Tenants that have a result whose time is over. */
export async function listTenantsWithOldResults(tx: AcrossTx, now: Date): Promise<TenantId[]> {
  const rows = await tx.rows<{ tenantId: TenantId }>(tenantsWithResults, [now])
  return rows.map((row) => row.tenantId)
}

/** Ends up to `countMax` requests that nobody answered in time. An answer that is being checked is left alone. */
export async function expireRequests(tx: TenantTx, now: Date, countMax: number): Promise<string[]> {
  const rows = await tx.rows<{ id: string }>(expireDue, [now, staleAt(now), tx.tenantId, countMax])
  return rows.map((row) => row.id)
}

/** Forgets up to `countMax` results whose time is over. @returns how many */
export async function clearOldResults(tx: TenantTx, now: Date, countMax: number): Promise<number> {
  const rows = await tx.rows(clearResults, [tx.tenantId, now, countMax])
  return rows.length
}

function staleAt(now: Date): Date {
  return new Date(now.getTime() - CLAIM_SECONDS * 1000)
}
