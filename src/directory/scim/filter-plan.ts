import type { AttributePath, ComparedValue, Filter, Operator } from '../../protocols/scim/filter.ts'
import type { Schema } from '../../protocols/scim/schema.ts'
import { beginsWith, type IdRange, type IdSource } from '../search/id-range.ts'
import type { SortOrder, SqlCondition } from '../search/sort-order.ts'
import { foldCase } from '../users/user.ts'
import { type Columns, columnOf, comparedWith, nameOf, sameAttribute, timeComparison } from './filter-sql.ts'

/** What indexes know of an attribute. */
type Lookup = {
  /** An index has it in this order; `table` is the list, with its scope. */
  readonly order?: SortOrder
  readonly isUnique?: true
  /** Resources of which the attribute has a part. Alternatives: each has all of them. */
  readonly withPart?: (folded: string) => readonly IdRange[]
  /** Resources with a value; null if there can be none. */
  readonly withValue?: (value: string | boolean) => IdRange | null | undefined
  readonly withAny?: IdRange
  readonly withNone?: IdRange
}

/** The attributes that indexes find, by the names of the columns. */
export type Lookups = Readonly<Record<string, Lookup>>

/** A range of an order that has all matches of a filter. */
export type OrderRange = { readonly order: SortOrder; readonly within: SqlCondition; readonly rank: number }

/**
 * How a filter is answered without reading every resource. Each source and each range has all matches, the most
 * selective first.
 */
export type FilterPlan = { readonly sources: readonly IdSource[]; readonly ranges: readonly OrderRange[] }

type Names = {
  readonly lookups: Lookups
  readonly columns: Columns
  readonly schema: Schema
  readonly prefix: string | null
  /** The table with the conditions of its list, e.g. `user_account where tenant_id = $1`. */
  readonly table: string
}

/** Of the sources of a filter so many are tried. */
const SOURCES_MAX = 3

/** Returns how indexes answer a filter that `conditionOf` has accepted. */
export function planOf(filter: Filter | null, names: Names): FilterPlan {
  if (filter === null) return { sources: [], ranges: [] }
  const parts = conjunctsOf(filter, names.prefix)
  const ranges = mergedByOrder(parts.flatMap((part) => rangesOf(part, names)))
  const found = [...ranges.map((one) => [idsIn(one, names.table)]), ...parts.flatMap((part) => sourcesOf(part, names))]
  const sources = found.sort((one, other) => rankOf(one) - rankOf(other)).slice(0, SOURCES_MAX)
  return { sources, ranges: ranges.sort((one, other) => one.rank - other.rank) }
}

type Part = { readonly filter: Filter; readonly prefix: string | null }

function conjunctsOf(filter: Filter, prefix: string | null): readonly Part[] {
  if (filter.kind === 'and') return filter.parts.flatMap((part) => conjunctsOf(part, prefix))
  if (filter.kind === 'element') return conjunctsOf(filter.filter, filter.path.name)
  return [{ filter, prefix }]
}

function rankOf(source: IdSource): number {
  return Math.max(-1, ...source.map(({ rank }) => rank))
}

function idsIn({ order, within, rank }: OrderRange, table: string): IdRange {
  const index = order.kind === 'id' ? 'id' : `${order.sql}, id`
  return { from: (parameter) => `${table} and ${within(parameter)}`, id: 'id', order: index, rank }
}

function lookupOf(path: AttributePath, names: Names): Lookup {
  const name = nameOf(path, names.prefix)
  return Object.hasOwn(names.lookups, name) ? (names.lookups[name] ?? {}) : {}
}

const signs: Readonly<Partial<Record<Operator, string>>> = { eq: '=', gt: '>', ge: '>=', lt: '<', le: '<=' }

