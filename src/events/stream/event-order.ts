import type { Platform } from '../../platform.ts'
import { currentEra, endEra, findForeignEra } from './event-store.ts'

/**
 * Starts a new era of events after the data was moved to a database server with lower transaction ids. Events are ordered by transaction
 * id, so without a new era new events would come before old ones. Runs before any event is recorded.
 */
export async function settleEventOrder({ store, log }: Pick<Platform, 'store' | 'log'>): Promise<void> {
  const ended = await store.across('events of all tenants with foreign transaction ids', async (tx) => {
    const era = await findForeignEra(tx)
    if (era !== null) await endEra(tx, era)
    return era
  })
  if (ended !== null) log.info({ era: ended + 1 }, 'new era of events: the data came from another database server')
}

/** Begins a new era of events, whatever the transaction ids: readers that were beyond the restored state find the new events all the same. */
export async function beginEra({ store }: Pick<Platform, 'store'>): Promise<void> {
  await store.across('a new era of events after a restore', async (tx) => endEra(tx, await currentEra(tx)))
}
