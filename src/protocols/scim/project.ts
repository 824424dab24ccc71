import { isJsonObject, type Json } from '../../crypto/json.ts'
import type { AttributePath } from './filter.ts'
import type { Projection } from './list-request.ts'

/** Attributes that every answer has (RFC 7643 3.1, `returned` is `always`). */
const ALWAYS: readonly string[] = ['id', 'schemas']

/**
 * Leaves out attributes that the caller does not want, and those without a value.
 *
 * @see [RFC 7644, 3.9](https://www.rfc-editor.org/rfc/rfc7644#section-3.9)
 */
export function project(resource: Readonly<Record<string, Json>>, { only, without }: Projection): Record<string, Json> {
  const members = Object.entries(resource).flatMap(([name, value]) => {
    if (isEmpty(name, value)) return []
    if (ALWAYS.includes(name)) return [[name, value] as const]
    const wanted = only === null ? value : partOf(value, pathsTo(only, name), true)
    const kept = wanted === null ? null : partOf(wanted, pathsTo(without, name), false)
    return isEmpty(name, kept) ? [] : [[name, kept] as const]
  })
  return Object.fromEntries(members)
}

function pathsTo(paths: readonly AttributePath[], name: string): readonly AttributePath[] {
  return paths.filter((path) => path.name === name.toLowerCase())
}

/** The part of a value that the paths name, or that they do not name. */
function partOf(value: Json, paths: readonly AttributePath[], isNamed: boolean): Json {
  if (paths.length === 0) return isNamed ? null : value
  if (paths.some((path) => path.sub === null)) return isNamed ? value : null
  const subs = paths.map((path) => path.sub)
  const cut = (one: Json): Json =>
    isJsonObject(one)
      ? Object.fromEntries(Object.entries(one).filter(([name]) => subs.includes(name.toLowerCase()) === isNamed))
      : one
  return Array.isArray(value) ? value.map(cut) : cut(value)
}

/** An empty list of members is told: authentik adds nobody to a group without one. */
function isEmpty(name: string, value: Json): boolean {
  return value === null || (Array.isArray(value) && value.length === 0 && name !== 'members')
}
