import { fromBase64url } from '../../crypto/base64url.ts'
import { isJsonObject, type Json, type JsonObject } from '../../crypto/json.ts'
import type { Violation } from '../../fault.ts'
import { pointerTo } from '../../json-pointer.ts'
import { type Cbor, cborTags, tagged } from '../cbor/value.ts'
import { isFullDate } from '../shape.ts'

/**
 * How a JSON value becomes CBOR. `full-date`: `2026-01-31`, tag 1004. `tdate`: `2026-01-31T12:00:00Z`, tag 0. `bytes`:
 * base64url.
 */
export type ElementType = 'string' | 'number' | 'boolean' | 'full-date' | 'tdate' | 'bytes' | 'array' | 'map'

/**
 * The type of an element. Without `items` or `properties`, the content of an array or a map keeps its JSON types: no
 * date is guessed.
 */
export type ElementRule = {
  readonly type: ElementType
  readonly items?: ElementRule | undefined
  readonly properties?: { readonly [name: string]: ElementRule } | undefined
}

/** The elements of a template, by namespace. */
export type NameSpaceRules = { readonly [nameSpace: string]: { readonly [element: string]: ElementRule } }

/** Elements with their values, by namespace. */
export type Elements = ReadonlyMap<string, ReadonlyMap<string, Cbor>>

/** Deeper values could not be decoded again: the item, its namespace and the document add levels of their own. */
const DEPTH_MAX = 10

/**
 * Converts JSON values to elements, each by its rule [MD-8].
 *
 * @param values `{namespace: {element: value}}`; missing elements are omitted.
 * @returns The elements and the violations; with violations the elements are incomplete. `pointer` refers to `values`.
 */
export function toElements(
  rules: NameSpaceRules,
  values: JsonObject,
): { readonly elements: Elements; readonly violations: readonly Violation[] } {
  const violations: Violation[] = []
  const elements = new Map<string, ReadonlyMap<string, Cbor>>()
  for (const [nameSpace, members] of Object.entries(values)) {
    const pointer = pointerTo('', nameSpace)
    const elementRules = Object.hasOwn(rules, nameSpace) ? rules[nameSpace] : undefined
    if (elementRules === undefined) violations.push({ detail: 'The template has no such namespace.', pointer })
    else if (!isJsonObject(members)) violations.push({ detail: 'A namespace is an object of elements.', pointer })
    else elements.set(nameSpace, convertMembers(elementRules, members, { pointer, depth: 0, violations }))
  }
  return { elements, violations }
}

type Conversion = { readonly pointer: string; readonly depth: number; readonly violations: Violation[] }

function convertMembers(rules: NonNullable<ElementRule['properties']>, members: JsonObject, place: Conversion) {
  const converted = new Map<string, Cbor>()
  for (const [name, value] of Object.entries(members)) {
    const inside = { ...place, pointer: pointerTo(place.pointer, name) }
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined
    if (rule === undefined) refuse(inside, 'The template has no such element.')
    else converted.set(name, convert(rule, value, inside))
  }
  return converted
}

function convert(rule: ElementRule, value: Json, place: Conversion): Cbor {
  if (place.depth > DEPTH_MAX) return refuse(place, 'The value is nested too deeply.')
  const inside = { ...place, depth: place.depth + 1 }
  switch (rule.type) {
    case 'array':
      return Array.isArray(value) ? convertArray(rule.items, value, inside) : refuse(place, 'must be an array')
    case 'map':
      if (!isJsonObject(value)) return refuse(place, 'must be an object')
      return rule.properties === undefined ? plain(value, inside) : convertMembers(rule.properties, value, inside)
    default:
      return scalars[rule.type](value) ?? refuse(place, expected[rule.type])
  }
}

function convertArray(items: ElementRule | undefined, array: readonly Json[], place: Conversion): Cbor {
  return array.map((one, at) => {
    const inside = { ...place, pointer: `${place.pointer}/${at}` }
    return items === undefined ? plain(one, inside) : convert(items, one, inside)
  })
}

/** Converts JSON to the corresponding CBOR. */
function plain(value: Json, place: Conversion): Cbor {
  if (place.depth > DEPTH_MAX) return refuse(place, 'The value is nested too deeply.')
  const inside = { ...place, depth: place.depth + 1 }
  if (typeof value === 'number') return number(value)
  if (Array.isArray(value)) return convertArray(undefined, value, inside)
  if (!isJsonObject(value))
    return typeof value === 'string' ? (text(value) ?? refuse(place, expected.string)) : scalar(value)
  return new Map(Object.entries(value).map(([name, one]) => [name, plain(one, inside)]))
}

function scalar(value: Json): Cbor {
  return typeof value === 'boolean' ? value : null
}

type Scalar = Exclude<ElementType, 'array' | 'map'>

const expected: { readonly [type in Scalar]: string } = {
  string: 'must be a string',
  number: 'must be a number',
  boolean: 'must be true or false',
  'full-date': 'must be a date such as 2026-01-31',
  tdate: 'must be a time in UTC without fractions, such as 2026-01-31T12:00:00Z',
  bytes: 'must be bytes in base64url without padding',
}

/** Return null if the value is not of the type. */
const scalars: { readonly [type in Scalar]: (value: Json) => Cbor } = {
  string: text,
  number: (value) => (typeof value === 'number' ? number(value) : null),
  boolean: (value) => (typeof value === 'boolean' ? value : null),
  'full-date': (value) => (isFullDate(value) ? tagged(cborTags.fullDate, value) : null),
  tdate: (value) => (isTime(value) ? tagged(cborTags.dateTime, value) : null),
  bytes,
}

function text(value: Json): string | null {
  return typeof value === 'string' && value.isWellFormed() ? value : null
}

function number(value: number): Cbor {
  return Number.isSafeInteger(value) ? value : { float: value }
}

function bytes(value: Json): Buffer | null {
  try {
    return typeof value === 'string' ? fromBase64url(value) : null
  } catch {
    return null
  }
}

/** Whether a value is a time as an mdoc writes them: UTC, no fractions, and in the calendar [MD-3]. */
function isTime(value: unknown): value is string {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(value)) return false
  const time = new Date(value)
  return !Number.isNaN(time.getTime()) && time.toISOString() === value.replace('Z', '.000Z')
}

function refuse({ violations, pointer }: Conversion, detail: string): null {
  violations.push({ detail, pointer })
  return null
}
