import { Readable } from 'node:stream'
import { type Caller, holds } from '../../caller.ts'
import { type BatchItemView, type Delimiter, type ItemColumn, itemColumns } from '../../contract/issuance/batches.ts'
import type { Language } from '../../contract/languages.ts'
import { writeCsv } from '../../tables/write-csv.ts'
import { writeWorkbook } from '../../tables/write-workbook.ts'
import type { Batch, BatchItemStatus } from '../batches/batch.ts'
import { txCodeOf } from '../templates/template.ts'
import { latestTemplate } from '../templates/template-cache.ts'
import { handOutTexts } from './hand-out-texts.ts'
import { type HandOutNeeds, keptHeadings, readHandOut } from './read-hand-out.ts'

/** A column besides those that the batch keeps. */
type Column = { readonly heading: string; readonly cell: (item: BatchItemView) => string | number | undefined }

const cells: Readonly<Record<ItemColumn, Column['cell']>> = {
  offerPageUri: ({ offerPageUri }) => offerPageUri,
  txCode: ({ txCode }) => txCode,
  status: ({ status }) => status,
  detail: ({ error }) => error?.detail,
  row: ({ row, index }) => row ?? index,
  reference: ({ reference }) => reference,
  issuanceId: ({ issuanceId }) => issuanceId,
  offerUri: ({ offerUri }) => offerUri,
  error: ({ error }) => error?.code,
  column: ({ error }) => error?.column,
  mail: ({ offerMail }) => offerMail?.state,
  validFrom: ({ validFrom }) => validFrom,
  validUntil: ({ validUntil }) => validUntil,
  replaces: ({ replaces }) => replaces?.issuanceId,
}
const allColumns = itemColumns.map((heading): Column => ({ heading, cell: cells[heading] }))

/** Which items, and how their table is written. */
type ItemsTable = {
  readonly status?: BatchItemStatus | undefined
  /** In words of this language, with what people need; by default with all members of the API by their names. */
  readonly language?: Language | undefined
}

/**
 * Returns the items of a batch as CSV, all of them in their order: for a mail merge, or with `failed` for repair. The
 * columns that the batch keeps come first. `row` of JSON is the index.
 */
export function itemsCsv(
  needs: HandOutNeeds,
  caller: Caller,
  batch: Batch,
  { delimiter, ...asked }: ItemsTable & { readonly delimiter?: Delimiter | undefined },
): Readable {
  return Readable.from(csvOf(rowsOf(needs, caller, batch, asked), delimiter), { objectMode: false })
}

/** Returns the same as a workbook, whose cells are all texts. */
export function itemsWorkbook(needs: HandOutNeeds, caller: Caller, batch: Batch, asked: ItemsTable): Readable {
  return Readable.from(writeWorkbook(rowsOf(needs, caller, batch, asked)), { objectMode: false })
}

type Rows = AsyncGenerator<readonly (readonly string[])[]>

async function* csvOf(rows: Rows, delimiter: Delimiter | undefined): AsyncGenerator<string> {
  for await (const piece of rows) yield writeCsv(piece, delimiter)
}

async function* rowsOf(needs: HandOutNeeds, caller: Caller, batch: Batch, asked: ItemsTable): Rows {
  const headings = await keptHeadings(needs, caller, batch)
  const columns = asked.language === undefined ? allColumns : await columnsFor(needs, caller, batch, asked, headings)
  yield [[...headings, ...columns.map(({ heading }) => heading)]]
  for await (const items of readHandOut(needs, caller, batch, asked.status)) {
    yield items.map(({ view, kept }) => [
      ...headings.map((_, at) => kept.cells?.[at] ?? ''),
      ...columns.map(({ cell }) => String(cell(view) ?? '')),
    ])
  }
}

/** The columns for people: without those that no asked item can have, and without rows where the own columns tell. */
async function columnsFor(
  needs: HandOutNeeds,
  caller: Caller,
  batch: Batch,
  { status, language = 'en' }: ItemsTable,
  headings: readonly string[],
): Promise<readonly Column[]> {
  const t = handOutTexts[language]
  const hasLinks = status !== 'failed' && status !== 'waiting' && holds(caller, 'issuance:write')
  const columns: readonly (Column | false)[] = [
    headings.length === 0 && { heading: t.row, cell: cells.row },
    headings.length === 0 && { heading: t.reference, cell: cells.reference },
    hasLinks && { heading: t.link, cell: cells.offerPageUri },
    hasLinks && (await hasCodes(needs, caller, batch)) && { heading: t.code, cell: cells.txCode },
    status === undefined && { heading: t.state, cell: (item) => t.states[item.status] },
    status !== 'done' && status !== 'waiting' && { heading: t.wrong, cell: cells.detail },
    batch.mails > 0 && hasLinks && { heading: t.mail, cell: mailStateIn(t) },
  ]
  return columns.filter((column) => column !== false)
}

async function hasCodes(needs: HandOutNeeds, { tenantId }: Caller, { templateId }: Batch): Promise<boolean> {
  const { definition } = await latestTemplate(needs, tenantId, templateId)
  return txCodeOf(definition) !== null
}

function mailStateIn(t: (typeof handOutTexts)[Language]): Column['cell'] {
  return ({ offerMail }) => offerMail && t.mailStates[offerMail.state]
}
