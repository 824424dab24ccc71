import type { TenantId } from '../../caller.ts'
import type { Platform } from '../../platform.ts'
import { lowestIdAt } from '../../store/row-id.ts'
import { sql } from '../../store/store.ts'

const DAY_MS = 86_400_000

// An endpoint that was changed lately may have had another filter, or have been disabled.
const findFaults = sql(
  'events.find_lost_deliveries',
  `select format('event %s (%s) has no delivery to endpoint %s', a.id, a.event_type, w.id) as fault
   from webhook_endpoint w join audit_entry a on a.tenant_id = w.tenant_id and a.event_type is not null and a.id >= $2
     and (a.era, a.xact, a.id) <= (w.era, w.xact, w.event_id) and (w.filter_types = '{}' or a.event_type = any(w.filter_types))
   where w.tenant_id = $1 and w.status = 'active' and w.updated_at < $3
     and not exists (select from webhook_delivery d where d.tenant_id = w.tenant_id and d.endpoint_id = w.id and d.event_id = a.id)
   limit 100`,
)

/** Returns a sentence for each event of the last day that an active endpoint wants and for which there is no delivery. */
export async function deliveryFaults(
  { store, clock }: Pick<Platform, 'store' | 'clock'>,
  tenantId: TenantId,
): Promise<readonly string[]> {
  const from = new Date(clock.now().getTime() - DAY_MS)
  const values = [tenantId, lowestIdAt(from), from]
  const rows = await store.single(tenantId, (tx) => tx.rows<{ fault: string }>(findFaults, values))
  return rows.map(({ fault }) => fault)
}
