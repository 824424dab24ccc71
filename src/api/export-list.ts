import { Readable } from 'node:stream'
import type { TSchema } from 'typebox'
import { CSV, NDJSON } from '../contract/media-types.ts'
import { type RawAnswer, rawAnswer } from '../http/routes/route.ts'
import type { BoundedRows } from '../store/paged-list.ts'
import { csvLine } from './csv.ts'
import type { ListRequest } from './list.ts'

/** Rows of an export; the next one begins with `page[after]`. */
const ROWS_MAX = 10_000
const ROWS_PER_READ = 500

/** A list to export. */
type Exported<Row> = {
  readonly read: (list: ListRequest) => Promise<readonly Row[] | BoundedRows<Row>>
  readonly show: (row: Row) => unknown
  /** Schema of a row; its members are the columns. */
  readonly reply: TSchema
}

/** Whether a list was asked for as a file. */
export function isExport(responseType: string): boolean {
  return responseType === CSV || responseType === NDJSON
}

/**
 * Returns a list as a file of at most 10,000 rows from the position of the request on: as CSV with the members of a row
 * as columns, nested ones with dots, or as JSON lines. Rows are read as the client takes them, so a long list fills no
 * memory and holds no transaction.
 */
export async function exportList<Row extends { readonly id: string }>(
  type: string,
  { total: _, ...list }: ListRequest,
  exported: Exported<Row>,
): Promise<RawAnswer> {
  // A refusal of the first read is an answer, not a broken file.
  const first = await exported.read({ ...list, size: ROWS_PER_READ })
  return rawAnswer(type, Readable.from(linesOf(type, list, exported, first), { objectMode: false }))
}

async function* linesOf<Row extends { readonly id: string }>(
  type: string,
  list: ListRequest,
  { read, show, reply }: Exported<Row>,
  first: readonly Row[] | BoundedRows<Row>,
): AsyncGenerator<string> {
  const columns = type === CSV ? columnsOf(reply) : []
  if (type === CSV) yield csvLine(columns.map((path) => path.join('.')))
  const line = (one: unknown) =>
    type === CSV ? csvLine(columns.map((path) => valueAt(one, path))) : `${JSON.stringify(one)}\n`
  let found = first
  for (let written = 0; ; ) {
    const { rows, continuesAfter } = 'rows' in found ? found : { rows: found, continuesAfter: null }
    const page = rows.slice(0, ROWS_PER_READ)
    const shown = await Promise.all(page.map(show))
    yield shown.map(line).join('')
    written += page.length
    const isFull = rows.length > ROWS_PER_READ || list.end?.isEarly === true
    const next = isFull ? (page.at(-1)?.id ?? null) : continuesAfter
    if (next === null || written >= ROWS_MAX) return
    const [after, before] = list.before === null ? [next, null] : [null, next]
    found = await read({ ...list, size: ROWS_PER_READ, after, before })
  }
}

type Shape = {
  readonly properties?: Readonly<Record<string, Shape>>
  readonly anyOf?: readonly Shape[]
}

/** Returns the paths of the members of a row; an array is one column. */
function columnsOf(schema: TSchema): readonly (readonly string[])[] {
  return below(schema, [])
}

function below(shape: Shape, path: readonly string[]): readonly (readonly string[])[] {
  const inner = shape.properties ?? shape.anyOf?.find(({ properties }) => properties !== undefined)?.properties
  if (inner === undefined) return [path]
  return Object.entries(inner).flatMap(([name, one]) => below(one, [...path, name]))
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (one, name) => (typeof one === 'object' && one !== null ? Object.getOwnPropertyDescriptor(one, name)?.value : null),
    value,
  )
}
