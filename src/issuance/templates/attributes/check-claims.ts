import { isJsonObject, type Json, type JsonObject } from '../../../crypto/json.ts'
import type { Violation } from '../../../fault.ts'
import { pointerTo } from '../../../json-pointer.ts'
import { isOfType, missingIn, pointerAlong, walkDescribed } from '../../../protocols/claim-tree.ts'
import { isStructuralName } from '../../../protocols/sd-jwt-vc/reserved-names.ts'
import { DISCLOSURES_MAX } from '../../../protocols/sd-jwt-vc/sd-jwt.ts'
import { readDate } from '../../../tables/cell-values.ts'
import type { Attributes, TemplateAttribute } from './attributes.ts'

const VIOLATIONS_MAX = 100
const DEPTH_MAX = 16
/** Keeps the credential below the 512 KiB that a recipient accepts. [SEC-41] */
export const BYTES_MAX = 256 * 1024
const POINTER = '/attributes'

type Checking = { readonly violations: Violation[]; values: number }
/** A claim or an array element, its name or index, and its pointer. */
type NamedValue = { readonly name: string | number; readonly pointer: string }

/**
 * Validates claims against the attributes of the template.
 *
 * @returns one violation for each invalid value; `pointer` starts with `/attributes`.
 */
export function checkClaims(attributes: Attributes, claims: JsonObject): readonly Violation[] {
  const checking: Checking = { violations: [], values: 0 }
  addMissing(checking, attributes, claims, POINTER)
  walkDescribed(attributes, claims, 0, ({ value, attribute }, path, depth) => {
    const place = { name: path.at(-1) ?? '', pointer: pointerAlong(POINTER, path) }
    if (attribute === 'free') return checkFree(checking, value, place, depth + 1)
    if (attribute !== 'unknown') return checkValue(checking, value, attribute, place)
    add(checking, place.pointer, `${place.name} is not an attribute of the template.`, { rule: 'additionalProperties' })
    return false
  })
  // Each value may become a disclosure. [SEC-41]
  if (checking.values > DISCLOSURES_MAX)
    add(checking, POINTER, `The attributes have more than ${DISCLOSURES_MAX} values.`, {
      rule: 'maxItems',
      limit: DISCLOSURES_MAX,
    })
  if (Buffer.byteLength(JSON.stringify(claims)) > BYTES_MAX) add(checking, POINTER, 'The attributes exceed 256 KiB.')
  return checking.violations
}

/**
 * Validates a value by its attribute.
 *
 * @returns the depth of what no attribute describes: 1 for an object without properties
 */
function checkValue(
  checking: Checking,
  value: Json,
  { type, properties }: TemplateAttribute,
  { name, pointer }: NamedValue,
): number | false {
  checking.values += 1
  if (!isOfType(value, type) || (typeof value === 'number' && !isExact(value))) {
    add(checking, pointer, `${name} must be ${names[type]}${type === 'date' ? whyNoDate(value) : ''}.`, {
      rule: 'type',
      limit: type,
    })
    return false
  }
  if (!isJsonObject(value)) return 0
  addMissing(checking, properties, value, pointer)
  return properties === undefined ? 1 : 0
}

/** Validates a value that no attribute describes: JSON that a credential can carry, whatever its type. */
function checkFree(checking: Checking, value: Json, { name, pointer }: NamedValue, depth: number): number | false {
  // [SD-13] at any depth
  if (typeof name === 'string' && isStructuralName(name))
    add(checking, pointer, `${name} is reserved by the credential format.`)
  if (depth > DEPTH_MAX) {
    add(checking, pointer, `Values must nest at most ${DEPTH_MAX} deep.`)
    return false
  }
  if (typeof value === 'number' && !isExact(value)) add(checking, pointer, `${name} must be ${names.number}.`)
  return depth
}

function addMissing(checking: Checking, attributes: Attributes | undefined, object: JsonObject, pointer: string): void {
  for (const name of missingIn(attributes, object))
    add(checking, pointerTo(pointer, name), `${name} is missing.`, { rule: 'required' })
}

/** Returns what is wrong with a text that looks like a date, to end a sentence; `''` for anything else. */
export function whyNoDate(value: Json): string {
  if (typeof value !== 'string') return ''
  const found = readDate(value)
  if (found.kind === 'no_day') return `: the day ${value} does not exist`
  return found.kind === 'ambiguous' ? `: ${value} can be ${found.dayFirst} or ${found.monthFirst}` : ''
}

const names: Readonly<Record<TemplateAttribute['type'], string>> = {
  string: 'a string',
  number: 'a number without loss of precision (an integer up to 2^53)',
  boolean: 'a boolean',
  date: 'a date such as 2026-01-31',
  object: 'an object',
  array: 'an array',
}

/**
 * Returns whether a number survived parsing: one written as 1e400 or with 20 digits is another number now, and must not
 * be signed.
 *
 * @see [RFC 7493, 2.2](https://www.rfc-editor.org/rfc/rfc7493#section-2.2)
 */
export function isExact(value: number): boolean {
  return Number.isFinite(value) && !(Number.isInteger(value) && !Number.isSafeInteger(value))
}

function add(
  { violations }: Checking,
  pointer: string,
  detail: string,
  broken: Pick<Violation, 'rule' | 'limit'> = {},
): void {
  if (violations.length < VIOLATIONS_MAX) violations.push({ detail, pointer, ...broken })
}
