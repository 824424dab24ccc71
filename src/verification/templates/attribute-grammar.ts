import { isJsonObject, type Json, type JsonObject } from '../../crypto/json.ts'
import type { Rule } from '../../fault/rules.ts'
import type { Violation } from '../../fault.ts'
import { pointerTo, stepsOf } from '../../json-pointer.ts'
import { isOfType } from '../../protocols/claim-tree.ts'
import { type ClaimValue, dcqlLimits, type PathStep } from '../../protocols/dcql/query.ts'
import { isFullDate, isText } from '../../protocols/shape.ts'
import type { PresentationTemplateFormat } from './presentation-template.ts'

/** A condition on a disclosed value. Bounds are inclusive; those of a date are full dates (`2006-12-31`). */
export type Condition = {
  readonly type?: 'string' | 'number' | 'boolean' | 'date'
  readonly value?: string | number | boolean
  readonly minimum?: string | number
  readonly maximum?: string | number
}

/** A claim that a template requests, with its path and condition. */
export type RequestedClaim = {
  readonly path: readonly PathStep[]
  readonly condition: Condition
  /** The values that the query names; absent: it names none, and every value matches. */
  readonly values?: readonly ClaimValue[]
  /** mdoc only; absent: no statement. */
  readonly intentToRetain?: boolean
}

type Parsed = { readonly claims: RequestedClaim[]; readonly violations: Violation[] }

const types = ['string', 'number', 'boolean', 'date'] as const
const NAME_CHARS_MAX = 256

/**
 * Parses the attributes of a template credential: `{}` or `{type, value, values, minimum, maximum}` for a claim,
 * `{properties}` for nested claims, `{items}` for every element of an array or, as a list, for elements by position
 * (null: not requested); in an mdoc `{properties: {element: {intentToRetain, values}}}` under each namespace.
 *
 * @param pointer JSON pointer of the attributes in the body, for the violations.
 * @returns all violations; `claims` is complete only if there are none.
 */
export function readRequestedAttributes(
  attributes: JsonObject,
  format: PresentationTemplateFormat,
  pointer: string,
): Readonly<Parsed> {
  const parsed: Parsed = { claims: [], violations: [] }
  readMembers(parsed, format === 'mdoc' ? readInMdoc : readInSdJwt, attributes, [], pointer)
  // [DCQL-9]
  if (parsed.claims.length > dcqlLimits.claimsMax)
    refuse(parsed, pointer, `must have at most ${dcqlLimits.claimsMax} attributes`, 'maxItems', dcqlLimits.claimsMax)
  return parsed
}

type Reader = (parsed: Parsed, entry: Json, path: readonly PathStep[], at: string) => void

function readMembers(parsed: Parsed, read: Reader, members: JsonObject, above: readonly PathStep[], at: string): void {
  for (const [name, entry] of Object.entries(members)) {
    const pointer = pointerTo(at, name)
    if (isText(name, NAME_CHARS_MAX)) read(parsed, entry, [...above, name], pointer)
    else refuse(parsed, pointer, `must be a name of 1 to ${NAME_CHARS_MAX} characters`, 'maxLength', NAME_CHARS_MAX)
  }
}

/**
 * Returns the format of attributes without one: mdoc if they nest once, and have an `intentToRetain` or the type is a
 * document type.
 */
export function inferFormat(type: string, attributes: JsonObject): PresentationTemplateFormat {
  const entries = Object.values(attributes)
  const isNested = entries.length > 0 && entries.every((one) => isJsonObject(one) && isJsonObject(one.properties))
  if (!isNested) return 'sd-jwt-vc'
  const retains = entries
    .flatMap((one) => (isJsonObject(one) && isJsonObject(one.properties) ? Object.values(one.properties) : []))
    .some((element) => isJsonObject(element) && Object.hasOwn(element, 'intentToRetain'))
  // ISO 18013-5, 7.1: a document type is a reverse domain name; a vct is a URL or URN by custom
  const isDocumentType = /^[a-z0-9-]+(\.[A-Za-z0-9-]+){2,}$/.test(type)
  return retains || isDocumentType ? 'mdoc' : 'sd-jwt-vc'
}

function readInSdJwt(parsed: Parsed, entry: Json, path: readonly PathStep[], at: string): void {
  if (path.length > dcqlLimits.pathStepsMax)
    refuse(parsed, at, 'is nested too deeply', 'attribute.depth', dcqlLimits.pathStepsMax)
  else if (!isJsonObject(entry)) refuse(parsed, at, 'must be an object')
  else if (Object.hasOwn(entry, 'properties')) readNested(parsed, entry, path, at)
  else if (Object.hasOwn(entry, 'items')) readArray(parsed, entry, path, at)
  else readClaim(parsed, entry, path, at)
}

function readNested(parsed: Parsed, entry: JsonObject, path: readonly PathStep[], at: string): void {
  const { properties, type, ...others } = entry
  for (const name of Object.keys(others)) refuse(parsed, pointerTo(at, name), 'is not allowed beside properties')
  if (type !== undefined && type !== 'object') refuse(parsed, `${at}/type`, 'must be object beside properties')
  if (isJsonObject(properties) && Object.keys(properties).length > 0)
    readMembers(parsed, readInSdJwt, properties, path, `${at}/properties`)
  else refuse(parsed, `${at}/properties`, 'must be an object with at least one member')
}

