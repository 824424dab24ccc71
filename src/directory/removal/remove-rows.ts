import { archiveTenant } from '../../events/archive/archive-months.ts'
import { record } from '../../events/audit/record.ts'
import { every, type Schedule } from '../../jobs/schedule.ts'
import type { Platform } from '../../platform.ts'
import { platformTenantId } from '../../store/store.ts'
import { listTenantTables, removeTenantRows } from '../../store/tenant-rows.ts'
import { closeTenant, deleteTenant } from '../tenants/tenant-store.ts'
import { addRemovedRows, endRemoved, listRemoved, setRemovedArchived } from './removal-store.ts'
import type { RemovedTenant } from './removed-tenant.ts'

type Needs = Pick<Platform, 'store' | 'clock' | 'keys' | 'config' | 'log'>

const ROWS_PER_PIECE = 1000
/** By then every server has noticed that the tenant is closed, and has answered what it was asked before. */
const CLOSED_MS = 60_000
/** Work that had begun may write until then: the longest job runs for less. */
const WATCHED_MS = 6 * 3_600_000

/** The sweep that removes the rows of tenants. */
export const removalSchedules: readonly Schedule[] = [
  every(60, 'directory.remove-tenants', removeRows, { timeoutSeconds: 600 }),
]

/**
 * Removes the rows of tenants that were removed a minute ago or earlier, in pieces, until all are gone or the signal is
 * aborted; the next run of the sweep removes the others.
 *
 * @throws the first error, after it has tried the other tenants
 */
export async function removeRows(needs: Needs, signal: AbortSignal): Promise<void> {
  const now = needs.clock.now().getTime()
  const endedAfter = new Date(now - WATCHED_MS)
  const errors: unknown[] = []
  for (const one of await needs.store.across('tenants that are removed', (tx) => listRemoved(tx, endedAfter))) {
    if (signal.aborted) break
    await removeRowsOf(needs, one, now, signal).catch((error: unknown) => {
      needs.log.error({ err: error, tenantId: one.id }, 'a removed tenant could not be removed further')
      errors.push(error)
    })
  }
  if (errors.length > 0) throw errors[0]
}

async function removeRowsOf(needs: Needs, removed: RemovedTenant, now: number, signal: AbortSignal): Promise<void> {
  const { store, clock } = needs
  // The process that recorded the removal may have died before it closed the tenant.
  if (removed.endedAt === null)
    await store.across('closing a tenant that is removed', (tx) => closeTenant(tx, removed.id, removed.removedAt))
  if (now < removed.removedAt.getTime() + CLOSED_MS) return
  if (removed.endedAt === null) {
    await destroyKeys(needs, removed)
    // Only before the first row goes: a later run would write less.
    if (removed.archivedAt === null && removed.rowsRemoved === 0) await archive(needs, removed, signal)
  }
  if (!(await emptyTables(needs, removed, signal)) || removed.endedAt !== null) return
  await store.across('the last row of a tenant that is removed', (tx) => deleteTenant(tx, removed.id))
  if (await emptyTables(needs, removed, signal)) await end(needs, removed, clock.now())
}

/** First, since the references to keys in a device are sealed with the data keys of the tenant. */
async function destroyKeys({ keys, log }: Needs, { id, slug }: RemovedTenant): Promise<void> {
  const lost = await keys.destroyAll(id)
  if (lost.length > 0)
    log.error({ tenantId: id, slug, keys: lost }, 'keys of a removed tenant may be in the device still')
}

async function archive(needs: Needs, removed: RemovedTenant, signal: AbortSignal): Promise<void> {
  if (!(await archiveTenant(needs, removed.id, signal))) return
  const now = needs.clock.now()
  await needs.store.single(platformTenantId, (tx) => setRemovedArchived(tx, removed, now))
}

/** @returns whether all are empty */
async function emptyTables({ store }: Needs, removed: RemovedTenant, signal: AbortSignal): Promise<boolean> {
  for (const table of await store.across('tables of tenants', listTenantTables)) {
    for (let isLeft = true; isLeft; ) {
      if (signal.aborted) return false
      const piece = await store.inTenant(removed.id, (tx) => removeTenantRows(tx, table, ROWS_PER_PIECE))
      if (piece.removed > 0) await store.single(platformTenantId, (tx) => addRemovedRows(tx, removed, piece.removed))
      isLeft = piece.isLeft
    }
  }
  return true
}

async function end({ store, log }: Needs, removed: RemovedTenant, now: Date): Promise<void> {
  const { id, slug } = removed
  await store.inTenant(platformTenantId, async (tx) => {
    const rows = await endRemoved(tx, removed, now)
    if (rows === null) return
    const about = { action: 'tenant.destroyed', subject: { kind: 'tenant', id }, by: 'system' } as const
    await record(tx, { ...about, detail: { slug, rows } }, now)
  })
  log.info({ tenantId: id, slug }, 'a removed tenant has no rows any more')
}
