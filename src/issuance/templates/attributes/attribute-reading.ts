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

type Member = readonly [isValid: (value: Json) => boolean, detail: string, charsMax?: number]

const isBoolean = (value: Json) => typeof value === 'boolean'
/**
 * The members of a description besides `type`: whether a value fits, the violation if it does not, and how long its
 * texts are.
 */
const members: ReadonlyMap<string, Member> = new Map<string, Member>([
  ['name', [(value: Json) => isText(value, 200), 'name must be a text of 1 to 200 characters.', 200]],
  [
    'names',
    [isNames, `names must have 1 to ${TRANSLATIONS_MAX} texts of 1 to 200 characters by language, such as fr.`, 200],
  ],
  ['description', [(value: Json) => isText(value, 1000), 'description must be a text of 1 to 1000 characters.', 1000]],
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
  const detail = `The template has more than ${ATTRIBUTES_MAX} attributes.`
  const tooMany: Violation[] =
    count > ATTRIBUTES_MAX ? [{ detail, pointer, rule: 'maxItems', limit: ATTRIBUTES_MAX }] : []
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
  if (reading.rules.isReserved(name, depth))
    addViolation(reading, at, `${name} is reserved by the credential format.`, { rule: 'attribute.reserved' })
  const broken = lengthRule(name, NAME_CHARS_MAX)
  if (broken !== null)
    addViolation(reading, at, `An attribute name must have 1 to ${NAME_CHARS_MAX} characters.`, broken)
}

/** The rule that a text of at least one character breaks. */
function lengthRule(text: string, charsMax: number): Broken | null {
  if (isText(text, charsMax)) return null
  return text === '' ? { rule: 'minLength', limit: 1 } : { rule: 'maxLength', limit: charsMax }
}

type Broken = Pick<Violation, 'rule' | 'limit'>

/** Adds a violation, up to the limit. */
export function addViolation(
  { violations }: AttributeReader,
  pointer: string,
  detail: string,
  broken: Broken = {},
): void {
  if (violations.length < VIOLATIONS_MAX) violations.push({ detail, pointer, ...broken })
}

/** Validates one description. @returns whether those inside are validated too */
function checkOne(reading: AttributeReader, value: Json, pointer: string, depth: number): boolean {
  reading.count += 1
  if (reading.count > ATTRIBUTES_MAX) return false
  if (depth > DEPTH_MAX) {
    const broken = { rule: 'attribute.depth', limit: DEPTH_MAX } as const
    addViolation(reading, pointer, `Attributes must nest at most ${DEPTH_MAX} deep.`, broken)
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
    addViolation(reading, `${pointer}/properties`, 'properties must not be empty.', { rule: 'attribute.none' })
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
    else if (!member[0](value)) addMemberViolation(reading, at, value, member)
  }
}

/** A name that is too long in one language is a violation of its own. */
function addMemberViolation(reading: AttributeReader, at: string, value: Json, [, detail, charsMax]: Member): void {
  const texts = isJsonObject(value)
    ? Object.entries(value).map(([name, one]) => [pointerTo(at, name), one] as const)
    : [[at, value] as const]
  const broken = texts.flatMap(([pointer, one]) => {
    const rule = charsMax === undefined || typeof one !== 'string' ? null : lengthRule(one, charsMax)
    return rule === null ? [] : [[pointer, rule] as const]
  })
  if (broken.length === 0) addViolation(reading, at, detail)
  for (const [pointer, rule] of broken) addViolation(reading, pointer, detail, rule)
}
