import { join } from 'node:path'
import type { TenantId } from '../../caller.ts'
import type { Config } from '../../config.ts'
import type { Platform } from '../../platform.ts'
import { writeMonth } from './archive-file.ts'
import { firstDayOf, type Month, monthOf, monthsAfter } from './month.ts'
import {
  type ArchivedEntry,
  addAuditMonth,
  dropAuditMonth,
  entriesAfter,
  listAuditMonths,
  tenantWithEntries,
} from './month-store.ts'

type Needs = Pick<Platform, 'store' | 'clock' | 'log'> & {
  readonly config: Pick<Config, 'auditRetentionDays' | 'auditArchive'>
}

const MONTHS_AHEAD = 2
const ENTRIES_PER_PAGE = 1000
const DAY_MS = 86_400_000
const LEAST = '00000000-0000-0000-0000-000000000000' as TenantId

/**
 * Makes the tables of this month and the next ones, then writes months that ended longer ago than AUDIT_RETENTION_DAYS to AUDIT_ARCHIVE and
 * drops them, the oldest first. A month is dropped only after the entries of every tenant were written and synced.
 */
export async function keepMonths(needs: Needs, signal: AbortSignal): Promise<void> {
  const { store, clock, config } = needs
  const current = monthOf(clock.now())
  for (let ahead = 0; ahead <= MONTHS_AHEAD; ahead += 1) {
    await store.across('a table for a month of the audit trail', (tx) => addAuditMonth(tx, monthsAfter(current, ahead)))
  }
  if (config.auditRetentionDays === null || config.auditArchive === null) return
  const before = clock.now().getTime() - config.auditRetentionDays * DAY_MS
  for (const month of await store.across('months of the audit trail', listAuditMonths)) {
    if (firstDayOf(monthsAfter(month, 1)).getTime() > before || signal.aborted) return
    await archiveMonth(needs, config.auditArchive, month, signal)
  }
}

async function archiveMonth({ store, log }: Needs, folder: string, month: Month, signal: AbortSignal): Promise<void> {
  let tenantId = await tenantAfter(store, month, LEAST)
  let count = 0
  while (tenantId !== null) {
    signal.throwIfAborted()
    await writeMonth(join(folder, tenantId), month, tenantId, entriesOf(store, tenantId, month))
    count += 1
    tenantId = await tenantAfter(store, month, tenantId)
  }
  await store.across('a month of the audit trail that was archived', (tx) => dropAuditMonth(tx, month))
  log.info({ month, tenants: count }, 'a month of the audit trail was archived and dropped')
}

function tenantAfter(store: Platform['store'], month: Month, after: TenantId): Promise<TenantId | null> {
  return store.across('the next tenant whose audit trail is archived', (tx) => tenantWithEntries(tx, month, after))
}

async function* entriesOf(
  store: Platform['store'],
  tenantId: TenantId,
  month: Month,
): AsyncGenerator<readonly ArchivedEntry[]> {
  const pageAfter = (id: string | null) => store.single(tenantId, (tx) => entriesAfter(tx, month, id, ENTRIES_PER_PAGE))
  let after: string | null = null
  for (;;) {
    const page: readonly ArchivedEntry[] = await pageAfter(after)
    if (page.length > 0) yield page
    if (page.length < ENTRIES_PER_PAGE) return
    after = page.at(-1)?.id ?? null
  }
}
