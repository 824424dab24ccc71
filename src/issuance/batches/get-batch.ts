import type { Caller } from '../../caller.ts'
import { BATCH_ITEMS_SHOWN, type BatchItemView, type BatchWithItemsView } from '../../contract/issuance/batches.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import type { TenantTx } from '../../store/store.ts'
import type { Batch } from './batch.ts'
import { listBatchItems } from './batch-item-store.ts'
import { countFailedBatches, findBatch } from './batch-store.ts'
import { showBatch, showBatchItem } from './batch-view.ts'

type Needs = Pick<Platform, 'store' | 'sealing' | 'clock' | 'urls' | 'memory'>

/** Returns one batch of the tenant. @throws Fault `resource.unknown` */
export async function getBatch({ store }: Pick<Needs, 'store'>, { tenantId }: Caller, id: string): Promise<Batch> {
  const found = await store.single(tenantId, (tx) => findBatch(tx, id))
  if (found === null) throw new Fault('resource.unknown')
  return found
}

/** Returns one batch with its first items as in our API. @throws Fault `resource.unknown` */
export async function getBatchWithItems(needs: Needs, caller: Caller, id: string): Promise<BatchWithItemsView> {
  const { store, clock } = needs
  const page = { size: BATCH_ITEMS_SHOWN, after: null, before: null, sort: { field: 'index' }, readDescending: false }
  // The batch first: the items then include every outcome that it counts.
  const batch = await getBatch(needs, caller, id)
  const found = await store.single(caller.tenantId, (tx) => listBatchItems(tx, id, page, {}, clock.now()))
  const items: BatchItemView[] = []
  for (const one of found.slice(0, BATCH_ITEMS_SHOWN)) items.push(await showBatchItem(needs, caller, batch, one))
  return { ...showBatch(batch), items }
}

/** Counts the batches of the tenant with failed items that changed after a time. */
export function failedBatches(tx: TenantTx, since: Date): Promise<number> {
  return countFailedBatches(tx, since)
}
