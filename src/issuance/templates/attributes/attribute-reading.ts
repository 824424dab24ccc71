import { LOCALE_PATTERN, TRANSLATIONS_MAX } from '../../../contract/issuance/template-display.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../crypto/json.ts'
import type { Violation } from '../../../fault.ts'
import { pointerTo } from '../../../json-pointer.ts'
import { attributePointer, walkAttributes } from '../../../protocols/claim-tree.ts'
import { isText } from '../../../protocols/shape.ts'

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
const LOCALE = new RegExp(LOCALE_PATTERN)

const isBoolean = (value: Json) => typeof value === 'boolean'
/** The members of a description besides `type`: whether a value fits, and the violation if it does not. */
const members: ReadonlyMap<string, readonly [(value: Json) => boolean, string]> = new Map([
  ['name', [(value: Json) => isText(value, 200), 'name must be a text of 1 to 200 characters.']],
  [
    'names',
    [isNames, `names must have 1 to ${TRANSLATIONS_MAX} texts of 1 to 200 characters by language, such as fr.`],
  ],
  ['description', [(value: Json) => isText(value, 1000), 'description must be a text of 1 to 1000 characters.']],
  ['required', [isBoolean, 'required must be a boolean.']],
  ['alwaysDisclosed', [isBoolean, 'alwaysDisclosed must be a boolean.']],
  ['properties', [isJsonObject, 'properties must be an object.']],
  ['items', [isJsonObject, 'items must be an object.']],
])

function isNames(value: Json): boolean {
  if (!isJsonObject(value)) return false
  const entries = Object.entries(value)
  const areValid = entries.every(([locale, name]) => isText(locale, 35) && LOCALE.test(locale) && isText(name, 200))
  return areValid && entries.length > 0 && entries.length <= TRANSLATIONS_MAX
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

/** Validates attribute descriptions by name, at any depth. */
export function checkNamed(reading: AttributeReader, object: JsonObject, pointer: string): void {
  walkAttributes(object, pointer, (value, path, above) => {
    const at = attributePointer(above, path)
    const name = path.at(-1) ?? null
    if (name !== null) checkName(reading, name, at, path.length)
    return checkOne(reading, value, at, path.length) && at
  })
}

/** Validates a name at that depth. */
export function checkName(reading: AttributeReader, name: string, at: string, depth: number): void {
  if (reading.rules.isReserved(name, depth)) addViolation(reading, at, `${name} is reserved by the credential format.`)
  if (!isText(name, NAME_CHARS_MAX))
    addViolation(reading, at, `An attribute name must have 1 to ${NAME_CHARS_MAX} characters.`)
}

/** Adds a violation, up to the limit. */
export function addViolation({ violations }: AttributeReader, pointer: string, detail: string): void {
  if (violations.length < VIOLATIONS_MAX) violations.push({ detail, pointer })
}

/** Validates one description. @returns whether those inside are validated too */
function checkOne(reading: AttributeReader, value: Json, pointer: string, depth: number): boolean {
  reading.count += 1
  if (reading.count > ATTRIBUTES_MAX) return false
  if (depth > DEPTH_MAX) {
    addViolation(reading, pointer, `Attributes must nest at most ${DEPTH_MAX} deep.`)
    return false
  }
  if (!isJsonObject(value)) {
    addViolation(reading, pointer, 'An attribute must be an object with a type.')
    return false
  }
  checkMembers(reading, value, pointer)
  const { type, properties, items } = value
  if (properties !== undefined && type !== 'object')
    addViolation(reading, `${pointer}/properties`, 'properties is only for type object.')
  if (items !== undefined && type !== 'array')
    addViolation(reading, `${pointer}/items`, 'items is only for type array.')
  // Only {} would be valid, which carries no claim.
  if (isJsonObject(properties) && Object.keys(properties).length === 0)
    addViolation(reading, `${pointer}/properties`, 'properties must not be empty.')
  return true
}

function checkMembers(reading: AttributeReader, attribute: JsonObject, pointer: string): void {
  const { types, disclosure } = reading.rules
  if (!Object.hasOwn(attribute, 'type')) addViolation(reading, `${pointer}/type`, 'type is missing.')
  for (const [name, value] of Object.entries(attribute)) {
    const at = pointerTo(pointer, name)
    const member = name === 'alwaysDisclosed' && !disclosure ? undefined : members.get(name)
    if (name === 'type') {
      if (!types.some((one) => one === value)) addViolation(reading, at, `type must be one of: ${types.join(', ')}.`)
    } else if (member === undefined) addViolation(reading, at, `${name} is not a member of an attribute.`)
    else if (!member[0](value)) addViolation(reading, at, member[1])
  }
}
