import { isFree, RELEASE } from '../../store/lease.ts'
import { sql, type TenantTx } from '../../store/store.ts'
import { tenantsWith } from '../../store/tenants-with.ts'

const due = `status in ('requested', 'answering') and ${isFree('$1')} and expires_at <= $1`
const old = 'result is not null and result_until <= $1'

// The condition is checked again on the locked row: a concurrent claim keeps it.
const expireDue = sql(
  'verification.expire_requests',
  `update presentation_request set status = 'expired', transaction_data = null, ${RELEASE}, updated_at = $1
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

/** Lists tenants that have an unanswered request whose time is over. */
export const listTenantsWithDue = tenantsWith('verification.list_due_tenants', `from presentation_request where ${due}`)

/** Lists tenants that have a result past its retention time. */
export const listTenantsWithOldResults = tenantsWith(
  'verification.list_result_tenants',
  `from presentation_request where ${old}`,
)

/** Expires up to `countMax` unanswered requests, except those whose response is being checked. @returns their ids */
export async function expireRequests(tx: TenantTx, now: Date, countMax: number): Promise<string[]> {
  return (await tx.rows<{ id: string }>(expireDue, [now, tx.tenantId, countMax])).map((row) => row.id)
}

/** Clears up to `countMax` results past their retention time. @returns how many */
export async function clearOldResults(tx: TenantTx, now: Date, countMax: number): Promise<number> {
  return (await tx.rows(clearResults, [now, tx.tenantId, countMax])).length
}
