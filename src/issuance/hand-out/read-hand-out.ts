import { type Caller, holds } from '../../caller.ts'
import type { BatchItemView } from '../../contract/issuance/batches.ts'
import type { Platform } from '../../platform.ts'
import type { Batch, BatchItem, BatchItemStatus } from '../batches/batch.ts'
import { listBatchItems } from '../batches/batch-item-store.ts'
import { showBatchItem } from '../batches/batch-view.ts'
import { type KeptRow, keptHeadingsColumn, keptRowColumn } from '../batches/kept-row.ts'
import { findKeptHeadings, listKeptRows, type SealedKeptRow } from '../batches/kept-row-store.ts'

/** What the hand-out of a batch needs of the platform. */
export type HandOutNeeds = Pick<Platform, 'store' | 'sealing' | 'clock' | 'urls' | 'memory'>

/** An item with what is kept of its row, and of its issuance what it is called in lists, sealed, and when it ends. */
export type HandOutItem = {
  readonly item: BatchItem
  readonly view: BatchItemView
  readonly kept: KeptRow
  readonly sealedLabel: Buffer | null
  readonly expiresAt: Date | null
}

/** Items that one statement reads. */
const ITEMS_PER_READ = 100
/** Items that are shown before other requests get their turn: a row may have some hundred kilobytes. */
const ITEMS_PER_TURN = 10

/**
 * Returns the headings of the columns that a batch keeps; none for a caller who may not issue: the columns may hold
 * anything about people, and serve the hand-out alone.
 */
export async function keptHeadings(
  { store, sealing }: HandOutNeeds,
  caller: Caller,
  { id }: Batch,
): Promise<readonly string[]> {
  const { tenantId } = caller
  if (!holds(caller, 'issuance:write')) return []
  const sealed = await store.single(tenantId, (tx) => findKeptHeadings(tx, id))
  return sealed === null ? [] : keptHeadingsColumn.open(sealing, tenantId, id, sealed)
}

/**
 * Yields the items of a batch in their order, piece by piece, as the client takes them. Nothing is kept of their rows
 * for a caller who may not issue.
 */
export async function* readHandOut(
  needs: HandOutNeeds,
  caller: Caller,
  batch: Batch,
  status: BatchItemStatus | undefined,
): AsyncGenerator<readonly HandOutItem[]> {
  const sort = { field: 'index', descending: false }
  let after: string | null = null
  do {
    const page = { size: ITEMS_PER_READ, after, before: null, sort, readDescending: false }
    const found: BatchItem[] = await needs.store.single(caller.tenantId, (tx) =>
      listBatchItems(tx, batch.id, page, { status }, needs.clock.now()),
    )
    const items = found.slice(0, ITEMS_PER_READ)
    yield* withRows(needs, caller, batch, items)
    after = found.length > ITEMS_PER_READ ? (items.at(-1)?.id ?? null) : null
  } while (after !== null)
}

async function* withRows(
  needs: HandOutNeeds,
  caller: Caller,
  batch: Batch,
  items: readonly BatchItem[],
): AsyncGenerator<readonly HandOutItem[]> {
  const { tenantId } = caller
  const ids = holds(caller, 'issuance:write') ? items.map(({ id }) => id) : []
  const rows = ids.length === 0 ? [] : await needs.store.single(tenantId, (tx) => listKeptRows(tx, ids))
  const byId = new Map<string, SealedKeptRow>(rows.map((row) => [row.id, row]))
  let shown: HandOutItem[] = []
  for (const item of items) {
    if (shown.length === ITEMS_PER_TURN) {
      yield shown
      shown = []
      await new Promise(setImmediate)
    }
    const { sealedKept = null, sealedLabel = null, expiresAt = null } = byId.get(item.id) ?? {}
    const kept = sealedKept === null ? {} : await keptRowColumn.open(needs.sealing, tenantId, item.id, sealedKept)
    const view = await showBatchItem(needs, caller, batch, item)
    shown.push({ item, view, kept, sealedLabel, expiresAt })
  }
  yield shown
}
