import { type Json, type JsonObject, parseJson } from '../../crypto/json.ts'
import type { Fault } from '../../fault.ts'
import {
  type DateOrder,
  type Decimal,
  isErrorValue,
  readBoolean,
  readDate,
  readNumber,
} from '../../tables/cell-values.ts'
import { foldedName, namedBy, type ReadRow, type ReadTable } from '../../tables/table.ts'
import { tableFault } from '../../tables/table-fault.ts'
import type { TemplateAttribute } from '../templates/attributes/attributes.ts'
import type { MdocAttribute } from '../templates/attributes/mdoc-attributes.ts'
import type { TemplateDefinition } from '../templates/template.ts'
import type { BatchItemInput } from './accept-batch.ts'
import { isOwn, type Own, type OwnCell, ownColumns, ownMembers } from './own-columns.ts'

type Described = TemplateAttribute | MdocAttribute
/** A column of an attribute. */
type Column = { readonly name: string; readonly path: readonly string[]; readonly type: Described['type'] }
/** Names of a column as people write them, folded. */
type NamedColumn = { readonly names: readonly string[]; readonly column: Column | 'reference' }

const PREFIX = 'attributes.'
/** Rows that are converted before other requests get their turn. */
const ROWS_PER_TURN = 250

/** What the cells of a table mean. */
export type TableMeaning = {
  /** `point` by default. */
  readonly decimal?: Decimal | undefined
  /** The order of dates in figures; by default they are read if they can be one day only. */
  readonly dates?: DateOrder | undefined
  /** New names of columns; a column named `''` is left out. */
  readonly columns?: Readonly<Record<string, string>> | undefined
  /** Headings in the file of the columns that are kept; they need not be attributes. */
  readonly keep?: readonly string[] | undefined
  /** In which a day in `validFrom` and `validUntil` begins and ends. */
  readonly timeZone: string
}
type Reading = { readonly decimal: Decimal; readonly dates: DateOrder | undefined; readonly timeZone: string }

/**
 * Returns the items of a batch from a table. Columns are named after the attributes of the template, inner ones by
 * dotted paths (`address.locality`); the prefix `attributes.` is optional, and required for an attribute with the name
 * of another column ({@link ownColumns}).
 * Cells are converted to the type of the attribute: a text is what the cell shows, a number or date what it means;
 * arrays and whole objects are JSON. An empty cell is an absent member. A cell that cannot be converted stays a string,
 * and an error value of a spreadsheet becomes null, so that only its item fails; one of no attribute is `unusable`. A
 * heading may also be the label of an attribute, or a name in another case, if it can be one column only. A column that
 * is kept may be none of these.
 *
 * @throws Fault `request.invalid` for an unknown column
 */
export async function itemsOfTable(
  { header, headerRow, rows }: Pick<ReadTable, 'header' | 'headerRow' | 'rows'>,
  definition: TemplateDefinition,
  { decimal = 'point', dates, columns: names = {}, keep, timeZone }: TableMeaning,
): Promise<BatchItemInput[]> {
  const refusal = refusalOf(headerRow)
  const kept = keep?.map((heading) => keptColumn(header, heading, refusal))
  const columns = columnsOf(renamed(header, names, refusal), definition, new Set(kept), refusal)
  const items: BatchItemInput[] = []
  for (const row of rows) {
    if (items.length % ROWS_PER_TURN === ROWS_PER_TURN - 1) await new Promise(setImmediate)
    const item = itemOf(columns, row, { decimal, dates, timeZone })
    items.push(kept === undefined ? item : { ...item, keptCells: kept.map((at) => row.cells[at] ?? '') })
  }
  return items
}

/** Makes the refusal of a header. */
type HeaderRefusal = (detail: string, column?: number) => Fault

function refusalOf(row: number): HeaderRefusal {
  return (detail, column) => {
    const place = column === undefined ? `Row ${row}` : `Row ${row}, column ${column}`
    return tableFault('header', `${place}: ${detail}`, { row, ...(column !== undefined && { column }) })
  }
}

