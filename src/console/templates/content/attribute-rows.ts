import { isJsonObject, type JsonObject, parseJsonObject } from '../../../crypto/json.ts'
import type { Fields } from '../../../http/routes/endpoint.ts'
import { pointerTo } from '../../../json-pointer.ts'
import { typed } from '../../../pages/once.ts'
import type { AttributeShape } from './template.ts'

/**
 * A row of the designer. The rows below it with a greater `depth` are its parts. In an mdoc the rows of depth 0 are
 * namespaces, and their parts are the elements.
 */
export type AttributeRow = {
  readonly depth: number
  /** Technical name: of a claim, an element, or a namespace. */
  readonly key: string
  readonly name: string
  /** The name in each further language of the template. */
  readonly names: readonly string[]
  readonly about: string
  /** As in the API, or `namespace`. */
  readonly type: string
  /**
   * What each entry of a list is; `any`, or `kept` if the form cannot show it. For an object `kept`: its members are
   * not restricted.
   */
  readonly of: string
  readonly isRequired: boolean
  readonly isAlways: boolean
  /** Of a list of plain values: the holder may disclose single entries. */
  readonly isEach: boolean
  /** The value stands on the card. */
  readonly isOnCard: boolean
  /** The value names the credential in lists. */
  readonly isInLabel: boolean
  /** Shown with its fields, where others are folded. */
  readonly isOpen: boolean
  /** JSON of the members that the form does not show; `''` if there are none. */
  readonly rest: string
}

/** Rows with the place that the person continues at. */
type Edited = { readonly rows: readonly AttributeRow[]; readonly at: number }

const ROWS_MAX = 200
/** As deep as the API takes them. */
export const DEPTH_MAX = 8

/** Kinds of values that can name a credential. */
export const labelTypes: readonly string[] = ['string', 'number', 'boolean', 'date', 'tdate']

/** Kinds of entries that have nothing inside. */
const plainTypes: readonly string[] = ['string', 'number', 'boolean', 'date']

/** A row in which nothing was typed. */
export const emptyRow: AttributeRow = {
  depth: 0,
  key: '',
  name: '',
  names: [],
  about: '',
  type: 'string',
  of: 'string',
  rest: '',
  isRequired: false,
  isAlways: false,
  isEach: false,
  isOnCard: false,
  isInLabel: false,
  isOpen: false,
}

/** Returns the rows of a grammar. @param locales Further languages of the template, in their order. */
export function rowsOf(
  { format, attributes }: { readonly format: 'sd-jwt-vc' | 'mdoc'; readonly attributes: JsonObject },
  locales: readonly string[],
): readonly AttributeRow[] {
  if (format !== 'mdoc') return named(attributes, 0, false, locales)
  return Object.entries(attributes).flatMap(([key, elements]) => [
    { ...emptyRow, key, type: 'namespace' },
    ...named(isJsonObject(elements) ? elements : {}, 1, false, locales),
  ])
}

function named(shapes: JsonObject, depth: number, isAbove: boolean, locales: readonly string[]): AttributeRow[] {
  return Object.entries(shapes).flatMap(([key, value]) => {
    // The API accepted the grammar.
    const shape = (value ?? {}) as AttributeShape
    const { type = 'string', name = '', names = {}, description = '', required, alwaysDisclosed, ...more } = shape
    const { properties, items, ...rest } = more
    const isAlways = alwaysDisclosed ?? isAbove
    const parts = properties ?? partsOf(items)
    const of = type === 'array' ? entryType(items) : properties === undefined ? 'kept' : 'string'
    const left = { ...rest, ...(of === 'kept' && items !== undefined && { items }) }
    const row: AttributeRow = {
      depth,
      key,
      name,
      about: description,
      type,
      of,
      isAlways,
      isRequired: required === true,
      isOnCard: false,
      isInLabel: false,
      isOpen: false,
      isEach: plainTypes.includes(of) && items?.alwaysDisclosed === false,
      names: locales.map((locale) => names[locale] ?? ''),
      rest: Object.keys(left).length === 0 ? '' : JSON.stringify(left),
    }
    return [row, ...named(parts ?? {}, depth + 1, isAlways, locales)]
  })
}

/** What the form can show of the entries of a list. */
function entryType(items: JsonObject | undefined): string {
  if (items === undefined) return 'any'
  const { type, properties, alwaysDisclosed, ...more } = items
  if (typeof type !== 'string' || Object.keys(more).length > 0) return 'kept'
  const isShown = type === 'object' ? properties !== undefined && alwaysDisclosed === undefined : type !== 'array'
  return isShown ? type : 'kept'
}

function partsOf(items: JsonObject | undefined): JsonObject | undefined {
  return items !== undefined && entryType(items) === 'object' && isJsonObject(items.properties)
    ? items.properties
    : undefined
}

/** Returns the rows that a form holds. @param languages How many further languages there are. */
export function readRows(fields: Fields, languages: number): readonly AttributeRow[] {
  const count = Math.min(Number(typed(fields, 'rows')) || 0, ROWS_MAX)
  return Array.from({ length: count }, (_, at) => {
    const of = (name: string) => typed(fields, `${name}-${at}`)
    return {
      depth: Math.min(Number(of('depth')) || 0, DEPTH_MAX),
      key: of('key'),
      name: of('label'),
      about: of('about'),
      type: of('type') || 'string',
      of: of('of') || 'string',
      rest: of('rest'),
      isRequired: of('required') === '1',
      isAlways: of('always') === '1',
      isOnCard: of('card') === '1',
      isEach: of('each') === '1',
      isInLabel: of('named') === '1',
      isOpen: of('open') === '1',
      names: Array.from({ length: languages }, (__, language) => of(`label${language}`)),
    }
  })
}

