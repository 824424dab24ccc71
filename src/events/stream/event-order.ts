import type { Platform } from '../../platform.ts'
import { endEra, findForeignEra } from './event-store.ts'

/**
 * Events are ordered by the transaction that recorded them, and another database server counts transactions anew. When the data was moved
 * to one that is behind, a new era begins, so that what is recorded from now on comes after all there is. Runs before anything is
 * recorded.
 */
export async function settleEventOrder({ store, log }: Pick<Platform, 'store' | 'log'>): Promise<void> {
  const ended = await store.across('events of all tenants that another database server numbered', async (tx) => {
    const era = await findForeignEra(tx)
    if (era !== null) await endEra(tx, era)
    return era
  })
  if (ended !== null) log.info({ era: ended + 1 }, 'the data came from another database server: a new era of events')
}