/** Returns the place of a column that is kept. */
function keptColumn(header: readonly string[], heading: string, refusal: HeaderRefusal): number {
  const at = header.indexOf(heading)
  if (at === -1) throw refusal(`keep names ${quoted(heading)}, which is no column of the table.`)
  return at
}

function renamed(header: readonly string[], names: Readonly<Record<string, string>>, refusal: HeaderRefusal): string[] {
  const unknown = Object.keys(names).find((name) => !header.includes(name))
  if (unknown !== undefined) throw refusal(`columns names ${quoted(unknown)}, which is no column of the table.`)
  return header.map((name) => (Object.hasOwn(names, name) ? (names[name] ?? name) : name))
}

function columnsOf(
  header: readonly string[],
  definition: TemplateDefinition,
  kept: ReadonlySet<number>,
  refusal: HeaderRefusal,
): (Column | Own | null)[] {
  const attributes = attributeColumns(definition)
  const labelled = labelledColumns(definition)
  const columns = header.map((name, at) => {
    if (name === '') return null
    if (header.indexOf(name) !== at) throw refusal(`${quoted(name)} is a duplicate.`, at + 1)
    if (isOwn(name)) return name
    const found =
      attributes.get(name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name) ??
      attributes.get(name) ??
      columnLabelled(name, labelled)
    const others = Object.keys(ownColumns).join(', ')
    if (found === undefined && kept.has(at)) return null
    if (found === undefined)
      throw refusal(`${quoted(name)} is neither an attribute of the template nor one of ${others}.`, at + 1)
    if (found === 'ambiguous')
      throw refusal(
        `${quoted(name)} matches two columns; name it as the sample of the template does, or send JSON.`,
        at + 1,
      )
    return found
  })
  const twice = columns.findIndex((one, at) => typeof one === 'string' && columns.indexOf(one) !== at)
  if (twice !== -1) throw refusal(`${quoted(header[twice] ?? '')} is a duplicate.`, twice + 1)
  if (header.includes('recipient.value') !== header.includes('recipient.identifierType')) {
    throw refusal('recipient.identifierType and recipient.value must both be present.')
  }
  if (header.includes('mail.language') && !header.includes('mail.address'))
    throw refusal('mail.language needs mail.address.')
  const ofAttributes = columns.filter((one) => one !== null && typeof one !== 'string')
  const overlap = overlapOf(ofAttributes)
  if (overlap !== null) throw refusal(overlap)
  return columns
}

/** Returns which columns are for a value and for a part of it, in words; null if none are. */
function overlapOf(columns: readonly Column[]): string | null {
  const paths = new Map(columns.map((one) => [JSON.stringify(one.path), one]))
  if (paths.size < columns.length) return 'two columns name the same attribute.'
  for (const { name, path } of columns) {
    for (let depth = 1; depth < path.length; depth += 1) {
      const outer = paths.get(JSON.stringify(path.slice(0, depth)))
      if (outer !== undefined)
        return `${quoted(name)} is part of ${quoted(outer.name)}; only one of them can have a column.`
    }
  }
  return null
}

/** Returns the column that a heading for people names: a label, or a path in another case. */
function columnLabelled(
  name: string,
  labelled: readonly NamedColumn[],
): Column | 'reference' | 'ambiguous' | undefined {
  const [found, ...more] = namedBy(name, labelled)
  return more.length > 0 ? 'ambiguous' : found?.column
}

function labelledColumns(definition: TemplateDefinition): readonly NamedColumn[] {
  const ofAttributes = leafColumns(definition).map(({ attribute, ...column }) => {
    const { path } = column
    const label = attribute.name ?? path.at(-1)?.replaceAll('_', ' ') ?? ''
    return { column, names: [path.join('.'), label].map(foldedName) }
  })
  return [...ofAttributes, { column: 'reference', names: ['reference'] }]
}

