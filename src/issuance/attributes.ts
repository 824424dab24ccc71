import { isJsonObject, type Json, type JsonObject } from '../crypto/json.ts'
import type { Violation } from '../fault.ts'
import { isReservedName } from '../protocols/sd-jwt-vc/reserved-names.ts'
import { pointerTo } from './pointer.ts'

const types = ['string', 'number', 'boolean', 'date', 'object', 'array'] as const

/** What kind of value an attribute has. `date` is a full date such as 2026-01-31. */
export type AttributeType = (typeof types)[number]

/** One attribute of a credential template. */
export type Attribute = {
  readonly type: AttributeType
  readonly name?: string
  readonly description?: string
  readonly required?: boolean
  readonly alwaysDisclosed?: boolean
  /** Members of an object; without them any object will do, and it is disclosed as a whole. */
  readonly properties?: Attributes
  /** Elements of an array; without it any array will do. */
  readonly items?: Attribute
}

/** Attributes by claim name. */
export type Attributes = { readonly [name: string]: Attribute }

const ATTRIBUTES_MAX = 200
const DEPTH_MAX = 8
const NAME_CHARS_MAX = 128
const VIOLATIONS_MAX = 100
const checks: Readonly<Record<string, (value: unknown) => boolean>> = {
  type: (value) => types.some((one) => one === value),
  name: (value) => isTextUpTo(value, 200),
  description: (value) => isTextUpTo(value, 1000),
  required: (value) => typeof value === 'boolean',
  alwaysDisclosed: (value) => typeof value === 'boolean',
  properties: isJsonObject,
  items: isJsonObject,
}

/** What reading attributes came to: themselves, or everything that is wrong with them. */
export type ReadAttributes =
  | { readonly attributes: Attributes; readonly violations: readonly [] }
  | { readonly attributes: null; readonly violations: readonly Violation[] }

type Reading = { readonly violations: Violation[]; count: number }

/**
 * Reads the attributes of a template out of a request body.
 *
 * @param pointer Where they stand in the body.
 */
export function readAttributes(value: JsonObject, pointer: string): ReadAttributes {
  const reading: Reading = { violations: [], count: 0 }
  if (Object.keys(value).length === 0) reading.violations.push({ detail: 'There must be at least one.', pointer })
  checkNamed(reading, value, pointer, 1)
  if (reading.count > ATTRIBUTES_MAX) {
    reading.violations.unshift({ detail: `There are more than ${ATTRIBUTES_MAX} attributes.`, pointer })
  }
  const { violations } = reading
  if (violations.length > 0) return { attributes: null, violations: violations.slice(0, VIOLATIONS_MAX) }
  // Every member was checked just now.
  return { attributes: value as unknown as Attributes, violations: [] }
}

function checkNamed(reading: Reading, object: JsonObject, pointer: string, depth: number): void {
  for (const [name, value] of Object.entries(object)) {
    const at = pointerTo(pointer, name)
    // [SD-13]
    if (isReservedName(name, depth > 1)) add(reading, at, `${name} is a name that the credential itself uses.`)
    if (name === '' || name.length > NAME_CHARS_MAX) add(reading, at, `A name has 1 to ${NAME_CHARS_MAX} characters.`)
    checkOne(reading, value, at, depth)
  }
}

function checkOne(reading: Reading, value: Json | undefined, pointer: string, depth: number): void {
  reading.count += 1
  if (reading.count > ATTRIBUTES_MAX) return
  if (depth > DEPTH_MAX) {
    add(reading, pointer, `Attributes nest at most ${DEPTH_MAX} deep.`)
    return
  }
  if (!isJsonObject(value)) {
    add(reading, pointer, 'An attribute is an object with a type.')
    return
  }
  if (!Object.hasOwn(value, 'type')) add(reading, `${pointer}/type`, 'type is missing.')
  for (const [name, member] of Object.entries(value)) {
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined
    if (check === undefined) add(reading, pointerTo(pointer, name), `${name} is not a member here.`)
    else if (!check(member)) add(reading, pointerTo(pointer, name), sentences[name] ?? `${name} is not acceptable.`)
  }
  const { type, properties, items } = value
  if (properties !== undefined && type !== 'object') add(reading, `${pointer}/properties`, 'Only an object has them.')
  if (items !== undefined && type !== 'array') add(reading, `${pointer}/items`, 'Only an array has them.')
  if (isJsonObject(properties)) {
    // nothing but {} would fit, which says nothing
    if (Object.keys(properties).length === 0) add(reading, `${pointer}/properties`, 'There must be at least one.')
    checkNamed(reading, properties, `${pointer}/properties`, depth + 1)
  }
  if (isJsonObject(items)) checkOne(reading, items, `${pointer}/items`, depth + 1)
}

const sentences: Readonly<Record<string, string>> = {
  type: `type must be one of: ${types.join(', ')}.`,
  name: 'name must be a text of 1 to 200 characters.',
  description: 'description must be a text of 1 to 1000 characters.',
  required: 'required must be a boolean.',
  alwaysDisclosed: 'alwaysDisclosed must be a boolean.',
  properties: 'properties must be an object.',
  items: 'items must be an object.',
}

function add({ violations }: Reading, pointer: string, detail: string): void {
  if (violations.length < VIOLATIONS_MAX) violations.push({ detail, pointer })
}

function isTextUpTo(value: unknown, charsMax: number): boolean {
  return typeof value === 'string' && value.length > 0 && value.length <= charsMax
}
