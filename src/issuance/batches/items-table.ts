import type { Caller } from '../../caller.ts'
import {
  BATCH_ITEMS_MAX,
  type BatchItemView,
  type Delimiter,
  type ItemColumn,
  itemColumns,
} from '../../contract/issuance/batches.ts'
import type { Platform } from '../../platform.ts'
import { writeCsv } from '../../tables/write-csv.ts'
import type { Batch, BatchItemStatus } from './batch.ts'
import { listBatchItems } from './batch-item-store.ts'
import { showBatchItem } from './batch-view.ts'

type Needs = Pick<Platform, 'store' | 'sealing' | 'clock' | 'urls' | 'memory'>

const cells: Readonly<Record<ItemColumn, (item: BatchItemView) => string | number | undefined>> = {
  row: ({ row, index }) => row ?? index,
  reference: ({ reference }) => reference,
  status: ({ status }) => status,
  issuanceId: ({ issuanceId }) => issuanceId,
  offerPageUri: ({ offerPageUri }) => offerPageUri,
  offerUri: ({ offerUri }) => offerUri,
  txCode: ({ txCode }) => txCode,
  error: ({ error }) => error?.code,
  column: ({ error }) => error?.column,
  detail: ({ error }) => error?.detail,
  mail: ({ offerMail }) => offerMail?.state,
}

/**
 * Returns the items of a batch as a table, all of them in their order: for a mail merge, or with `failed` for repair.
 * `row` of JSON is the index.
 */
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
  const rows: string[][] = [[...itemColumns]]
  for (const one of found) {
    const item = await showBatchItem(needs, caller, batch, one)
    rows.push(itemColumns.map((column) => String(cells[column](item) ?? '')))
  }
  return writeCsv(rows, delimiter)
}