/** Returns the attributes of the template by their dotted paths. */
function attributeColumns(definition: TemplateDefinition): Map<string, Column | 'ambiguous'> {
  const known = new Map<string, Column | 'ambiguous'>()
  const add = (attributes: Readonly<Record<string, Described>>, above: readonly string[]) => {
    for (const [own, { type, properties }] of Object.entries(attributes)) {
      const path = [...above, own]
      const name = path.join('.')
      known.set(name, known.has(name) ? 'ambiguous' : { name, path, type })
      if (properties !== undefined) add(properties, path)
    }
  }
  if (definition.format === 'mdoc')
    for (const [space, elements] of Object.entries(definition.attributes)) add(elements, [space])
  else add(definition.attributes, [])
  return known
}

type MutableObject = { [name: string]: Json | MutableObject }

function itemOf(
  columns: readonly (Column | Own | null)[],
  { number, cells, values = {} }: ReadRow,
  reading: Reading,
): BatchItemInput {
  const attributes: MutableObject = {}
  const others: OwnCell[] = []
  for (const [at, column] of columns.entries()) {
    const cell = cells[at] ?? ''
    if (cell === '' || column === undefined || column === null) continue
    if (typeof column === 'string') others.push({ name: column, column: at + 1, cell, meant: values[at] ?? cell })
    else put(attributes, column.path, typedCell(column.type, cell, values[at], reading))
  }
  const { unusable, ...members } = ownMembers(others, reading)
  return {
    row: number,
    ...(unusable.length > 0 && { unusable }),
    attributes: attributes as JsonObject,
    ...members,
  }
}

/** Sets a member. Names in a template are never `__proto__`. */
function put(object: MutableObject, path: readonly string[], value: Json): void {
  let inner = object
  for (const step of path.slice(0, -1)) {
    if (!Object.hasOwn(inner, step)) inner[step] = {}
    // Created by this function: no column is part of another one.
    inner = inner[step] as MutableObject
  }
  inner[path.at(-1) ?? ''] = value
}

/** @param value What a cell of a workbook means, where it shows something else. */
function typedCell(
  type: Described['type'],
  cell: string,
  value: string | undefined,
  { decimal, dates }: Reading,
): Json {
  if (isErrorValue(cell)) return null
  if (type === 'number') return (value === undefined ? readNumber(cell, decimal) : readNumber(value, 'point')) ?? cell
  if (type === 'boolean') return readBoolean(cell) ?? cell
  if (type === 'date') {
    const found = readDate(value ?? cell, dates)
    return found.kind === 'date' ? found.iso : cell
  }
  return type === 'array' || type === 'object' ? jsonOr(cell) : cell
}

function jsonOr(cell: string): Json {
  try {
    return parseJson(cell)
  } catch {
    return cell
  }
}

function quoted(name: string): string {
  return JSON.stringify(name.length > 100 ? `${name.slice(0, 100).toWellFormed()}…` : name)
}

/** Returns the headings by which the sheet of a workbook is recognized: names of columns, folded. */
export function headingsOf(
  definition: TemplateDefinition,
  { columns = {} }: Pick<TableMeaning, 'columns'>,
): readonly string[] {
  const names = [...attributeColumns(definition).keys()]
  const folded = [...names.map((name) => PREFIX + name), ...names, ...Object.keys(ownColumns), ...Object.keys(columns)]
  return [...folded.map(foldedName), ...labelledColumns(definition).flatMap((one) => one.names)]
}

/**
 * The columns for a template: each value that a cell can hold, with its attribute. Objects with properties are their
 * parts.
 */
export function leafColumns(definition: TemplateDefinition): readonly (Column & { readonly attribute: Described })[] {
  const found: (Column & { attribute: Described })[] = []
  const add = (attributes: Readonly<Record<string, Described>>, above: readonly string[]) => {
    for (const [own, attribute] of Object.entries(attributes)) {
      const path = [...above, own]
      const { type, properties } = attribute
      const plain = path.join('.')
      const name = isOwn(plain) || plain.startsWith(PREFIX) ? PREFIX + plain : plain
      if (properties !== undefined) add(properties, path)
      else found.push({ name, path, type, attribute })
    }
  }
  if (definition.format === 'mdoc')
    for (const [space, elements] of Object.entries(definition.attributes)) add(elements, [space])
  else add(definition.attributes, [])
  return found
}