/** Puts the attributes into a namespace where the format has one, and takes them out of it where it has none. */
export function inFormat(rows: readonly AttributeRow[], format: 'sd-jwt-vc' | 'mdoc'): readonly AttributeRow[] {
  const has = rows.some(({ type }) => type === 'namespace')
  if (format === 'mdoc' && !has)
    return [
      { ...emptyRow, type: 'namespace' },
      ...rows.map((one) => ({ ...one, depth: one.depth + 1, isAlways: false, isEach: false })),
    ]
  if (format === 'mdoc' || !has) return rows
  return rows
    .filter(({ type }) => type !== 'namespace')
    .map((one) => ({ ...one, depth: Math.max(0, one.depth - 1), ...(isForMdoc(one.type) && { type: 'string' }) }))
}

function isForMdoc(type: string): boolean {
  return type === 'tdate' || type === 'bytes'
}

/** Whether a row may have parts. */
export function mayHaveParts({ type, of, depth }: AttributeRow): boolean {
  return depth < DEPTH_MAX && (type === 'namespace' || type === 'object' || (type === 'array' && of === 'object'))
}

/** Returns where the parts of a row end. */
export function endOf(rows: readonly AttributeRow[], at: number): number {
  const depth = rows[at]?.depth ?? 0
  const end = rows.findIndex((one, index) => index > at && one.depth <= depth)
  return end < 0 ? rows.length : end
}

/**
 * Returns the rows after a button: `add`, `part-N`, `up-N`, `down-N`, `remove-N`. Null: it is none, or has no effect.
 */
export function editRows(rows: readonly AttributeRow[], button: string, isMdoc: boolean): Edited | null {
  const [verb = '', place = ''] = button.split('-')
  if (verb === 'add') {
    const added = isMdoc
      ? [
          { ...emptyRow, type: 'namespace' },
          { ...emptyRow, depth: 1 },
        ]
      : [emptyRow]
    return { rows: [...rows, ...added], at: rows.length }
  }
  const at = Number(place)
  const row = rows[at]
  if (row === undefined) return null
  const end = endOf(rows, at)
  if (verb === 'part') return { rows: rows.toSpliced(end, 0, { ...emptyRow, depth: row.depth + 1 }), at: end }
  if (verb === 'remove') return { rows: rows.toSpliced(at, end - at), at: Math.max(0, at - 1) }
  if (verb === 'up')
    return moved(
      rows,
      at,
      rows.findLastIndex((one, index) => index < at && one.depth <= row.depth),
    )
  return verb === 'down' && rows[end]?.depth === row.depth
    ? { ...moved(rows, end, at), at: at + endOf(rows, end) - end }
    : null
}

/** Moves a row with its parts before a sibling. */
function moved(rows: readonly AttributeRow[], at: number, before: number): Edited {
  if (rows[before]?.depth !== rows[at]?.depth) return { rows, at }
  const part = rows.slice(at, endOf(rows, at))
  return { rows: rows.toSpliced(at, part.length).toSpliced(before, 0, ...part), at: before }
}

/** Whether a row has a sibling before it, or after it. */
export function siblingsOf(
  rows: readonly AttributeRow[],
  at: number,
): { readonly before: boolean; readonly after: boolean } {
  const depth = rows[at]?.depth ?? 0
  return { before: (rows[at - 1]?.depth ?? -1) >= depth, after: rows[endOf(rows, at)]?.depth === depth }
}

/** Returns the JSON pointer of each row below the attributes, as the API has it. */
export function pointersOf(rows: readonly AttributeRow[]): readonly string[] {
  const above: string[] = []
  return rows.map(({ depth, key, type }) => {
    const pointer = pointerTo(above[depth - 1] ?? '', key)
    above[depth] =
      type === 'namespace' ? pointer : `${pointer}${type === 'array' ? '/items/properties' : '/properties'}`
    return pointer
  })
}

/** Returns the grammar that the rows say. */
export function grammarOf(rows: readonly AttributeRow[], locales: readonly string[]): JsonObject {
  return membersOf(rows, 0, rows.length, false, locales)
}

function membersOf(
  rows: readonly AttributeRow[],
  from: number,
  until: number,
  isAbove: boolean,
  locales: readonly string[],
): JsonObject {
  const members: [string, JsonObject][] = []
  for (let at = from; at < until; ) {
    const end = endOf(rows, at)
    const row = rows[at] ?? emptyRow
    const parts = membersOf(rows, at + 1, end, row.isAlways, locales)
    members.push([row.key, row.type === 'namespace' ? parts : shapeOf(row, parts, isAbove, locales)])
    at = end
  }
  return Object.fromEntries(members)
}

function shapeOf(row: AttributeRow, parts: JsonObject, isAbove: boolean, locales: readonly string[]): JsonObject {
  const { type, of, name, about, rest, isRequired, isAlways, isEach } = row
  const names = locales.flatMap((locale, at) => (row.names[at] ? [[locale, row.names[at]] as const] : []))
  const hasParts = Object.keys(parts).length > 0
  const entries = {
    type: of,
    ...(of === 'object' && hasParts && { properties: parts }),
    ...(isEach && plainTypes.includes(of) && { alwaysDisclosed: false }),
  }
  const { items: kept, ...more } = rest === '' ? {} : parseJsonObject(rest)
  const items = of === 'kept' ? kept : of === 'any' ? undefined : entries
  return {
    ...more,
    type,
    ...(name !== '' && { name }),
    ...(names.length > 0 && { names: Object.fromEntries(names) }),
    ...(about !== '' && { description: about }),
    ...(isRequired && { required: true }),
    ...(isAlways !== isAbove && { alwaysDisclosed: isAlways }),
    ...(type === 'object' && hasParts && { properties: parts }),
    ...(type === 'array' && items !== undefined && { items }),
  }
}
