import type { TenantId } from '../../caller.ts'
import { isFree, RELEASE } from '../../store/lease.ts'
import { type AcrossTx, sql, type TenantTx } from '../../store/store.ts'

const due = `status in ('requested', 'answering') and ${isFree('$1')} and expires_at <= $1`
const old = 'result is not null and result_until <= $1'

const listDueTenants = sql(
  'verification.list_due_tenants',
  `select distinct tenant_id as "tenantId" from presentation_request where ${due}`,
)
const listResultTenants = sql(
  'verification.list_result_tenants',
  `select distinct tenant_id as "tenantId" from presentation_request where ${old}`,
)
// The condition is checked again on the locked row: a concurrent claim keeps it.
const expireDue = sql(
  'verification.expire_requests',
  `update presentation_request set status = 'expired', ${RELEASE}, updated_at = $1
   where tenant_id = $2 and id in (select id from presentation_request where tenant_id = $2 and ${due} order by expires_at limit $3)
     and ${due}
   returning id`,
)
const clearResults = sql(
  'verification.clear_results',
  `update presentation_request set result = null, result_until = null, updated_at = $1
   where tenant_id = $2 and id in (select id from presentation_request where tenant_id = $2 and ${old} limit $3)
   returning id`,
)

/** Returns the tenants that have an unanswered request whose time is over. */
export async function listTenantsWithDue(tx: AcrossTx, now: Date): Promise<TenantId[]> {
  return (await tx.rows<{ tenantId: TenantId }>(listDueTenants, [now])).map((row) => row.tenantId)
}

/** Returns the tenants that have a result past its retention time. */
export async function listTenantsWithOldResults(tx: AcrossTx, now: Date): Promise<TenantId[]> {
  return (await tx.rows<{ tenantId: TenantId }>(listResultTenants, [now])).map((row) => row.tenantId)
}

/** Expires up to `countMax` unanswered requests, except those whose response is being checked. @returns their ids */
export async function expireRequests(tx: TenantTx, now: Date, countMax: number): Promise<string[]> {
  return (await tx.rows<{ id: string }>(expireDue, [now, tx.tenantId, countMax])).map((row) => row.id)
}

/** Clears up to `countMax` results past their retention time. @returns how many */
export async function clearOldResults(tx: TenantTx, now: Date, countMax: number): Promise<number> {
  return (await tx.rows(clearResults, [now, tx.tenantId, countMax])).length
}
