import type { TenantId } from '../../caller.ts'
import type { Retention } from '../../jobs/retention.ts'
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