/** OpenID4VP 1.0, 7.1: null selects every element, an index one. */
function readArray(parsed: Parsed, entry: JsonObject, path: readonly PathStep[], at: string): void {
  const { items, type, ...others } = entry
  for (const name of Object.keys(others)) refuse(parsed, pointerTo(at, name), 'is not allowed beside items')
  if (type !== undefined && type !== 'array') refuse(parsed, `${at}/type`, 'must be array beside items')
  if (!Array.isArray(items)) readInSdJwt(parsed, items ?? null, [...path, null], `${at}/items`)
  else if (items.length > dcqlLimits.claimsMax || items.every((one) => one === null))
    refuse(
      parsed,
      `${at}/items`,
      `must have an object, and at most ${dcqlLimits.claimsMax} entries`,
      'maxItems',
      dcqlLimits.claimsMax,
    )
  else
    for (const [index, item] of items.entries())
      if (item !== null) readInSdJwt(parsed, item, [...path, index], `${at}/items/${index}`)
}

function readClaim(parsed: Parsed, entry: JsonObject, path: readonly PathStep[], at: string): void {
  const before = parsed.violations.length
  const { values, ...condition } = entry
  const { type, value, minimum, maximum, ...others } = condition
  for (const name of Object.keys(others)) refuse(parsed, pointerTo(at, name), 'is not allowed here')
  if (type !== undefined && !types.some((one) => one === type))
    refuse(parsed, `${at}/type`, `must be one of: ${types.join(', ')}`)
  // Without a type, or with an unknown one, a value has its own.
  const allowed = types.filter((one) => type === undefined || one === type)
  if (value !== undefined && !allowed.some((one) => isOfType(value, one)))
    refuse(parsed, `${at}/value`, 'must be a value of the type', 'type', String(type ?? 'string'))
  for (const [name, bound] of Object.entries({ minimum, maximum })) {
    if (bound !== undefined && !isBound(bound, type)) {
      const limit = type === 'date' ? 'date' : 'number'
      refuse(parsed, `${at}/${name}`, 'must be a number, or a full date where the type is date', 'type', limit)
    }
  }
  if (isBound(minimum, type) && maximum !== undefined && typeof minimum !== typeof maximum) {
    const limit = typeof minimum === 'number' ? 'number' : 'date'
    refuse(parsed, `${at}/maximum`, 'must be a number or a date like the minimum', 'type', limit)
  }
  const named = readValues(parsed, values, at)
  // Each member was checked above.
  if (parsed.violations.length === before) parsed.claims.push({ path, condition: condition as Condition, ...named })
}

/** OpenID4VP 1.0, 6.3: strings, integers and booleans. */
function readValues(parsed: Parsed, values: Json | undefined, at: string): Pick<RequestedClaim, 'values'> {
  if (values === undefined) return {}
  if (isClaimValues(values)) return { values }
  const detail = `must be 1 to ${dcqlLimits.valuesMax} strings, integers and booleans`
  refuse(parsed, `${at}/values`, detail, 'request.values', dcqlLimits.valuesMax)
  return {}
}

function isClaimValues(values: Json): values is readonly ClaimValue[] {
  if (!Array.isArray(values) || values.length === 0 || values.length > dcqlLimits.valuesMax) return false
  return values.every((one) =>
    typeof one === 'string'
      ? one.length <= dcqlLimits.textLengthMax
      : typeof one === 'boolean' || Number.isSafeInteger(one),
  )
}

/** As {@link readInSdJwt}: the outer entries are namespaces, the inner ones elements. */
function readInMdoc(parsed: Parsed, entry: Json, path: readonly PathStep[], at: string): void {
  const { properties, type = 'object', ...others } = isJsonObject(entry) ? entry : {}
  if (isJsonObject(properties) && type === 'object' && Object.keys(others).length === 0)
    readMembers(parsed, readElement, properties, path, `${at}/properties`)
  else refuse(parsed, at, 'is a namespace and must have properties, and no other member', 'request.mdoc_element')
}

function readElement(parsed: Parsed, entry: Json, path: readonly PathStep[], at: string): void {
  if (!isJsonObject(entry)) {
    refuse(parsed, at, 'must be an object')
    return
  }
  const { intentToRetain, values, ...others } = entry
  const named = readValues(parsed, values, at)
  if (intentToRetain !== undefined && typeof intentToRetain !== 'boolean') {
    refuse(parsed, `${at}/intentToRetain`, 'must be a boolean')
  } else if (Object.keys(others).length > 0) {
    const rule = Object.hasOwn(entry, 'properties') ? 'request.mdoc_element' : 'request.mdoc_values'
    refuse(parsed, at, 'is an element and may have intentToRetain and values only', rule)
  } else parsed.claims.push({ path, condition: {}, ...named, ...(intentToRetain !== undefined && { intentToRetain }) })
}

function isBound(bound: unknown, type: unknown): boolean {
  if (type === 'date') return isFullDate(bound)
  if (type === undefined) return typeof bound === 'number' || isFullDate(bound)
  return type === 'number' && typeof bound === 'number'
}

function refuse(parsed: Parsed, pointer: string, message: string, rule?: Rule, limit?: number | string): void {
  const name = stepsOf(pointer).at(-1)?.slice(0, NAME_CHARS_MAX) || 'The name'
  const broken = { ...(rule !== undefined && { rule }), ...(limit !== undefined && { limit }) }
  parsed.violations.push({ detail: `${name} ${message}.`, pointer, ...broken })
}
