import type { TenantId } from '../caller.ts'
import type { JsonObject } from '../crypto/json.ts'
import { record } from '../events/audit/record.ts'
import { beginEras } from '../events/order/event-order.ts'
import type { Platform } from '../platform.ts'
import { isWrittenUuid } from '../uuid.ts'
import { countRestored, findDeploymentBeat } from './deployment-store.ts'
import { readJournalOf } from './journal-place.ts'
import { markPlaceOf } from './mark-place.ts'
import { type JournalReplay, RESTORE_ROWS_MAX, type Recovery, type Restore, type RestoreStep } from './restore.ts'

type Needs = Pick<Platform, 'store' | 'clock' | 'config'>

/** What `chirograph recover` did. `rows`: how many of each kind. `problems`: what a person has to look at. */
export type RecoveryReport = {
  readonly since: string
  /** Until when the lost state was served, as far as the mark tells; null without a mark. */
  readonly lostUntil: string | null
  readonly tenants: number
  readonly rows: Readonly<Record<string, number>>
  readonly journalLines: number
  /**
   * Until when proofs that were used in the lost time are accepted again, because they were not waited for; null: none
   * is.
   */
  readonly proofsOpenUntil: string | null
  readonly problems: readonly string[]
}

/**
 * Longest life of what is used once, is signed by others and is not in a table that the steps end: DPoP proofs, proofs
 * of attested keys, client assertions of the usual length. Nonces of ours end by themselves, since their key is another
 * one after the recovery.
 */
const SHORT_LIFE_MS = 600_000
/** Clocks of servers differ: lines that are a little older than the backup are repeated too, which does no harm. */
const SKEW_MS = 3_600_000

/**
 * Makes a restored older state of the database safe to serve: ends what may have been used since, moves ahead what must
 * not be used twice, repeats the revocations that the journal has, begins a new era of the events of every tenant, and
 * records `deployment.restored` for every tenant. No server may run meanwhile. After a failure it is run again.
 *
 * @param tenants All of them, disabled ones included.
 * @param since The time of the backup.
 * @param wait Called with the milliseconds until short-lived proofs of the lost time have expired; without a mark it
 *   may have lasted until now. null: does not wait, and reports until when they are accepted again.
 * @throws Error if `since` lies in the future, or the mark is of another deployment or cannot be read
 */
export async function recover(
  platform: Needs,
  restores: readonly Restore[],
  tenants: readonly TenantId[],
  since: Date,
  wait: ((ms: number) => Promise<void>) | null,
): Promise<RecoveryReport> {
  const { store, clock, config } = platform
  if (since > clock.now()) throw new Error('--since lies in the future: name the time of the backup')
  const place = markPlaceOf(config)
  const mark = place === null ? null : await place.read()
  const found = await store.across('how far the database has counted', findDeploymentBeat)
  if (mark !== null && mark.deployment !== found.deployment)
    throw new Error('RECOVERY_MARK is of another deployment: correct DATABASE_URL, or name another file')
  const rows = await runSteps(
    platform,
    tenants,
    restores.flatMap(({ steps }) => steps),
    { now: clock.now(), since },
  )
  const replayed = await replayJournal(
    platform,
    new Set(tenants),
    restores.flatMap(({ replays = [] }) => replays),
    since,
  )
  await beginEras(platform)
  await recordRestored(platform, tenants, found.deployment, since)
  // Until then a proof that was accepted in the lost time would be accepted again.
  const safeAt = new Date((mark === null ? clock.now().getTime() : Date.parse(mark.at)) + SHORT_LIFE_MS)
  const waitMs = safeAt.getTime() - clock.now().getTime()
  if (waitMs > 0) await wait?.(waitMs)
  const proofsOpenUntil = wait === null && waitMs > 0 ? safeAt.toISOString() : null
  const beat = await store.across('counts beyond the lost state', (tx) =>
    countRestored(tx, mark?.beat ?? 0, clock.now(), since),
  )
  await place?.write({ ...beat, at: clock.now().toISOString() })
  const about = { since: since.toISOString(), lostUntil: mark?.at ?? null, tenants: tenants.length }
  const problems = mark === null ? [NO_MARK, ...replayed.problems] : replayed.problems
  return { ...about, rows, ...replayed, proofsOpenUntil, problems }
}

const NO_MARK =
  'there is no recovery mark: how long the lost state was served is unknown, and restoring an older state would not be noticed'

async function runSteps(
  { store }: Pick<Platform, 'store'>,
  tenants: readonly TenantId[],
  steps: readonly RestoreStep[],
  recovery: Recovery,
): Promise<Record<string, number>> {
  const rows: Record<string, number> = {}
  for (const tenantId of tenants) {
    for (const { name, run } of steps) {
      let changed = RESTORE_ROWS_MAX
      while (changed >= RESTORE_ROWS_MAX) {
        changed = await store.inTenant(tenantId, (tx) => run(tx, recovery))
        rows[name] = (rows[name] ?? 0) + changed
      }
    }
  }
  return rows
}

async function replayJournal(
  platform: Needs,
  tenants: ReadonlySet<string>,
  replays: readonly JournalReplay[],
  since: Date,
): Promise<Pick<RecoveryReport, 'journalLines' | 'problems'>> {
  const journal = readJournalOf(platform.config, new Date(since.getTime() - SKEW_MS))
  if (journal === null)
    return { journalLines: 0, problems: ['REVOCATION_JOURNAL is not set: revocations after the backup are undone'] }
  const lines = new Map<string, JsonObject[]>()
  const problems: string[] = []
  for await (const { place, line } of journal) {
    if (typeof line.at !== 'string' || Date.parse(line.at) < since.getTime() - SKEW_MS) continue
    if (isWrittenUuid(line.tenantId) && tenants.has(line.tenantId)) {
      const some = lines.get(line.tenantId) ?? []
      some.push(line)
      lines.set(line.tenantId, some)
    } else problems.push(`${place} is of a tenant that the restored state does not have`)
  }
  let journalLines = 0
  for (const [tenantId, all] of lines) {
    for (const { kind, replay } of replays) {
      const result = await replay(
        platform,
        tenantId as TenantId,
        all.filter((line) => line.kind === kind),
      )
      journalLines += result.applied
      problems.push(...result.problems)
    }
  }
  return { journalLines, problems }
}

async function recordRestored(
  { store, clock }: Needs,
  tenants: readonly TenantId[],
  deployment: string,
  since: Date,
): Promise<void> {
  const entry = {
    action: 'deployment.restored',
    subject: { kind: 'deployment', id: deployment },
    by: 'system',
    detail: { since: since.toISOString() },
  } as const
  for (const tenantId of tenants) await store.inTenant(tenantId, (tx) => record(tx, entry, clock.now()))
}