function rangesOf({ filter, prefix }: Part, all: Names): OrderRange[] {
  const names = { ...all, prefix }
  if (filter.kind !== 'present' && filter.kind !== 'compare') return []
  const { order, isUnique } = lookupOf(filter.path, names)
  const column = columnOf(filter.path, names)
  if (order === undefined || column === null) return []
  if (filter.kind === 'present') {
    return order.isNullable ? [{ order, within: () => `${order.sql} >= ''`, rank: 5 }] : []
  }
  const { operator } = filter
  const value = comparedWith(column, filter.value)
  if (column.kind === 'time') {
    if (operator === 'ne') return []
    return [{ order, within: (parameter) => timeComparison(column.sql, operator, value, parameter), rank: 3 }]
  }
  if (column.kind !== 'text' || typeof value !== 'string') return []
  const text = column.isExact === true ? value : foldCase(value)
  const rank = operator === 'eq' ? (isUnique === true ? 0 : 1) : 2
  if (operator === 'sw') return [{ order, within: (parameter) => beginsWith(order.sql, parameter(text)), rank: 1 }]
  const sign = signs[operator]
  return sign === undefined ? [] : [{ order, within: (parameter) => `${order.sql} ${sign} ${parameter(text)}`, rank }]
}

function mergedByOrder(ranges: readonly OrderRange[]): OrderRange[] {
  return [...Map.groupBy(ranges, ({ order }) => order.name).values()].flatMap((same) => {
    const [first] = same
    if (first === undefined) return []
    const within: SqlCondition = (parameter) => same.map((one) => one.within(parameter)).join(' and ')
    return [{ order: first.order, within, rank: Math.min(...same.map(({ rank }) => rank)) }]
  })
}

/** The sources of a part that is no range of an order. */
function sourcesOf({ filter, prefix }: Part, all: Names): IdSource[] {
  const names = { ...all, prefix }
  if (filter.kind === 'or') {
    const same = sameAttribute(filter.parts, names)
    const { order, isUnique } = same === null ? {} : lookupOf(same.path, names)
    // Of a unique attribute no text has many resources, so that they may be sorted.
    if (same !== null && order !== undefined && isUnique === true) {
      const within: SqlCondition = (parameter) => `${order.sql} = any(${parameter(same.texts)}::text[])`
      return [[idsIn({ order, within, rank: 0 }, names.table)]]
    }
    const each = filter.parts.map((part) => planOf(part, names).sources[0])
    return each.every((one) => one !== undefined) ? [each.flat()] : []
  }
  if (filter.kind === 'not') {
    if (filter.part.kind !== 'present') return []
    const { withNone } = lookupOf(filter.part.path, names)
    return withNone === undefined ? [] : [[withNone]]
  }
  if (filter.kind === 'present') {
    const { withAny } = lookupOf(filter.path, names)
    if (columnOf(filter.path, names) === null) return [[]]
    return withAny === undefined ? [] : [[withAny]]
  }
  if (filter.kind === 'compare') return comparedSources(filter.path, filter.operator, filter.value, names)
  return []
}

const partOperators: ReadonlySet<Operator> = new Set(['eq', 'co', 'sw', 'ew'])

function comparedSources(path: AttributePath, operator: Operator, given: ComparedValue, names: Names): IdSource[] {
  const column = columnOf(path, names)
  const value = comparedWith(column, given)
  const { withPart, withValue, withNone, withAny } = lookupOf(path, names)
  const one = (range: IdRange | null | undefined) => (range === undefined ? [] : [range === null ? [] : [range]])
  if (value === null) return one(operator === 'eq' ? withNone : withAny)
  if (column === null) return operator === 'ne' ? [] : [[]]
  if (column.kind === 'constant') return isSame(column.text, operator, value) ? [] : [[]]
  if (column.kind === 'boolean' && typeof value === 'boolean') return one(withValue?.(value === (operator === 'eq')))
  if (typeof value !== 'string') return []
  if (operator === 'eq' && withValue !== undefined) return one(withValue(value))
  if (withPart === undefined || !partOperators.has(operator) || value === '') return []
  return withPart(foldCase(value)).map((range) => [range])
}

/** Whether a constant may match; an order of constants is not of interest. */
function isSame(text: string, operator: Operator, value: ComparedValue): boolean {
  const other = foldCase(String(value))
  const matches = { eq: text === other, co: text.includes(other), sw: text.startsWith(other), ew: text.endsWith(other) }
  return operator in matches ? matches[operator as keyof typeof matches] : true
}
