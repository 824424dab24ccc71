import { COUNT_MAX } from '../../contract/events/webhooks.ts'
import { sql, type TenantTx } from '../../store/store.ts'
import type { WebhookEndpoint } from './webhook-endpoint.ts'

/** Kept deliveries by status, each counted up to {@link COUNT_MAX}. */
type DeliveryCounts = { readonly pending: number; readonly delivered: number; readonly dead: number }

/** An endpoint with its deliveries counted. */
export type CountedEndpoint = WebhookEndpoint & { readonly counts: DeliveryCounts }
const statuses = ['pending', 'delivered', 'dead'] as const
// At most COUNT_MAX entries of the index (tenant, endpoint, status, id) for each endpoint and status.
const countDeliveries = sql(
  'events.count_deliveries',
  `select e.id, s.status, (select count(*)::int from (
     select from webhook_delivery d where d.tenant_id = $1 and d.endpoint_id = e.id and d.status = s.status limit ${COUNT_MAX}) as kept) as count
   from unnest($2::uuid[]) as e (id) cross join unnest($3::text[]) as s (status)`,
)

/** Returns endpoints with their deliveries counted, by one statement for all. */
export async function withCounts(
  tx: TenantTx,
  endpoints: readonly WebhookEndpoint[],
): Promise<readonly CountedEndpoint[]> {
  const ids = endpoints.map(({ id }) => id)
  const rows = await tx.rows<{ id: string; status: keyof DeliveryCounts; count: number }>(countDeliveries, [
    tx.tenantId,
    ids,
    [...statuses],
  ])
  return endpoints.map((endpoint) => {
    const of = (status: keyof DeliveryCounts) =>
      rows.find((row) => row.id === endpoint.id && row.status === status)?.count ?? 0
    return { ...endpoint, counts: { pending: of('pending'), delivered: of('delivered'), dead: of('dead') } }
  })
}
