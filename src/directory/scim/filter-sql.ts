import { Fault } from '../../fault.ts'
import type { AttributePath, ComparedValue, Filter, Operator } from '../../protocols/scim/filter.ts'
import type { Schema } from '../../protocols/scim/schema.ts'
import { isUuid } from '../../uuid.ts'
import type { Parameter } from '../search/sort-order.ts'
import { foldCase } from '../users/user.ts'

/** How an attribute is compared in SQL. */
type Column =
  /** `sql` is folded unless `isExact`. */
  | { readonly kind: 'text'; readonly sql: string; readonly isExact?: true }
  /** The same text for every resource, in lower case. */
  | { readonly kind: 'constant'; readonly text: string }
  | { readonly kind: 'boolean'; readonly sql: string }
  | { readonly kind: 'time'; readonly sql: string }
  | { readonly kind: 'id'; readonly sql: string }
  /**
   * A multi-valued attribute: a condition that one of its values equals the parameter; `isSet` that it has at least
   * one. `isId`: values are ids.
   */
  | { readonly kind: 'set'; readonly has: (parameter: string) => string; readonly isSet: string; readonly isId?: true }

/** The attributes of a kind of resource, by their names in lower case. */
export type Columns = Readonly<Record<string, Column>>

/**
 * Translates a filter into SQL. Every value is a parameter; names come from `columns` only.
 *
 * @throws Fault `scim.invalid_filter` for an unknown attribute or a value of another type
 */
export function conditionOf(filter: Filter, columns: Columns, schema: Schema, parameter: Parameter): string {
  return textOf(filter, { columns, schema, parameter, prefix: null })
}

/** Returns the attribute that a list is sorted by, as `columns` names it. @throws Fault `scim.invalid_path` */
export function sortName(path: AttributePath, columns: Columns, schema: Schema): string {
  const isSorted = (column: Column | null | undefined) =>
    column !== null && column !== undefined && column.kind !== 'set' && column.kind !== 'constant'
  if (isSorted(knownColumn(path, { columns, schema, prefix: null }))) return nameOf(path, null)
  const names = Object.keys(columns).filter((name) => isSorted(columns[name]))
  const detail = `Nothing is sorted by ${nameOf(path, null).slice(0, 80)}. Sort by ${names.join(', ')}.`
  throw new Fault('scim.invalid_path', { detail })
}

/** Returns the name of an attribute as the keys of {@link Columns} have it. */
export function nameOf({ name, sub }: AttributePath, prefix: string | null): string {
  return [prefix, name, sub].filter((one) => one !== null).join('.')
}

type Names = { readonly columns: Columns; readonly schema: Schema; readonly prefix: string | null }
type Scope = Names & { readonly parameter: Parameter }

