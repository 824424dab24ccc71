import { Readable } from 'node:stream'
import type { Caller } from '../../caller.ts'
import { type BatchItemView, type Delimiter, type ItemColumn, itemColumns } from '../../contract/issuance/batches.ts'
import type { Platform } from '../../platform.ts'
import { writeCsv } from '../../tables/write-csv.ts'
import type { Batch, BatchItem, BatchItemStatus } from './batch.ts'
import { listBatchItems } from './batch-item-store.ts'
import { showBatchItem } from './batch-view.ts'

type Needs = Pick<Platform, 'store' | 'sealing' | 'clock' | 'urls' | 'memory'>

/** Items that are read and written before other requests get their turn. */
const ITEMS_PER_READ = 100

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

/** How the items are written, and which of them. */
type ItemsTable = { readonly status?: BatchItemStatus | undefined; readonly delimiter?: Delimiter | undefined }

/**
 * Returns the items of a batch as CSV, all of them in their order: for a mail merge, or with `failed` for repair. They
 * are read as the client takes them. `row` of JSON is the index.
 */
export function itemsTable(needs: Needs, caller: Caller, batch: Batch, asked: ItemsTable): Readable {
  return Readable.from(linesOf(needs, caller, batch, asked), { objectMode: false })
}

async function* linesOf(needs: Needs, caller: Caller, batch: Batch, { status, delimiter }: ItemsTable) {
  yield writeCsv([[...itemColumns]], delimiter)
  for await (const items of readItems(needs, caller, batch, status)) {
    const rows: string[][] = []
    for (const one of items) {
      const item = await showBatchItem(needs, caller, batch, one)
      rows.push(itemColumns.map((column) => String(cells[column](item) ?? '')))
    }
    yield writeCsv(rows, delimiter)
  }
}

/** Yields the items of a batch in their order, piece by piece. */
async function* readItems(
  { store, clock }: Needs,
  { tenantId }: Caller,
  { id }: Batch,
  status: BatchItemStatus | undefined,
): AsyncGenerator<readonly BatchItem[]> {
  const sort = { field: 'index', descending: false }
  let after: string | null = null
  do {
    const page = { size: ITEMS_PER_READ, after, before: null, sort, readDescending: false }
    const found: BatchItem[] = await store.single(tenantId, (tx) =>
      listBatchItems(tx, id, page, { status }, clock.now()),
    )
    const items = found.slice(0, ITEMS_PER_READ)
    yield items
    after = found.length > ITEMS_PER_READ ? (items.at(-1)?.id ?? null) : null
  } while (after !== null)
}
