import type { Caller } from '../../caller.ts'
import type { Platform } from '../../platform.ts'
import type { Delimiter } from '../../tables/read-csv.ts'
import { writeCsv } from '../../tables/write-csv.ts'
import type { Batch, BatchItemStatus } from './batch.ts'
import { listBatchItems } from './batch-item-store.ts'
import { showBatchItem } from './batch-view.ts'
import { BATCH_ITEMS_MAX, type BatchItemView } from './schemas.ts'

type Needs = Pick<Platform, 'store' | 'sealing' | 'clock' | 'urls' | 'memory'>

const columns: readonly (readonly [heading: string, cell: (item: BatchItemView) => string | number | undefined])[] = [
  ['row', ({ row, index }) => row ?? index],
  ['reference', ({ reference }) => reference],
  ['status', ({ status }) => status],
  ['issuanceId', ({ issuanceId }) => issuanceId],
  ['offerPageUri', ({ offerPageUri }) => offerPageUri],
  ['offerUri', ({ offerUri }) => offerUri],
  ['txCode', ({ txCode }) => txCode],
  ['error', ({ error }) => error?.code],
  ['column', ({ error }) => error?.column],
  ['detail', ({ error }) => error?.detail],
  ['mail', ({ offerMail }) => offerMail?.state],
]

/** The columns of the table. */
export const ITEM_COLUMNS: readonly string[] = columns.map(([heading]) => heading)

/** Returns the items of a batch as a table, all of them in their order: for a mail merge, or with `failed` for repair. `row` of JSON is the index. */
export async function itemsTable(
  needs: Needs,
  caller: Caller,
  batch: Batch,
  { status, delimiter }: { readonly status?: BatchItemStatus | undefined; readonly delimiter?: Delimiter | undefined },
): Promise<string> {
  const sort = { field: 'index', descending: false }
  const page = { size: BATCH_ITEMS_MAX, after: null, before: null, sort, readDescending: false }
  const found = await needs.store.single(caller.tenantId, (tx) =>
    listBatchItems(tx, batch.id, page, { status }, needs.clock.now()),
  )
  const rows = [[...ITEM_COLUMNS]]
  for (const one of found) {
    const item = await showBatchItem(needs, caller, batch, one)
    rows.push(columns.map(([, cell]) => String(cell(item) ?? '')))
  }
  return writeCsv(rows, delimiter)
}
