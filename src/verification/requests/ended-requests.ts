import type { TenantId } from '../../caller.ts'
import type { Retention } from '../../jobs/retention.ts'
import { RESTORE_ROWS_MAX, type Restore } from '../../recovery/restore.ts'
import { lowestIdAt } from '../../store/row-id.ts'
import { sql } from '../../store/store.ts'

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

/** What the folder does after a restore: a request that was answered in the lost time would take a second answer. The sweep tells its end. */
export const requestsRestore: Restore = {
  steps: [
    {
      name: 'presentation requests ended',
      run: async (tx, { now }) => (await tx.rows(endRequests, [tx.tenantId, now])).length,
    },
  ],
}
