import type { Json } from '../../crypto/json.ts'
import { Fault } from '../../fault.ts'
import { type AttributePath, type Filter, parseAttribute, parseFilter } from './filter.ts'
import { messageOf } from './message.ts'
import { memberNamed } from './values.ts'

/** Resources on a page at most. */
export const COUNT_MAX = 200
const COUNT_DEFAULT = 100

/** A query of resources, from the query string or from the body of `.search`. */
export type ScimListRequest = {
  readonly filter: Filter | null
  readonly sort: { readonly by: AttributePath; readonly descending: boolean } | null
  /** 1-based index of the first result. */
  readonly startIndex: number
  /** 0 to 200. */
  readonly count: number
  /** Where a page by cursor begins: '' for the first page; null: pages by index. */
  readonly cursor: string | null
  readonly projection: Projection
}

/** Which attributes a caller wants; by default all. */
export type Projection = {
  readonly only: readonly AttributePath[] | null
  readonly without: readonly AttributePath[]
}

type Members = Readonly<Record<string, Json | undefined>>

/**
 * Reads a query of resources. The names of its members may have any case: with one that is not read, a client would get
 * the first page forever. Numbers out of range take the nearest value, as RFC 7644 3.4.2.4 wants.
 *
 * @throws Fault `scim.invalid_filter`, `scim.invalid_path`, `scim.invalid_value`
 * @see [RFC 7644, 3.4.2](https://www.rfc-editor.org/rfc/rfc7644#section-3.4.2), pages by cursor: RFC 9865
 */
export function readListRequest(members: Members): ScimListRequest {
  const filter = textOf(members, 'filter')
  const sortBy = textOf(members, 'sortBy')
  const order = textOf(members, 'sortOrder')?.toLowerCase() ?? 'ascending'
  if (order !== 'ascending' && order !== 'descending') throw invalid('sortOrder is ascending or descending.')
  return {
    filter: filter === null ? null : parseFilter(filter),
    sort: sortBy === null ? null : { by: parseAttribute(sortBy), descending: order === 'descending' },
    startIndex: Math.max(1, wholeOf(members, 'startIndex') ?? 1),
    count: Math.min(COUNT_MAX, Math.max(0, wholeOf(members, 'count') ?? COUNT_DEFAULT)),
    cursor: text(members, 'cursor'),
    projection: readProjection(members),
  }
}

/** Reads `attributes` and `excludedAttributes`. @throws Fault `scim.invalid_path`, `scim.invalid_value` */
export function readProjection(members: Members): Projection {
  const only = namesOf(members, 'attributes')
  return {
    only: only.length === 0 ? null : only.map(parseAttribute),
    without: namesOf(members, 'excludedAttributes').map(parseAttribute),
  }
}

/** Reads the body of `.search`. @throws Fault as {@link readListRequest} */
export function readSearch(body: Json): ScimListRequest {
  return readListRequest(messageOf(body, 'urn:ietf:params:scim:api:messages:2.0:SearchRequest'))
}

function text(members: Members, name: string): string | null {
  const value = memberNamed(members, name) ?? null
  if (value !== null && typeof value !== 'string') throw invalid(`${name} is a string.`)
  return value
}

/** A client with nothing to filter or to sort by sends it empty. */
function textOf(members: Members, name: string): string | null {
  const value = text(members, name)
  return value === null || value.trim() === '' ? null : value
}

function wholeOf(members: Members, name: string): number | null {
  const value = memberNamed(members, name)
  if (value === undefined || value === null || value === '') return null
  const number = typeof value === 'string' && /^-?\d{1,30}$/.test(value) ? Number(value) : value
  if (typeof number !== 'number' || !Number.isInteger(number)) throw invalid(`${name} is an integer.`)
  return Math.min(number, Number.MAX_SAFE_INTEGER)
}

function namesOf(members: Members, name: string): string[] {
  const value = memberNamed(members, name)
  const list = typeof value === 'string' ? value.split(',') : (value ?? [])
  if (!Array.isArray(list) || list.length > 100) throw invalid(`${name} is a list of at most 100 names.`)
  return list
    .filter((one) => typeof one === 'string')
    .map((one) => one.trim())
    .filter((one) => one !== '')
}

function invalid(detail: string): Fault {
  return new Fault('scim.invalid_value', { detail })
}
