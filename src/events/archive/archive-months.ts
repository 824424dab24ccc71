import { join } from 'node:path'
import type { TenantId } from '../../caller.ts'
import type { Config } from '../../config.ts'
import type { Platform } from '../../platform.ts'
import { entriesOfFile, removeUnfinished, writeMonth } from './archive-file.ts'
import { firstDayOf, type Month, monthOf, monthsAfter } from './month.ts'
import {
  type ArchivedEntry,
  countAfter,
  dropAuditMonth,
  type EntryCount,
  entriesAfter,
  listAuditMonths,
  makeAuditMonth,
  tenantWithEntries,
} from './month-store.ts'

type Needs = Pick<Platform, 'store' | 'clock' | 'log'> & {
  readonly config: Pick<Config, 'auditRetentionDays' | 'auditArchive'>
}

const MONTHS_AHEAD = 2
/**
 * Entries without a month that are read and moved in one transaction, while nobody can read the audit trail: a third of
 * a second.
 */
const STRAY_ENTRIES_MAX = 20_000
const ENTRIES_PER_PAGE = 1000
const IDS_PER_PAGE = 20_000
const DAY_MS = 86_400_000

/**
 * Makes the tables of this month and the next ones, then writes months that ended longer ago than AUDIT_RETENTION_DAYS
 * to AUDIT_ARCHIVE and drops them, the oldest first. A month is dropped only after the entries of every tenant were
 * written and synced. A run of this job that is ended leaves the files that it finished; the next run of the job writes
 * the files that are missing.
 */
export async function keepMonths(needs: Needs, signal: AbortSignal): Promise<void> {
  const { store, clock, config } = needs
  const current = monthOf(clock.now())
  for (let ahead = 0; ahead <= MONTHS_AHEAD; ahead += 1) await makeMonth(needs, monthsAfter(current, ahead))
  if (config.auditRetentionDays === null || config.auditArchive === null) return
  const before = clock.now().getTime() - config.auditRetentionDays * DAY_MS
  for (const month of await store.across('months of the audit trail', listAuditMonths)) {
    if (firstDayOf(monthsAfter(month, 1)).getTime() > before || signal.aborted) return
    await archiveMonth(needs, config.auditArchive, month, signal)
  }
}

/** A month without a table costs nothing at once: its entries go to the table of the rest, which is never archived. */
async function makeMonth({ store, log }: Needs, month: Month): Promise<void> {
  const isMade = await store.across('a table for a month of the audit trail', (tx) =>
    makeAuditMonth(tx, month, STRAY_ENTRIES_MAX),
  )
  if (isMade) return
  log.warn(
    { month, entriesMax: STRAY_ENTRIES_MAX },
    'a month of the audit trail has no table: too many entries have a time without a month. See docs/operations.md: sort_audit_rest()',
  )
}

async function archiveMonth({ store, log }: Needs, folder: string, month: Month, signal: AbortSignal): Promise<void> {
  await removeUnfinished(folder)
  let tenantId = await tenantAfter(store, month, null)
  let count = 0
  while (tenantId !== null) {
    await archiveMonthOf(store, folder, month, tenantId, signal)
    count += 1
    tenantId = await tenantAfter(store, month, tenantId)
  }
  signal.throwIfAborted()
  await store.across('a month of the audit trail that was archived', (tx) => dropAuditMonth(tx, month))
  log.info({ month, tenants: count }, 'a month of the audit trail was archived and dropped')
}

/**
 * Writes the entries of a tenant that is removed to AUDIT_ARCHIVE, those of this month too. Entries without a month are
 * not written.
 *
 * @returns false without AUDIT_ARCHIVE
 */
export async function archiveTenant(needs: Needs, tenantId: TenantId, signal: AbortSignal): Promise<boolean> {
  const { store, config } = needs
  if (config.auditArchive === null) return false
  for (const month of await store.across('months of the audit trail', listAuditMonths)) {
    const { count } = await store.single(tenantId, (tx) => countAfter(tx, month, null, 1))
    if (count > 0) await archiveMonthOf(store, config.auditArchive, month, tenantId, signal)
  }
  return true
}

/** Writes the entries of a month, unless they are in the file already. */
async function archiveMonthOf(
  store: Platform['store'],
  folder: string,
  month: Month,
  tenantId: TenantId,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted()
  const ofTenant = join(folder, tenantId)
  const written = await entriesOfFile(ofTenant, month, tenantId, signal)
  // Entries may have come since: those of a server whose clock is wrong. Fewer are left of a tenant that is removed.
  if (written === null || written < (await countOf(store, tenantId, month, signal)))
    await writeMonth(ofTenant, month, tenantId, entriesOf(store, tenantId, month, signal))
}

function tenantAfter(store: Platform['store'], month: Month, after: TenantId | null): Promise<TenantId | null> {
  return store.across('the next tenant whose audit trail is archived', (tx) => tenantWithEntries(tx, month, after))
}

/** Counts in pieces, so that no statement is long. */
async function countOf(store: Platform['store'], tenantId: TenantId, month: Month, signal: AbortSignal) {
  let total = 0
  let after: string | null = null
  do {
    signal.throwIfAborted()
    const from: string | null = after
    const page: EntryCount = await store.single(tenantId, (tx) => countAfter(tx, month, from, IDS_PER_PAGE))
    total += page.count
    after = page.count < IDS_PER_PAGE ? null : page.last
  } while (after !== null)
  return total
}

async function* entriesOf(
  store: Platform['store'],
  tenantId: TenantId,
  month: Month,
  signal: AbortSignal,
): AsyncGenerator<readonly ArchivedEntry[]> {
  const pageAfter = (id: string | null) => store.single(tenantId, (tx) => entriesAfter(tx, month, id, ENTRIES_PER_PAGE))
  let after: string | null = null
  for (;;) {
    signal.throwIfAborted()
    const page: readonly ArchivedEntry[] = await pageAfter(after)
    if (page.length > 0) yield page
    if (page.length < ENTRIES_PER_PAGE) break
    after = page.at(-1)?.id ?? null
  }
  // A run that was slower than its lease must not replace the file of the one that took over.
  if (!(await store.across('months of the audit trail', listAuditMonths)).includes(month))
    throw new Error(`another process has archived ${month}`)
}
