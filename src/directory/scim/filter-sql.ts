import { Fault } from '../../fault.ts'
import type { AttributePath, ComparedValue, Filter, Operator } from '../../protocols/scim/filter.ts'
import type { Schema } from '../../protocols/scim/schema.ts'
import { isUuid } from '../../uuid.ts'
import { foldCase } from '../users/user.ts'

/** How an attribute is compared in SQL. */
type Column =
  /**
   * `sql` is folded unless `isExact`; with `pieces` the column `pieces` of the table has those of the text. `isOrdered`: an index has it in the
   * order of its characters, collation "C".
   */
  | {
      readonly kind: 'text'
      readonly sql: string
      readonly isExact?: true
      readonly pieces?: true
      readonly isOrdered?: true
    }
  | { readonly kind: 'boolean'; readonly sql: string }
  | { readonly kind: 'time'; readonly sql: string }
  | { readonly kind: 'id'; readonly sql: string }
  /** A multi-valued attribute: a condition that one of its values equals the parameter; `isSet` that it has at least one. */
  | { readonly kind: 'set'; readonly has: (parameter: string) => string; readonly isSet: string }

/** The attributes of a kind of resource, by their names in lower case. */
export type Columns = Readonly<Record<string, Column>>

/** A condition with its parameters. */
type Condition = { readonly text: string; readonly values: readonly unknown[] }

/**
 * Translates a filter into SQL. Every value is a parameter; names come from `columns` only.
 *
 * @param parameters How many parameters the statement has before.
 * @throws Fault `scim.invalid_filter` for an unknown attribute or a value of another type
 */
export function conditionOf(filter: Filter, columns: Columns, schema: Schema, parameters: number): Condition {
  const values: unknown[] = []
  const parameter = (value: unknown) => {
    values.push(value)
    return `$${parameters + values.length}`
  }
  return { text: textOf(filter, { columns, schema, parameter, prefix: null }), values }
}

/** Returns the column that a list is sorted by. @throws Fault `scim.invalid_path` */
export function sortColumn(path: AttributePath, columns: Columns, schema: Schema): string {
  const column = columnOf(path, { columns, schema, prefix: null })
  if (column === null || column.kind === 'set') throw new Fault('scim.invalid_path', { detail: 'Not sorted by this.' })
  return column.sql
}

type Names = { readonly columns: Columns; readonly schema: Schema; readonly prefix: string | null }
type Scope = Names & { readonly parameter: (value: unknown) => string }

function textOf(filter: Filter, scope: Scope): string {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return `(${filter.parts.map((part) => textOf(part, scope)).join(` ${filter.kind} `)})`
    case 'not':
      return `not coalesce(${textOf(filter.part, scope)}, false)`
    case 'element':
      return elementText(filter, scope)
    case 'present':
      return presence(columnOf(filter.path, scope))
    case 'compare':
      return comparison(columnOf(filter.path, scope), filter.operator, filter.value, scope)
  }
}

/** A user has one e-mail address, so that all conditions are on the same element; a set takes a single one. */
function elementText({ path, filter }: Filter & { kind: 'element' }, scope: Scope): string {
  const column = columnOf(path, scope)
  if (column?.kind === 'set' && filter.kind !== 'compare') throw invalid(`${path.name}[…] takes a single comparison.`)
  return textOf(filter, { ...scope, prefix: path.name })
}

/** The column of an attribute; null for one that is registered and not kept, which has no value. */
function columnOf({ schema: qualified, name, sub }: AttributePath, { columns, schema, prefix }: Names): Column | null {
  const full = [prefix, name, sub].filter((one) => one !== null).join('.')
  const isOurs = qualified === null || qualified === schema.id.toLowerCase()
  if (isOurs && Object.hasOwn(columns, full)) return columns[full] ?? null
  if (schema.ignored.has(isOurs ? full : (qualified ?? '')) || schema.ignored.has(prefix ?? name)) return null
  throw invalid(`There is no attribute ${full.slice(0, 80)}.`)
}

function presence(column: Column | null): string {
  if (column === null) return 'false'
  return column.kind === 'set' ? column.isSet : `${column.sql} is not null`
}

function comparison(column: Column | null, operator: Operator, value: ComparedValue, scope: Scope): string {
  if (value === null) {
    if (operator !== 'eq' && operator !== 'ne') throw invalid('null is compared with eq or ne.')
    return operator === 'eq' ? `not ${presence(column)}` : presence(column)
  }
  if (column === null) return operator === 'ne' ? 'true' : 'false'
  switch (column.kind) {
    case 'text':
      return onText(column, operator, value, scope)
    case 'boolean':
      return onBoolean(column.sql, operator, value)
    case 'time':
      return onTime(column.sql, operator, value, scope)
    case 'id':
      return onId(column.sql, operator, value, scope)
    case 'set':
      return onSet(column.has, operator, value, scope)
  }
}

