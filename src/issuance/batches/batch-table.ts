import { type Json, type JsonObject, parseJson } from '../../crypto/json.ts'
import type { RecipientIdentifier } from '../../directory/users/find-recipient.ts'
import type { TemplateAttribute } from '../templates/attributes.ts'
import type { MdocAttribute } from '../templates/mdoc-attributes.ts'
import type { TemplateDefinition } from '../templates/template.ts'
import type { BatchItemInput } from './accept-batch.ts'
import { csvFault, readCsv } from './read-csv.ts'
import { BATCH_ITEMS_MAX } from './schemas.ts'

type Described = TemplateAttribute | MdocAttribute
/** Where the cells of a column go, and as what. */
type Column = { readonly name: string; readonly path: readonly string[]; readonly type: Described['type'] }

/** Columns that are no attributes, and how long their cells may be. */
const own = { reference: 200, 'recipient.identifierType': 40, 'recipient.value': 512 } as const
type Own = keyof typeof own
const types = ['email', 'username', 'externalIdentifier'] as const
const PREFIX = 'attributes.'
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/

/**
 * Reads the items of a batch out of a table. Columns are named after the attributes of the template, inner ones by dotted paths
 * (`address.locality`); `attributes.` may stand in front, and must where an attribute has the name of another column (`reference`, `recipient.identifierType`, `recipient.value`). Cells become
 * what the template says: numbers, booleans, JSON for arrays and for objects as a whole. An empty cell is a member that is not there. What does
 * not fit stays a text, so that it fails with its item and not with the table.
 *
 * @throws Fault `request.invalid` for what is no table, and for columns that nobody knows
 */
export function readBatchTable(text: string, definition: TemplateDefinition): BatchItemInput[] {
  const { header, rows } = readCsv(text, BATCH_ITEMS_MAX)
  const columns = columnsOf(header, definition)
  return rows.map((row, index) => itemOf(columns, row, index + 2))
}

function columnsOf(header: readonly string[], definition: TemplateDefinition): (Column | Own)[] {
  const known = knownColumns(definition)
  const columns = header.map((name, at) => {
    const place = `Row 1, column ${at + 1}`
    if (header.indexOf(name) !== at) throw csvFault(`${place}: ${quoted(name)} is there twice.`)
    if (isOwn(name)) return name
    const found = known.get(name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name) ?? known.get(name)
    const others = Object.keys(own).join(', ')
    if (found === undefined) throw csvFault(`${place}: ${quoted(name)} is no attribute of the template, nor ${others}.`)
    if (found === 'ambiguous') throw csvFault(`${place}: ${quoted(name)} may be two attributes; send JSON.`)
    return found
  })
  if (header.includes('recipient.value') !== header.includes('recipient.identifierType')) {
    throw csvFault('Row 1: recipient.identifierType and recipient.value go together.')
  }
  refuseOverlaps(columns.filter((one) => typeof one !== 'string'))
  return columns
}

function isOwn(name: string): name is Own {
  return Object.hasOwn(own, name)
}

/** A value and something in it cannot both have a column. */
function refuseOverlaps(columns: readonly Column[]): void {
  const paths = new Map(columns.map((one) => [JSON.stringify(one.path), one]))
  if (paths.size < columns.length) throw csvFault('Row 1: two columns are of the same attribute.')
  for (const { name, path } of columns) {
    for (let depth = 1; depth < path.length; depth += 1) {
      const outer = paths.get(JSON.stringify(path.slice(0, depth)))
      if (outer !== undefined)
        throw csvFault(`Row 1: ${quoted(name)} is a part of ${quoted(outer.name)}; only one can have a column.`)
    }
  }
}

/** Every attribute of the template by its dotted path. */
function knownColumns(definition: TemplateDefinition): Map<string, Column | 'ambiguous'> {
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

type Growing = { [name: string]: Json | Growing }

function itemOf(columns: readonly (Column | Own)[], row: readonly string[], number: number): BatchItemInput {
  const attributes: Growing = {}
  const others: { [name in Own]?: string } = {}
  for (const [at, column] of columns.entries()) {
    const cell = row[at] ?? ''
    if (cell === '') continue
    if (typeof column !== 'string') put(attributes, column.path, typedCell(column.type, cell))
    else if (cell.length <= own[column]) others[column] = cell
    else throw csvFault(`Row ${number}, column ${at + 1}: ${column} must have at most ${own[column]} characters.`)
  }
  const { reference } = others
  const recipient = recipientOf(others['recipient.identifierType'], others['recipient.value'], number)
  const item = { attributes: attributes as JsonObject, ...(reference !== undefined && { reference }) }
  return recipient === null ? item : { ...item, recipient }
}

function recipientOf(type: string | undefined, value: string | undefined, row: number): RecipientIdentifier | null {
  if (type === undefined && value === undefined) return null
  const identifierType = types.find((one) => one === type)
  if (identifierType !== undefined && value !== undefined) return { identifierType, value }
  if (value === undefined) throw csvFault(`Row ${row}: recipient.value is missing.`)
  throw csvFault(`Row ${row}: recipient.identifierType must be one of: ${types.join(', ')}.`)
}

/** Names of a template are own members only: none of them is `__proto__`. */
function put(object: Growing, path: readonly string[], value: Json): void {
  let inner = object
  for (const step of path.slice(0, -1)) {
    if (!Object.hasOwn(inner, step)) inner[step] = {}
    // Made by this very function: no column is a part of another one.
    inner = inner[step] as Growing
  }
  inner[path.at(-1) ?? ''] = value
}

function typedCell(type: Described['type'], cell: string): Json {
  if (type === 'number') return NUMBER.test(cell) ? Number(cell) : cell
  if (type === 'boolean') return cell === 'true' || (cell === 'false' ? false : cell)
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
