import type { Caller } from '../../caller.ts'
import {
  type BatchBody,
  type BatchQuery,
  KEPT_COLUMNS_MAX,
  TABLE_COLUMNS_MAX,
  TABLE_ROWS_MAX,
} from '../../contract/issuance/batches.ts'
import { EXPIRES_IN_SECONDS } from '../../contract/issuance/issuances.ts'
import { XLSX } from '../../contract/media-types.ts'
import { isJsonObject, type Json, parseJson } from '../../crypto/json.ts'
import { faceOf } from '../../directory/tenants/face-of.ts'
import { findTenantOf } from '../../directory/tenants/find-tenant.ts'
import { Fault } from '../../fault.ts'
import { FileBody } from '../../http/routes/route.ts'
import type { Platform } from '../../platform.ts'
import { readTable } from '../../tables/read-table.ts'
import type { ReadTable } from '../../tables/table.ts'
import { tableFault } from '../../tables/table-fault.ts'
import { latestTemplate } from '../templates/template-cache.ts'
import type { BatchInput, BatchItemInput } from './accept-batch.ts'
import { headingsOf, itemsOfTable } from './batch-table.ts'

/**
 * Parses a batch from a request body: JSON, or a table in CSV or a workbook.
 *
 * @throws Fault `request.invalid` for a malformed table, `resource.unknown` for a table of an unknown template,
 *   `request.rate_limited` while other tables of the tenant are read
 */
export async function parseBatch(
  needs: Pick<Platform, 'store' | 'clock' | 'memory'>,
  caller: Caller,
  query: BatchQuery,
  body: BatchBody | FileBody,
): Promise<BatchInput> {
  const { check, ...ofTable } = query
  if (!(body instanceof FileBody)) {
    const misplaced = Object.keys(ofTable)
    if (misplaced.length > 0)
      throw refusal(misplaced, 'is only for tables; in JSON name and expiresInSeconds are members of the body.')
    return { ...body, form: 'json' }
  }
  const { credentialTemplateId, name, decimal, dates } = ofTable
  if (credentialTemplateId === undefined) throw refusal(['credentialTemplateId'], 'is missing; a table requires it.')
  const columns = columnsIn(ofTable.columns)
  const keep = headingsIn(ofTable.keep)
  const { definition } = await latestTemplate(needs, caller.tenantId, credentialTemplateId)
  const { timeZone } = faceOf(await findTenantOf(needs, caller.tenantId))
  const meaning = { decimal, dates, columns, keep, timeZone }
  const bounds = { rowsMax: TABLE_ROWS_MAX, columnsMax: TABLE_COLUMNS_MAX }
  const options = { ...bounds, ...formOf(body, ofTable), headings: headingsOf(definition, meaning) }
  const table = await readTable(needs, caller.tenantId, body.bytes, options)
  refuseOtherHeader(table, options.headerRow)
  const items = await itemsOfTable(table, definition, meaning)
  if (check !== 'true') refuseUnusable(items)
  const expiresInSeconds = secondsOf(ofTable.expiresInSeconds)
  return { credentialTemplateId, form: 'csv', items, expiresInSeconds, name, keptHeadings: keep }
}

/** @throws Fault `request.invalid` if the row that was named has no headings, or another one was taken for it */
function refuseOtherHeader(table: ReadTable, row: number | undefined): void {
  if (row === undefined || (table.headerRow === row && table.header.some((heading) => heading !== ''))) return
  throw tableFault('header', `Row ${row} has no headings.`, { row })
}

/** @throws Fault `request.invalid` for an item with a cell that cannot be used */
function refuseUnusable(items: readonly BatchItemInput[]): void {
  const first = items.find(({ unusable }) => unusable !== undefined)
  const [cell] = first?.unusable ?? []
  if (first?.row === undefined || cell === undefined) return
  const { row } = first
  const { column, violation } = cell
  const place = column === null ? `Row ${row}` : `Row ${row}, column ${column}`
  throw tableFault('cell', `${place}: ${violation.detail}`, { row, ...(column !== null && { column }) })
}

/** CSV is read as it is written; a workbook as the console reads it. */
function formOf({ type, charset }: FileBody, { delimiter, sheet, ...query }: BatchQuery) {
  const headerRow = query.headerRow === undefined ? undefined : Number(query.headerRow)
  if (type === XLSX) {
    if (delimiter !== undefined) throw refusal(['delimiter'], 'is only for text/csv.')
    return { kind: 'workbook', cells: 'tidied', sheet, headerRow } as const
  }
  if (sheet !== undefined) throw refusal(['sheet'], 'is only for a workbook.')
  return { kind: 'text', cells: 'exact', encoding: charset ?? 'utf-8', delimiter, headerRow } as const
}

/** Reads the mapping of the columns: a JSON object of strings. */
function columnsIn(text: string | undefined): Readonly<Record<string, string>> | undefined {
  if (text === undefined) return undefined
  const found = orNull(text)
  const isMapping = isJsonObject(found) && Object.values(found).every((name) => typeof name === 'string')
  if (!isMapping) throw refusal(['columns'], 'must be a JSON object of strings: the new name of each column.')
  // Checked above.
  return found as Readonly<Record<string, string>>
}

/** Reads the headings of the columns that are kept: a JSON array of strings. */
function headingsIn(text: string | undefined): readonly string[] | undefined {
  if (text === undefined) return undefined
  const found = orNull(text)
  const isList = Array.isArray(found) && found.every((heading) => typeof heading === 'string')
  if (!isList || found.length === 0 || found.length > KEPT_COLUMNS_MAX || new Set(found).size < found.length)
    throw refusal(['keep'], `must be a JSON array of strings, 1 to ${KEPT_COLUMNS_MAX} different headings.`)
  return found
}

function orNull(text: string): Json {
  try {
    return parseJson(text)
  } catch {
    return null
  }
}

function secondsOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const seconds = Number(text)
  const { minimum, maximum } = EXPIRES_IN_SECONDS
  if (seconds >= minimum && seconds <= maximum) return seconds
  throw refusal(['expiresInSeconds'], `must be between ${minimum} and ${maximum}.`)
}

function refusal(parameters: readonly string[], why: string): Fault {
  const violations = parameters.map((parameter) => ({ detail: `${parameter} ${why}`, parameter }))
  return new Fault('request.invalid', { violations })
}
