import type { TenantId } from '../../caller.ts'
import type { Platform } from '../../platform.ts'
import type { TenantTx } from '../../store/store.ts'
import { addTenantStates } from '../order/era-store.ts'
import {
  addCounts,
  type CountRange,
  findCounted,
  findTotalRows,
  listCountRows,
  listFreshEvents,
  listSettledEvents,
  listTenantsToCount,
  type Totals,
} from './count-store.ts'
import {
  type AuditEvent,
  type Count,
  countEnds,
  countMetrics,
  credentialsIn,
  dayOf,
  type EndCount,
  metricsOf,
} from './metric.ts'

/** What counting reads of the subjects of events, in the rooms that have them. */
export type Origins = {
  /** Returns the template that each subject was created from, by the id of the subject. */
  readonly templatesOf: (tx: TenantTx, events: readonly AuditEvent[]) => Promise<ReadonlyMap<string, string>>
  /** Returns when the validity of each credential ends, by the id of the subject; null: it has no end. */
  readonly endsOf: (tx: TenantTx, events: readonly AuditEvent[]) => Promise<ReadonlyMap<string, Date | null>>
}

const EVENTS_PER_TURN = 5_000
const TENANTS_PER_TURN = 1_000
/** Events not counted by the sweep yet that one answer adds at most. */
const LIVE_MAX = 1_000

/** Counts the new events of all tenants. Any number of servers may do so concurrently. */
export async function countEvents(
  { store }: Pick<Platform, 'store'>,
  origins: Origins,
  signal: AbortSignal,
): Promise<void> {
  const tenants = await store.across('tenants with events that are not counted', async (tx) => {
    await addTenantStates(tx)
    return listTenantsToCount(tx, TENANTS_PER_TURN)
  })
  for (const tenantId of tenants) {
    let more = true
    while (more && !signal.aborted) {
      more = await store.inTenant(tenantId, (tx) => countSome(tx, origins))
    }
  }
}

/** Counts one batch of events. Returns whether there may be more. */
async function countSome(tx: TenantTx, origins: Origins): Promise<boolean> {
  const from = await findCounted(tx)
  const events = await listSettledEvents(tx, from, EVENTS_PER_TURN)
  const last = events.at(-1)
  if (last === undefined) return false
  const counts = await count(tx, events, origins)
  await addCounts(tx, from, last, { counts, ends: await endsIn(tx, events, origins) })
  return events.length === EVENTS_PER_TURN
}

/**
 * Returns the counts of some months or days, including events that the sweep has not counted yet.
 *
 * @returns The counts, and the time up to which they are complete; null: up to now.
 */
export async function readCounts(
  { store }: Pick<Platform, 'store'>,
  tenantId: TenantId,
  ask: CountRange,
  origins: Origins,
): Promise<{ readonly counts: readonly Count[]; readonly countedUntil: Date | null }> {
  return store.inTenant(tenantId, async (tx) => {
    const { counted, counts } = await listCountRows(tx, ask)
    // Few events are recorded between two sweeps, except under heavy load.
    const fresh = await listFreshEvents(tx, counted, LIVE_MAX)
    const live = (await count(tx, fresh, origins))
      .map((one) => (ask.by === 'day' ? one : { ...one, day: `${one.day.slice(0, 7)}-01` }))
      .filter(
        ({ day, templateId }) =>
          day >= ask.from && day <= ask.until && (ask.templateId === null || templateId === ask.templateId),
      )
      .map((one) => ({
        ...one,
        ...(ask.group === 'time' && { templateId: '' }),
        ...(ask.group === 'template' && { day: '' }),
      }))
    const countedUntil = fresh.length < LIVE_MAX ? null : (fresh.at(-1)?.at ?? null)
    return { counts: [...counts, ...live], countedUntil }
  })
}

/**
 * Returns the metrics of all time, the ends of credentials from today on, and the presentations verified today, all in
 * UTC, including events that the sweep has not counted yet.
 *
 * @returns As {@link readCounts}.
 */
export async function readTotals(
  tx: TenantTx,
  now: Date,
  origins: Origins,
): Promise<Totals & { readonly countedUntil: Date | null }> {
  const today = dayOf(now)
  const { counted, ...stored } = await findTotalRows(tx, today)
  const fresh = await listFreshEvents(tx, counted, LIVE_MAX)
  const counts = await count(tx, fresh, origins)
  const totals = { ...stored.totals }
  for (const { figure, count: more } of counts) totals[figure] = (totals[figure] ?? 0) + more
  const ends = (await endsIn(tx, fresh, origins)).filter(({ endsOn }) => endsOn >= today)
  const verified = counts.reduce(
    (sum, one) => (one.figure === 'presentation.verified' && one.day === today ? sum + one.count : sum),
    stored.verified,
  )
  const countedUntil = fresh.length < LIVE_MAX ? null : (fresh.at(-1)?.at ?? null)
  return { totals, ends: [...stored.ends, ...ends], verified, countedUntil }
}

async function count(tx: TenantTx, events: readonly AuditEvent[], { templatesOf }: Origins): Promise<Count[]> {
  const counted = events.filter((one) => metricsOf(one).length > 0)
  if (counted.length === 0) return []
  return countMetrics(counted, await templatesOf(tx, counted))
}

async function endsIn(tx: TenantTx, events: readonly AuditEvent[], { endsOf }: Origins): Promise<EndCount[]> {
  const counted = events.filter((one) => credentialsIn(one) !== 0)
  return counted.length === 0 ? [] : countEnds(counted, await endsOf(tx, counted))
}
