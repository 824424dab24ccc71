import { isJsonObject, type Json, type JsonObject } from '../../crypto/json.ts'
import type { Violation } from '../../fault.ts'
import { pointerTo, stepsOf } from '../../json-pointer.ts'
import { isStructuralName } from '../../protocols/sd-jwt-vc/reserved-names.ts'
import { DISCLOSURES_MAX } from '../../protocols/sd-jwt-vc/sd-jwt.ts'
import type { Attributes, TemplateAttribute } from './attributes.ts'

const VIOLATIONS_MAX = 100
const DEPTH_MAX = 16
/** Keeps the credential below the 512 KiB that a recipient accepts. [SEC-41] */
export const BYTES_MAX = 256 * 1024

type Checking = { readonly violations: Violation[]; values: number }

/**
 * Validates claims against the attributes of the template.
 *
 * @returns one violation for each invalid value; `pointer` starts with `/attributes`.
 */
export function checkClaims(attributes: Attributes, claims: JsonObject): readonly Violation[] {
  const checking: Checking = { violations: [], values: 0 }
  checkMembers(checking, attributes, claims, '/attributes')
  // Each value may become a disclosure. [SEC-41]
  if (checking.values > DISCLOSURES_MAX)
    add(checking, '/attributes', `The attributes have more than ${DISCLOSURES_MAX} values.`)
  if (Buffer.byteLength(JSON.stringify(claims)) > BYTES_MAX)
    add(checking, '/attributes', 'The attributes exceed 256 KiB.')
  return checking.violations
}

function checkMembers(checking: Checking, attributes: Attributes, claims: JsonObject, pointer: string): void {
  for (const [name, { required }] of Object.entries(attributes)) {
    if (required && !Object.hasOwn(claims, name)) add(checking, pointerTo(pointer, name), `${name} is missing.`)
  }
  for (const [name, value] of Object.entries(claims)) {
    const attribute = Object.hasOwn(attributes, name) ? attributes[name] : undefined
    const at = pointerTo(pointer, name)
    if (attribute === undefined) add(checking, at, `${name} is not an attribute of the template.`)
    else checkValue(checking, attribute, value, at)
  }
}

function checkValue(checking: Checking, attribute: TemplateAttribute, value: Json, pointer: string): void {
  checking.values += 1
  const { type, properties, items } = attribute
  if (!fits[type](value)) {
    add(checking, pointer, `${lastOf(pointer)} must be ${names[type]}.`)
    return
  }
  if (isJsonObject(value)) {
    if (properties === undefined) checkFree(checking, value, pointer, 1)
    else checkMembers(checking, properties, value, pointer)
  } else if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) {
      if (items === undefined) checkFree(checking, item, pointerTo(pointer, at), 1)
      else checkValue(checking, items, item, pointerTo(pointer, at))
    }
  }
}

/** Validates a value that no attribute describes: any JSON that a credential can carry. */
function checkFree(checking: Checking, value: Json, pointer: string, depth: number): void {
  if (depth > DEPTH_MAX) {
    add(checking, pointer, `Values must nest at most ${DEPTH_MAX} deep.`)
    return
  }
  if (typeof value === 'number') {
    if (!isExact(value)) add(checking, pointer, `${lastOf(pointer)} must be ${names.number}.`)
  } else if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) checkFree(checking, item, pointerTo(pointer, at), depth + 1)
  } else if (isJsonObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      const at = pointerTo(pointer, name)
      // [SD-13] at any depth
      if (isStructuralName(name)) add(checking, at, `${name} is reserved by the credential format.`)
      checkFree(checking, member, at, depth + 1)
    }
  }
}

const fits: Readonly<Record<TemplateAttribute['type'], (value: Json) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: isExact,
  boolean: (value) => typeof value === 'boolean',
  date: isDate,
  object: isJsonObject,
  array: Array.isArray,
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
 * Returns whether a number survived parsing: one written as 1e400 or with 20 digits is another number now, and must not be signed.
 *
 * @see [RFC 7493, 2.2](https://www.rfc-editor.org/rfc/rfc7493#section-2.2)
 */
export function isExact(value: Json): boolean {
  return (
    typeof value === 'number' && Number.isFinite(value) && !(Number.isInteger(value) && !Number.isSafeInteger(value))
  )
}

/** Returns whether the value is an RFC 3339 full-date that exists in the calendar. */
function isDate(value: Json): boolean {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return false
  const time = new Date(`${value}T00:00:00Z`)
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(value)
}

function lastOf(pointer: string): string {
  return stepsOf(pointer).at(-1) ?? ''
}

function add({ violations }: Checking, pointer: string, detail: string): void {
  if (violations.length < VIOLATIONS_MAX) violations.push({ detail, pointer })
}
