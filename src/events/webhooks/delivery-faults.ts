import type { TenantId } from '../../caller.ts'
import type { Platform } from '../../platform.ts'
import { lowestIdAt } from '../../store/row-id.ts'
import { sql } from '../../store/store.ts'

const DAY_MS = 86_400_000

// An endpoint that was changed lately may have had another filter, or have been disabled.
const findFaults = sql(
  'events.find_lost_deliveries',
  `with wanted as (
     select a.id, a.event_type, w.id as endpoint_id,
       exists (select from webhook_delivery d
         where d.tenant_id = w.tenant_id and d.endpoint_id = w.id and d.event_id = a.id) as is_there
     from webhook_endpoint w join audit_entry a on a.tenant_id = w.tenant_id and a.event_type is not null and a.id >= $2
       and (a.era, a.xact, a.id) <= (w.era, w.xact, w.event_id)
       and (w.filter_types = '{}' or a.event_type = any(w.filter_types))
     where w.tenant_id = $1 and w.status = 'active' and w.updated_at < $3
   )
   select (select count(*)::int from wanted) as examined,
     array(select format('event %s (%s) has no delivery to endpoint %s', id, event_type, endpoint_id) from wanted
       where not is_there limit 100) as faults`,
)

/** How many events were looked at, and a sentence for each that has no delivery. */
type Examined = { readonly examined: number; readonly faults: readonly string[] }

/** Holds the events of the last day that an active endpoint wants against its deliveries. */
export async function checkDeliveries(
  { store, clock }: Pick<Platform, 'store' | 'clock'>,
  tenantId: TenantId,
): Promise<Examined> {
  const from = new Date(clock.now().getTime() - DAY_MS)
  const values = [tenantId, lowestIdAt(from), from]
  const [found] = await store.single(tenantId, (tx) => tx.rows<Examined>(findFaults, values))
  return found ?? { examined: 0, faults: [] }
}
