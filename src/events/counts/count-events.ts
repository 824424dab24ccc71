import type { TenantId } from '../../caller.ts'
import type { Platform } from '../../platform.ts'
import type { TenantTx } from '../../store/store.ts'
import { addCounts, findCounted, listAuditEvents, listCountRows, listTenantsToCount } from './count-store.ts'
import { type AuditEvent, type Count, countMetrics, metricOf } from './metric.ts'

/** Returns the template that each subject was created from, by the id of the subject. */
export type TemplatesOf = (tx: TenantTx, events: readonly AuditEvent[]) => Promise<ReadonlyMap<string, string>>

const EVENTS_PER_TURN = 5_000
const TENANTS_PER_TURN = 1_000
/** Events not counted by the sweep yet that one answer adds at most. */
const LIVE_MAX = 1_000

/** Counts the new events of all tenants. Any number of servers may do so concurrently. */
export async function countEvents(
  { store }: Pick<Platform, 'store'>,
  templatesOf: TemplatesOf,
  signal: AbortSignal,
): Promise<void> {
  const tenants = await store.across('tenants with events that are not counted', (tx) =>
    listTenantsToCount(tx, TENANTS_PER_TURN),
  )
  for (const tenantId of tenants) {
    let more = true
    while (more && !signal.aborted) {
      more = await store.inTenant(tenantId, (tx) => countSome(tx, templatesOf))
    }
  }
}

/** Counts one batch of events. Returns whether there may be more. */
async function countSome(tx: TenantTx, templatesOf: TemplatesOf): Promise<boolean> {
  const from = await findCounted(tx)
  const events = await listAuditEvents(tx, from, true, EVENTS_PER_TURN)
  const last = events.at(-1)
  if (last === undefined) return false
  await addCounts(tx, from, last, await count(tx, events, templatesOf))
  return events.length === EVENTS_PER_TURN
}

/**
 * Returns the counts of some months, including events that the sweep has not counted yet.
 *
 * @param ask The first and the last month, as `2026-05-01`, and the template; null: all templates.
 * @returns The counts, and the time up to which they are complete; null: up to now.
 */
export async function readCounts(
  { store }: Pick<Platform, 'store'>,
  tenantId: TenantId,
  ask: { readonly from: string; readonly until: string; readonly templateId: string | null },
  templatesOf: TemplatesOf,
): Promise<{ readonly counts: readonly Count[]; readonly countedUntil: Date | null }> {
  return store.inTenant(tenantId, async (tx) => {
    const { counted, counts } = await listCountRows(tx, ask)
    // Few events are recorded between two sweeps, except under heavy load.
    const fresh = await listAuditEvents(tx, counted, false, LIVE_MAX)
    const live = (await count(tx, fresh, templatesOf)).filter(
      ({ month, templateId }) =>
        month >= ask.from && month <= ask.until && (ask.templateId === null || templateId === ask.templateId),
    )
    const countedUntil = fresh.length < LIVE_MAX ? null : (fresh.at(-1)?.at ?? null)
    return { counts: [...counts, ...live], countedUntil }
  })
}

async function count(tx: TenantTx, events: readonly AuditEvent[], templatesOf: TemplatesOf): Promise<Count[]> {
  const counted = events.filter((one) => metricOf(one) !== null)
  if (counted.length === 0) return []
  return countMetrics(counted, await templatesOf(tx, counted))
}
