import { isJsonObject, type Json, type JsonObject } from '../../crypto/json.ts'
import type { Violation } from '../../fault.ts'
import { pointerTo } from '../../json-pointer.ts'

/** What a format allows where an attribute is described. `depth`: 1 for the attributes themselves. */
export type AttributeRules = {
  readonly types: readonly string[]
  /** Whether `alwaysDisclosed` means something. */
  readonly disclosure: boolean
  /** A name that the credential itself uses. */
  readonly isReserved: (name: string, depth: number) => boolean
}

/** A reading under way. */
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

/** Begins to read the attributes of one template. */
export function newAttributeReader(rules: AttributeRules): AttributeReader {
  return { rules, violations: [], count: 0 }
}

/** Everything that was found wrong, up to a limit; `pointer` is where all the attributes stand. */
export function violationsOfAttributes({ count, violations }: AttributeReader, pointer: string): readonly Violation[] {
  const tooMany =
    count > ATTRIBUTES_MAX ? [{ detail: `There are more than ${ATTRIBUTES_MAX} attributes.`, pointer }] : []
  return [...tooMany, ...violations].slice(0, VIOLATIONS_MAX)
}

/** Reads descriptions by name, and what is inside them. */
export function checkNamed(reading: AttributeReader, object: JsonObject, pointer: string, depth: number): void {
  for (const [name, value] of Object.entries(object)) {
    const at = pointerTo(pointer, name)
    checkName(reading, name, at, depth)
    checkOne(reading, value, at, depth)
  }
}

/** Whether a name may be used at that depth. */
export function checkName(reading: AttributeReader, name: string, at: string, depth: number): void {
  if (reading.rules.isReserved(name, depth))
    addViolation(reading, at, `${name} is a name that the credential itself uses.`)
  if (name === '' || name.length > NAME_CHARS_MAX)
    addViolation(reading, at, `A name has 1 to ${NAME_CHARS_MAX} characters.`)
}

/** Notes one violation, unless there are very many. */
export function addViolation({ violations }: AttributeReader, pointer: string, detail: string): void {
  if (violations.length < VIOLATIONS_MAX) violations.push({ detail, pointer })
}

function checkOne(reading: AttributeReader, value: Json | undefined, pointer: string, depth: number): void {
  reading.count += 1
  if (reading.count > ATTRIBUTES_MAX) return
  if (depth > DEPTH_MAX) {
    addViolation(reading, pointer, `Attributes nest at most ${DEPTH_MAX} deep.`)
    return
  }
  if (!isJsonObject(value)) {
    addViolation(reading, pointer, 'An attribute is an object with a type.')
    return
  }
  checkMembers(reading, value, pointer)
  const { type, properties, items } = value
  if (properties !== undefined && type !== 'object')
    addViolation(reading, `${pointer}/properties`, 'Only an object has them.')
  if (items !== undefined && type !== 'array') addViolation(reading, `${pointer}/items`, 'Only an array has them.')
  if (isJsonObject(properties)) {
    // nothing but {} would fit, which says nothing
    if (Object.keys(properties).length === 0)
      addViolation(reading, `${pointer}/properties`, 'There must be at least one.')
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
    if (!isKnown) addViolation(reading, at, `${name} is not a member here.`)
    else if (checks[name]?.(member, rules) !== true) addViolation(reading, at, sentenceOf(name, rules))
  }
}

function sentenceOf(name: string, { types }: AttributeRules): string {
  return name === 'type' ? `type must be one of: ${types.join(', ')}.` : (sentences[name] ?? `${name} does not fit.`)
}

function isTextUpTo(value: unknown, charsMax: number): boolean {
  return typeof value === 'string' && value.length > 0 && value.length <= charsMax
}
