import type { TenantId } from '../../caller.ts'
import type { Retention } from '../../jobs/retention.ts'
import { lowestIdAt } from '../../store/row-id.ts'
import { sql } from '../../store/store.ts'

const selectTenants = sql(
  'wallet.list_tenants_with_ended_deliveries',
  `select distinct tenant_id as id from wallet_delivery where status in ('delivered', 'failed') and id < $1 limit 500`,
)
const deleteSome = sql(
  'wallet.delete_ended_deliveries',
  `delete from wallet_delivery where tenant_id = $1 and id in (
     select id from wallet_delivery where tenant_id = $1 and status in ('delivered', 'failed') and id < $2 and updated_at < $3 limit $4)
   returning id`,
)

/** Deliveries to wallets that ended. What they delivered stays in the wallets. */
export const endedDeliveries: Retention = {
  name: 'wallet.delete-ended-deliveries',
  setting: 'deliveryRetentionDays',
  tenants: async (tx, before) =>
    (await tx.rows<{ id: TenantId }>(selectTenants, [lowestIdAt(before)])).map(({ id }) => id),
  remove: async (tx, before, limit) =>
    (await tx.rows(deleteSome, [tx.tenantId, lowestIdAt(before), before, limit])).length,
}