function textOf(filter: Filter, scope: Scope): string {
  switch (filter.kind) {
    case 'and':
      return `(${filter.parts.map((part) => textOf(part, scope)).join(' and ')})`
    case 'or': {
      const same = sameAttribute(filter.parts, scope)
      if (same !== null) return `${same.sql} = any(${scope.parameter(same.texts)}::text[])`
      return `(${filter.parts.map((part) => textOf(part, scope)).join(' or ')})`
    }
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

/**
 * Returns the column and the texts of comparisons `a eq "x" or a eq "y"`; null for other filters.
 *
 * @throws Fault `scim.invalid_filter`
 */
export function sameAttribute(
  parts: readonly Filter[],
  names: Names,
): { readonly sql: string; readonly path: AttributePath; readonly texts: readonly string[] } | null {
  const [first] = parts
  if (first?.kind !== 'compare') return null
  const column = columnOf(first.path, names)
  if (column?.kind !== 'text') return null
  const texts = parts.flatMap((part) => {
    const isSame = part.kind === 'compare' && part.operator === 'eq' && columnOf(part.path, names) === column
    const value = isSame ? comparedWith(column, part.value) : null
    if (typeof value !== 'string') return []
    return [column.isExact === true ? textValue(value) : foldCase(textValue(value))]
  })
  return texts.length === parts.length ? { sql: column.sql, path: first.path, texts } : null
}

/** A user has one e-mail address, so that all conditions are on the same element; a set takes a single one. */
function elementText({ path, filter }: Filter & { kind: 'element' }, scope: Scope): string {
  const column = columnOf(path, scope)
  if (column?.kind === 'set' && filter.kind !== 'compare') throw invalid(`${path.name}[…] takes a single comparison.`)
  return textOf(filter, { ...scope, prefix: path.name })
}

/**
 * Returns the column of an attribute; null for one that is registered and not kept, which has no value.
 *
 * @throws Fault `scim.invalid_filter`
 */
export function columnOf(path: AttributePath, names: Names): Column | null {
  const column = knownColumn(path, names)
  if (column !== undefined) return column
  const full = nameOf(path, names.prefix).slice(0, 80)
  throw invalid(`Nothing is found by ${full}. Filter by ${Object.keys(names.columns).join(', ')}.`)
}

/** As {@link columnOf}; undefined for an attribute that nothing is found by. */
function knownColumn(path: AttributePath, { columns, schema, prefix }: Names): Column | null | undefined {
  const { schema: qualified, name } = path
  const full = nameOf(path, prefix)
  const isOurs = qualified === null || qualified === schema.id.toLowerCase()
  if (isOurs && Object.hasOwn(columns, full)) return columns[full] ?? null
  const isIgnored = schema.ignored.has(isOurs ? full : (qualified ?? '')) || schema.ignored.has(prefix ?? name)
  return isIgnored ? null : undefined
}

/**
 * Returns a compared value in the form of its attribute: clients write booleans as texts, and texts that are numbers
 * without quotation marks.
 */
export function comparedWith(column: Column | null, value: ComparedValue): ComparedValue {
  if (column === null || column.kind === 'time') return value
  if (column.kind !== 'boolean') return Number.isSafeInteger(value) ? String(value) : value
  const text = typeof value === 'string' ? value.toLowerCase() : value
  return text === 'true' || text === 'false' ? text === 'true' : value
}

function presence(column: Column | null): string {
  if (column === null) return 'false'
  if (column.kind === 'constant') return 'true'
  return column.kind === 'set' ? column.isSet : `${column.sql} is not null`
}

function comparison(column: Column | null, operator: Operator, given: ComparedValue, scope: Scope): string {
  const value = comparedWith(column, given)
  if (value === null) {
    if (operator !== 'eq' && operator !== 'ne') throw invalid('null is compared with eq or ne.')
    return operator === 'eq' ? `not ${presence(column)}` : presence(column)
  }
  if (column === null) return operator === 'ne' ? 'true' : 'false'
  switch (column.kind) {
    case 'text':
      return onText(column, operator, value, scope)
    case 'constant':
      return onText({ kind: 'text', sql: `'${column.text}'::text` }, operator, value, scope)
    case 'boolean':
      return onBoolean(column.sql, operator, value)
    case 'time':
      return timeComparison(column.sql, operator, value, scope.parameter)
    case 'id':
      return onId(column.sql, operator, value, scope)
    case 'set':
      return onSet(column, operator, value, scope)
  }
}

const orders = { gt: '>', ge: '>=', lt: '<', le: '<=' } as const

function onText(
  { sql, isExact }: Column & { kind: 'text' },
  operator: Operator,
  value: ComparedValue,
  { parameter }: Scope,
): string {
  const text = textValue(value)
  const at = parameter(isExact === true ? text : foldCase(text))
  if (operator === 'eq') return `${sql} = ${at}`
  if (operator === 'ne') return `${sql} is distinct from ${at}`
  if (operator in orders) return `${sql} collate "C" ${orders[operator as keyof typeof orders]} ${at}`
  if (operator === 'sw') return `starts_with(${sql}, ${at})`
  if (operator === 'ew') return `right(${sql}, length(${at})) = ${at}`
  return `strpos(${sql}, ${at}) > 0`
}

function onBoolean(sql: string, operator: Operator, value: ComparedValue): string {
  if (typeof value !== 'boolean' || (operator !== 'eq' && operator !== 'ne')) {
    throw invalid('A boolean is compared with true or false, by eq or ne.')
  }
  return value === (operator === 'eq') ? sql : `not ${sql}`
}

/** Compares a time. @throws Fault `scim.invalid_filter` */
export function timeComparison(sql: string, operator: Operator, value: ComparedValue, parameter: Parameter): string {
  const isTime = typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]{5,18}(Z|[+-]\d\d:\d\d)?$/.test(value)
  const time = isTime ? new Date(value) : new Date(Number.NaN)
  if (Number.isNaN(time.getTime())) throw invalid('A time is compared with a date and time (RFC 3339).')
  const at = parameter(time)
  // Times are compared by milliseconds, as they are shown, and without a function around the column, which no index
  // has.
  const [from, to] = [`${sql} >= ${at}::timestamptz`, `${sql} < ${at}::timestamptz + interval '1 millisecond'`]
  const before = `${sql} < ${at}::timestamptz`
  const after = `${sql} >= ${at}::timestamptz + interval '1 millisecond'`
  const texts = { eq: `(${from} and ${to})`, ne: `not (${from} and ${to})`, gt: after, ge: from, lt: before, le: to }
  if (!Object.hasOwn(texts, operator)) throw invalid('A time is compared by eq, ne, gt, ge, lt or le.')
  return texts[operator as keyof typeof texts]
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
  { has, isId }: Column & { kind: 'set' },
  operator: Operator,
  value: ComparedValue,
  { parameter }: Scope,
): string {
  const text = textValue(value)
  if (isId === true && !isUuid(text) && operator in { eq: 1, ne: 1 }) return operator === 'eq' ? 'false' : 'true'
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