const orders = { gt: '>', ge: '>=', lt: '<', le: '<=' } as const
/** Pieces have three characters, of names also fewer. */
const PIECE_CHARS = 3

function onText(
  column: Column & { kind: 'text' },
  operator: Operator,
  value: ComparedValue,
  { parameter }: Scope,
): string {
  const { sql, isExact, pieces, isOrdered } = column
  const text = textValue(value)
  const at = parameter(isExact === true ? text : foldCase(text))
  if (operator === 'eq') return `${sql} = ${at}`
  if (operator === 'ne') return `${sql} is distinct from ${at}`
  if (operator in orders) return `${sql} collate "C" ${orders[operator as keyof typeof orders]} ${at}`
  const hasPieces = pieces === true && [...foldCase(text)].length >= PIECE_CHARS
  const narrow = hasPieces ? `pieces @> longest_pieces(${at}) and ` : ''
  // The range of a beginning: an index finds it, also under row-level security, which lets only leakproof comparisons reach one.
  if (operator === 'sw' && isOrdered === true) {
    return `(${sql} collate "C" >= ${at} and ${sql} collate "C" < ${at} || chr(1114111))`
  }
  if (operator === 'sw') return `(${narrow}starts_with(${sql}, ${at}))`
  if (operator === 'ew') return `(${narrow}right(${sql}, length(${at})) = ${at})`
  return `(${narrow}strpos(${sql}, ${at}) > 0)`
}

function onBoolean(sql: string, operator: Operator, value: ComparedValue): string {
  if (typeof value !== 'boolean' || (operator !== 'eq' && operator !== 'ne')) {
    throw invalid('A boolean is compared with true or false, by eq or ne.')
  }
  return value === (operator === 'eq') ? sql : `not ${sql}`
}

function onTime(sql: string, operator: Operator, value: ComparedValue, { parameter }: Scope): string {
  const isTime = typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]{5,18}(Z|[+-]\d\d:\d\d)?$/.test(value)
  const time = isTime ? new Date(value) : new Date(Number.NaN)
  if (Number.isNaN(time.getTime())) throw invalid('A time is compared with a date and time (RFC 3339).')
  const at = parameter(time)
  // Times are compared by milliseconds, as they are shown, and without a function around the column, which no index has.
  const [from, to] = [`${sql} >= ${at}::timestamptz`, `${sql} < ${at}::timestamptz + interval '1 millisecond'`]
  const before = `${sql} < ${at}::timestamptz`
  const after = `${sql} >= ${at}::timestamptz + interval '1 millisecond'`
  const texts = { eq: `(${from} and ${to})`, ne: `not (${from} and ${to})`, gt: after, ge: from, lt: before, le: to }
  if (!Object.hasOwn(texts, operator)) throw invalid('A time is compared by eq, ne, gt, ge, lt or le.')
  return texts[operator as keyof typeof texts]
}

/** Returns the time by which a filter bounds what it finds from one side; null if it does not. The other parts of a conjunction may be any. */
export function timeBound(filter: Filter | null, columns: Columns): string | null {
  if (filter?.kind === 'and') {
    return filter.parts.map((part) => timeBound(part, columns)).find((one) => one !== null) ?? null
  }
  if (filter?.kind !== 'compare' || !(filter.operator in orders)) return null
  const column = columns[[filter.path.name, filter.path.sub].filter((one) => one !== null).join('.')]
  return column?.kind === 'time' ? column.sql : null
}

function onId(sql: string, operator: Operator, value: ComparedValue, scope: Scope): string {
  if (operator !== 'eq' && operator !== 'ne') {
    return onText({ kind: 'text', sql: `${sql}::text`, isExact: true }, operator, value, scope)
  }
  const text = textValue(value)
  if (!isUuid(text)) return operator === 'eq' ? 'false' : 'true'
  return `${sql} ${operator === 'eq' ? '=' : '<>'} ${scope.parameter(text)}::uuid`
}

function onSet(
  has: (parameter: string) => string,
  operator: Operator,
  value: ComparedValue,
  { parameter }: Scope,
): string {
  const text = textValue(value)
  if (operator === 'eq') return has(parameter(text))
  if (operator === 'ne') return `not ${has(parameter(text))}`
  throw invalid('The values of this attribute are compared by eq or ne.')
}

function textValue(value: ComparedValue): string {
  if (typeof value !== 'string' || value.includes('\0')) throw invalid('This attribute is compared with a text.')
  return value
}

function invalid(detail: string): Fault {
  return new Fault('scim.invalid_filter', { detail })
}
