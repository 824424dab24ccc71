import type { TenantId } from '../../caller.ts'
import type { Platform } from '../../platform.ts'
import type { TenantTx } from '../../store/store.ts'
import { addCounts, findCounted, listAuditEvents, listCountRows, listTenantsToCount } from './figure-store.ts'
import { type AuditEvent, type Count, countMetrics, metricOf } from './metric.ts'

/** Which template each subject was made of, by the id of the subject. */
export type TemplatesOf = (tx: TenantTx, happenings: readonly AuditEvent[]) => Promise<ReadonlyMap<string, string>>

const HAPPENINGS_PER_TURN = 5_000
const TENANTS_PER_TURN = 1_000
/** So many are counted for an answer besides what was counted before it. */
const LIVE_MAX = 1_000

/** Counts what happened at all tenants since it was last counted. Any number of servers may do so at a time. */
export async function countEvents(
  { store }: Pick<Platform, 'store'>,
  templatesOf: TemplatesOf,
  signal: AbortSignal,
): Promise<void> {
  const tenants = await store.across('tenants of which something was not counted yet', (tx) =>
    listTenantsToCount(tx, TENANTS_PER_TURN),
  )
  for (const tenantId of tenants) {
    let more = true
    while (more && !signal.aborted) {
      more = await store.inTenant(tenantId, (tx) => countSome(tx, templatesOf))
    }
  }
}

/** @returns whether there may be more. */
async function countSome(tx: TenantTx, templatesOf: TemplatesOf): Promise<boolean> {
  const from = await findCounted(tx)
  const happenings = await listAuditEvents(tx, from, true, HAPPENINGS_PER_TURN)
  const last = happenings.at(-1)
  if (last === undefined) return false
  await addCounts(tx, from, last, await count(tx, happenings, templatesOf))
  return happenings.length === HAPPENINGS_PER_TURN
}

/**
 * What happened in some months.
 *
 * @param ask Its first and its last month, as `2026-05-01`, and of which template; null: of all.
 * @returns The counts, and up to when everything is in them; null: up to now.
 */
export async function readCounts(
  { store }: Pick<Platform, 'store'>,
  tenantId: TenantId,
  ask: { readonly from: string; readonly until: string; readonly templateId: string | null },
  templatesOf: TemplatesOf,
): Promise<{ readonly counts: readonly Count[]; readonly countedUntil: Date | null }> {
  return store.inTenant(tenantId, async (tx) => {
    const { counted, counts } = await listCountRows(tx, ask)
    // What happens while the sweep is not there is few, unless very much does.
    const fresh = await listAuditEvents(tx, counted, false, LIVE_MAX)
    const live = (await count(tx, fresh, templatesOf)).filter(
      ({ month, templateId }) =>
        month >= ask.from && month <= ask.until && (ask.templateId === null || templateId === ask.templateId),
    )
    const countedUntil = fresh.length < LIVE_MAX ? null : (fresh.at(-1)?.at ?? null)
    return { counts: [...counts, ...live], countedUntil }
  })
}

async function count(tx: TenantTx, happenings: readonly AuditEvent[], templatesOf: TemplatesOf): Promise<Count[]> {
  const counted = happenings.filter((one) => metricOf(one) !== null)
  if (counted.length === 0) return []
  return countMetrics(counted, await templatesOf(tx, counted))
}
