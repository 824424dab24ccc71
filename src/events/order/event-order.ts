import type { Platform } from '../../platform.ts'
import { addTenantStates, beginErasOf, listForeignEras, lockEventOrder } from './era-store.ts'

type Needs = Pick<Platform, 'store' | 'log' | 'clock'>

/**
 * Begins a new era of events for each tenant whose data was moved to a database server with lower transaction ids.
 * Events are ordered by transaction id, so without a new era new events would come before old ones. Runs before any
 * event is recorded.
 */
export async function settleEventOrder({ store, log, clock }: Needs): Promise<void> {
  await store.across('tenants without a state of their events', addTenantStates)
  const found = await store.across('events of all tenants with foreign transaction ids', listForeignEras)
  if (found.length === 0) return
  const tenants = await store.across('new eras for tenants with foreign transaction ids', async (tx) => {
    await lockEventOrder(tx)
    let begun = 0
    // Under the lock, so that of two servers that start together one begins them. Until none is left: a row may be
    // behind by several eras.
    for (;;) {
      const foreign = await listForeignEras(tx)
      if (foreign.length === 0) return begun
      begun += await beginErasOf(tx, foreign, clock.now())
    }
  })
  log.info({ tenants }, 'new eras of events: the data came from another database server')
}

/**
 * Begins a new era of events for every tenant, whatever the transaction ids: readers that were beyond the restored
 * state find the new events all the same.
 */
export async function beginEras({ store, clock }: Pick<Platform, 'store' | 'clock'>): Promise<void> {
  await store.across('new eras of events after a restore', async (tx) => {
    await lockEventOrder(tx)
    await addTenantStates(tx)
    await beginErasOf(tx, null, clock.now())
  })
}
