import { isJsonObject, type Json, type JsonObject } from '../../crypto/json.ts'
import type { Violation } from '../../fault.ts'
import { pointerTo } from '../../json-pointer.ts'

/** What a format allows in attribute descriptions. */
type AttributeRules = {
  readonly types: readonly string[]
  /** Whether `alwaysDisclosed` is allowed. */
  readonly disclosure: boolean
  /** Whether the credential format reserves the name. `depth`: 1 for top-level attributes. */
  readonly isReserved: (name: string, depth: number) => boolean
}

/** The state of one validation. */
export type AttributeReader = { readonly rules: AttributeRules; readonly violations: Violation[]; count: number }

const ATTRIBUTES_MAX = 200
const DEPTH_MAX = 8
const NAME_CHARS_MAX = 128
const VIOLATIONS_MAX = 100

const checks: Readonly<Record<string, (value: unknown, rules: AttributeRules) => boolean>> = {
  type: (value, { types }) => types.some((one) => one === value),
  name: (value) => isTextUpTo(value, 200),
  description: (value) => isTextUpTo(value, 1000),
  required: (value) => typeof value === 'boolean',
  alwaysDisclosed: (value) => typeof value === 'boolean',
  properties: isJsonObject,
  items: isJsonObject,
}
const sentences: Readonly<Record<string, string>> = {
  name: 'name must be a text of 1 to 200 characters.',
  description: 'description must be a text of 1 to 1000 characters.',
  required: 'required must be a boolean.',
  alwaysDisclosed: 'alwaysDisclosed must be a boolean.',
  properties: 'properties must be an object.',
  items: 'items must be an object.',
}

/** Starts the validation of one template's attributes. */
export function newAttributeReader(rules: AttributeRules): AttributeReader {
  return { rules, violations: [], count: 0 }
}

/** Returns the violations found, at most 100. @param pointer Of the attributes as a whole. */
export function violationsOfAttributes({ count, violations }: AttributeReader, pointer: string): readonly Violation[] {
  const tooMany =
    count > ATTRIBUTES_MAX ? [{ detail: `The template has more than ${ATTRIBUTES_MAX} attributes.`, pointer }] : []
  return [...tooMany, ...violations].slice(0, VIOLATIONS_MAX)
}

/** Validates attribute descriptions by name, recursively. */
export function checkNamed(reading: AttributeReader, object: JsonObject, pointer: string, depth: number): void {
  for (const [name, value] of Object.entries(object)) {
    const at = pointerTo(pointer, name)
    checkName(reading, name, at, depth)
    checkOne(reading, value, at, depth)
  }
}

/** Validates a name at that depth. */
export function checkName(reading: AttributeReader, name: string, at: string, depth: number): void {
  if (reading.rules.isReserved(name, depth)) addViolation(reading, at, `${name} is reserved by the credential format.`)
  if (name === '' || name.length > NAME_CHARS_MAX)
    addViolation(reading, at, `An attribute name must have 1 to ${NAME_CHARS_MAX} characters.`)
}

/** Adds a violation, up to the limit. */
export function addViolation({ violations }: AttributeReader, pointer: string, detail: string): void {
  if (violations.length < VIOLATIONS_MAX) violations.push({ detail, pointer })
}

function checkOne(reading: AttributeReader, value: Json | undefined, pointer: string, depth: number): void {
  reading.count += 1
  if (reading.count > ATTRIBUTES_MAX) return
  if (depth > DEPTH_MAX) {
    addViolation(reading, pointer, `Attributes must nest at most ${DEPTH_MAX} deep.`)
    return
  }
  if (!isJsonObject(value)) {
    addViolation(reading, pointer, 'An attribute must be an object with a type.')
    return
  }
  checkMembers(reading, value, pointer)
  const { type, properties, items } = value
  if (properties !== undefined && type !== 'object')
    addViolation(reading, `${pointer}/properties`, 'properties is only for type object.')
  if (items !== undefined && type !== 'array')
    addViolation(reading, `${pointer}/items`, 'items is only for type array.')
  if (isJsonObject(properties)) {
    // Only {} would be valid, which carries no claim.
    if (Object.keys(properties).length === 0)
      addViolation(reading, `${pointer}/properties`, 'properties must not be empty.')
    checkNamed(reading, properties, `${pointer}/properties`, depth + 1)
  }
  if (isJsonObject(items)) checkOne(reading, items, `${pointer}/items`, depth + 1)
}

function checkMembers(reading: AttributeReader, attribute: JsonObject, pointer: string): void {
  const { rules } = reading
  if (!Object.hasOwn(attribute, 'type')) addViolation(reading, `${pointer}/type`, 'type is missing.')
  for (const [name, member] of Object.entries(attribute)) {
    const isKnown = Object.hasOwn(checks, name) && (name !== 'alwaysDisclosed' || rules.disclosure)
    const at = pointerTo(pointer, name)
    if (!isKnown) addViolation(reading, at, `${name} is not a member of an attribute.`)
    else if (checks[name]?.(member, rules) !== true) addViolation(reading, at, sentenceOf(name, rules))
  }
}

function sentenceOf(name: string, { types }: AttributeRules): string {
  return name === 'type' ? `type must be one of: ${types.join(', ')}.` : (sentences[name] ?? `${name} does not fit.`)
}

function isTextUpTo(value: unknown, charsMax: number): boolean {
  return typeof value === 'string' && value.length > 0 && value.length <= charsMax
}
