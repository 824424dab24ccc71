import type { TenantId } from '../../caller.ts'
import type { Retention } from '../../jobs/retention.ts'
import { RESTORE_ROWS_MAX, type Restore } from '../../recovery/restore.ts'
import { isFree, RELEASE } from '../../store/lease.ts'
import { lowestIdAt } from '../../store/row-id.ts'
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

const HAS_ENDED = `status not in ('requested', 'answering') and result is null`
const selectTenants = sql(
  'verification.list_tenants_with_ended',
  `select distinct tenant_id as id from presentation_request where ${HAS_ENDED} and id < $1 limit 500`,
)
const deleteSome = sql(
  'verification.delete_ended',
  `delete from presentation_request where tenant_id = $1 and id in (
     select id from presentation_request where tenant_id = $1 and ${HAS_ENDED} and id < $2 and updated_at < $3 limit $4)
   returning id`,
)

/** Presentation requests that ended, and whose result was cleared. */
export const endedRequests: Retention = {
  name: 'verification.delete-ended',
  setting: 'requestRetentionDays',
  tenants: async (tx, before) =>
    (await tx.rows<{ id: TenantId }>(selectTenants, [lowestIdAt(before)])).map(({ id }) => id),
  remove: async (tx, before, limit) =>
    (await tx.rows(deleteSome, [tx.tenantId, lowestIdAt(before), before, limit])).length,
}

const endRequests = sql(
  'verification.end_open_requests',
  `with due as (
     select id from presentation_request where tenant_id = $1 and status in ('requested', 'answering') and expires_at > $2
     order by id limit ${RESTORE_ROWS_MAX} for update
   )
   update presentation_request r set expires_at = $2 from due where r.tenant_id = $1 and r.id = due.id returning r.id`,
)

/**
 * Ends all open requests after a restore: one that was answered in the lost time would accept a second response. The
 * sweep records their end.
 */
export const requestsRestore: Restore = {
  steps: [
    {
      name: 'presentation requests ended',
      run: async (tx, { now }) => (await tx.rows(endRequests, [tx.tenantId, now])).length,
    },
  ],
}
