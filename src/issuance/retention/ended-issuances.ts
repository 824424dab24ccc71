import type { TenantId } from '../../caller.ts'
import type { Retention } from '../../jobs/retention.ts'
import { lowestIdAt } from '../../store/row-id.ts'
import { type AcrossTx, sql } from '../../store/store.ts'
import { countEndedEntries, type EndedEntries } from '../status/ended-list-store.ts'

// A failed one may have a status entry, which the published list refers to as long as the credential is out.
const IS_NOTHING = `ended in ('failed', 'expired', 'canceled')`
const selectTenants = sql(
  'issuance.list_tenants_with_ended',
  `select distinct tenant_id as id from issuance where ${IS_NOTHING} and id < $1 limit 500`,
)
const deleteSome = sql(
  'issuance.delete_ended',
  `delete from issuance where tenant_id = $1 and id in (
     select id from issuance where tenant_id = $1 and ${IS_NOTHING} and id < $2 and issued_at is null and updated_at < $3 limit $4)
   returning status_list_id as "listId", coalesce(cardinality(status_indices), 0) as entries`,
)

/** Issuances that came to nothing. */
export const endedIssuances: Retention = {
  name: 'issuance.delete-ended',
  setting: 'offerRetentionDays',
  tenants: async (tx: AcrossTx, before) =>
    (await tx.rows<{ id: TenantId }>(selectTenants, [lowestIdAt(before)])).map(({ id }) => id),
  remove: async (tx, before, limit) => {
    const values = [tx.tenantId, lowestIdAt(before), before, limit]
    const removed = await tx.rows<EndedEntries>(deleteSome, values)
    await countEndedEntries(tx, removed)
    return removed.length
  },
}
