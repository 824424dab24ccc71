import { isJsonObject, type JsonObject } from '../../crypto/json.ts'
import type { Violation } from '../../fault.ts'
import { pointerTo, stepsOf } from '../../json-pointer.ts'
import { dcqlLimits } from '../../protocols/dcql/query.ts'
import type { PresentationTemplateFormat } from './presentation-template.ts'

/** What a disclosed value must be like. Bounds are inclusive; those of a date are full dates (`2006-12-31`). */
export type Condition = {
  readonly type?: 'string' | 'number' | 'boolean' | 'date'
  readonly value?: string | number | boolean
  readonly minimum?: string | number
  readonly maximum?: string | number
}

/** One claim that a template asks for: where it stands, and what must be true of it. */
export type RequestedClaim = {
  readonly path: readonly string[]
  readonly condition: Condition
  /** mdoc: whether the value will be kept for longer than the check takes; absent: no statement. */
  readonly intentToRetain?: boolean
}

/** `wanted` is complete only without violations. */
export type RequestedAttributes = {
  readonly wanted: readonly RequestedClaim[]
  readonly violations: readonly Violation[]
}

type Walk = { readonly wanted: RequestedClaim[]; readonly violations: Violation[] }

const types = ['string', 'number', 'boolean', 'date'] as const
const NAME_CHARS_MAX = 256

/**
 * Reads the attributes of a template credential: `{}` or `{type, value, minimum, maximum}` for a claim, `{properties}` for claims inside
 * it; in an mdoc `{properties: {element: {intentToRetain}}}` under each namespace.
 *
 * @param pointer Where the attributes stand in the body, for the violations; all of them are found at once.
 */
export function readRequestedAttributes(
  attributes: JsonObject,
  format: PresentationTemplateFormat,
  pointer: string,
): RequestedAttributes {
  const walk: Walk = { wanted: [], violations: [] }
  if (format === 'mdoc') readNamespaces(walk, attributes, pointer)
  else readMembers(walk, attributes, [], pointer)
  // [DCQL-9] wallets bound what they evaluate, and so do we
  if (walk.wanted.length > dcqlLimits.claimsMax)
    refuse(walk, pointer, `must have at most ${dcqlLimits.claimsMax} attributes`)
  return walk
}

/** The format of attributes that do not name theirs. Namespaces nest exactly once; `intentToRetain` or a document type tell them apart. */
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

function readMembers(walk: Walk, members: JsonObject, above: readonly string[], pointer: string): void {
  for (const [name, entry] of Object.entries(members)) {
    const at = pointerTo(pointer, name)
    const path = [...above, name]
    if (!isName(walk, name, at)) continue
    if (path.length > dcqlLimits.pathStepsMax) refuse(walk, at, 'nests too deep')
    else if (!isJsonObject(entry)) refuse(walk, at, 'must be an object')
    else if (Object.hasOwn(entry, 'properties')) readNested(walk, entry, path, at)
    else readClaim(walk, entry, path, at)
  }
}

function readNested(walk: Walk, entry: JsonObject, path: readonly string[], at: string): void {
  const { properties, type, ...others } = entry
  for (const name of Object.keys(others)) refuse(walk, pointerTo(at, name), 'cannot stand beside properties')
  if (type !== undefined && type !== 'object') refuse(walk, `${at}/type`, 'must be object where there are properties')
  if (!isJsonObject(properties) || Object.keys(properties).length === 0) {
    refuse(walk, `${at}/properties`, 'must be an object with at least one member')
  } else readMembers(walk, properties, path, `${at}/properties`)
}

function readClaim(walk: Walk, entry: JsonObject, path: readonly string[], at: string): void {
  const before = walk.violations.length
  const { type, value, minimum, maximum, ...others } = entry
  for (const name of Object.keys(others)) refuse(walk, pointerTo(at, name), 'is not a member here')
  if (type !== undefined && !types.some((one) => one === type))
    refuse(walk, `${at}/type`, `must be one of: ${types.join(', ')}`)
  if (value !== undefined && !isOfType(value, type)) refuse(walk, `${at}/value`, 'must be a value of the type')
  for (const [name, bound] of Object.entries({ minimum, maximum })) {
    if (bound !== undefined && !isBound(bound, type)) {
      refuse(walk, `${at}/${name}`, 'must be a number, or a full date where the type is date')
    }
  }
  if (minimum !== undefined && maximum !== undefined && typeof minimum !== typeof maximum) {
    refuse(walk, `${at}/maximum`, 'must be of the kind of the minimum')
  }
  // Each member was just checked to be what the type says.
  if (walk.violations.length === before) walk.wanted.push({ path, condition: entry as Condition })
}

function readNamespaces(walk: Walk, namespaces: JsonObject, pointer: string): void {
  for (const [namespace, entry] of Object.entries(namespaces)) {
    const at = pointerTo(pointer, namespace)
    if (!isName(walk, namespace, at)) continue
    const { properties, type = 'object', ...others } = isJsonObject(entry) ? entry : {}
    if (!isJsonObject(properties) || type !== 'object' || Object.keys(others).length > 0) {
      refuse(walk, at, 'is a namespace and must have the one member properties')
    } else readElements(walk, properties, namespace, `${at}/properties`)
  }
}

function readElements(walk: Walk, elements: JsonObject, namespace: string, pointer: string): void {
  for (const [name, entry] of Object.entries(elements)) {
    const at = pointerTo(pointer, name)
    if (!isName(walk, name, at)) continue
    if (!isJsonObject(entry)) {
      refuse(walk, at, 'must be an object')
      continue
    }
    const { intentToRetain, ...others } = entry
    if (intentToRetain !== undefined && typeof intentToRetain !== 'boolean') {
      refuse(walk, `${at}/intentToRetain`, 'must be a boolean')
    } else if (Object.keys(others).length > 0) {
      refuse(walk, at, 'is an element and may have no other member than intentToRetain')
    } else {
      walk.wanted.push({
        ...{ path: [namespace, name], condition: {} },
        ...(intentToRetain !== undefined && { intentToRetain }),
      })
    }
  }
}

function isOfType(value: unknown, type: unknown): boolean {
  if (type === undefined) return ['string', 'number', 'boolean'].includes(typeof value)
  return type === 'date' ? isFullDate(value) : typeof value === type
}

function isBound(bound: unknown, type: unknown): boolean {
  if (type === 'date') return isFullDate(bound)
  if (type === undefined) return typeof bound === 'number' || isFullDate(bound)
  return type === 'number' && typeof bound === 'number'
}

/** Whether a value is a calendar date as RFC 3339 writes it (`full-date`). */
export function isFullDate(value: unknown): value is string {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return false
  const time = Date.parse(`${value}T00:00:00Z`)
  // The 30th of February parses, but to another day.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value)
}

function isName(walk: Walk, name: string, at: string): boolean {
  const fits = name.length > 0 && name.length <= NAME_CHARS_MAX
  if (!fits) refuse(walk, at, `must be a name of 1 to ${NAME_CHARS_MAX} characters`)
  return fits
}

function refuse(walk: Walk, pointer: string, complaint: string): void {
  const named = stepsOf(pointer).at(-1)?.slice(0, NAME_CHARS_MAX) || 'The name'
  walk.violations.push({ detail: `${named} ${complaint}.`, pointer })
}
