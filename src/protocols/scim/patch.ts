import { isJsonObject, type Json, type JsonObject, memberOf } from '../../crypto/json.ts'
import { Fault } from '../../fault.ts'
import { added, onePrimary, without } from './elements.ts'
import { attributeOf, type Filter, parseTargetPath, type TargetPath } from './filter.ts'
import { matches } from './matches.ts'
import { messageOf } from './message.ts'
import type { PatchOperation } from './parse-patch.ts'
import { type Attribute, commonAttributes, findAttribute, type Schema } from './schema.ts'
import { elementsIn, elementsOf, formOf, objectOf } from './values.ts'

/** A resource as its attributes by canonical names. */
export type Resource = Readonly<Record<string, Json>>

const ELEMENTS_MAX = 100

/**
 * Applies the operations of a PATCH to a resource and returns the changed one. Values are checked against the schema as
 * far as their form goes; what they mean is for the caller to check.
 *
 * @throws Fault `scim.invalid_path`, `scim.invalid_value`, `scim.mutability`, `scim.no_target`, `scim.too_many` beyond
 *   100 elements of an attribute
 */
export function applyPatch(schema: Schema, resource: Resource, operations: readonly PatchOperation[]): Resource {
  return withPaths(schema, operations).reduce(
    (changed, { op, path, value }) => withinBound(applyAt(schema, changed, op, path, value)),
    resource,
  )
}

/** Each operation compares its elements with those that are there. */
function withinBound(resource: Resource): Resource {
  const large = Object.keys(resource).find((name) => elementsOf(resource[name]).length > ELEMENTS_MAX)
  if (large === undefined) return resource
  throw new Fault('scim.too_many', { detail: `At most ${ELEMENTS_MAX} elements of ${large}.` })
}

/** An operation of a PATCH on one attribute. */
export type PathOperation = PatchOperation & { readonly path: TargetPath }

/**
 * Returns the operations with a path each: one without a path is one for each attribute of its value.
 *
 * @throws Fault `scim.invalid_path`, `scim.invalid_value`
 */
export function withPaths(schema: Schema, operations: readonly PatchOperation[]): readonly PathOperation[] {
  return operations.flatMap(({ op, path, value }) => {
    if (path !== null && (op === 'remove' || !isWhole(schema, path))) return [{ op, path, value }]
    // RFC 7644 3.5.2.1: without a path, value is a set of attributes
    if (!isJsonObject(value)) throw invalid('Without a path, value is an object.')
    return pathsOf(schema, value).map(([target, one]) => ({ op, path: target, value: one }))
  })
}

/** Whether a path is the schema itself, whose last part reads as the name of an attribute. */
function isWhole({ id }: Schema, { path, filter }: TargetPath): boolean {
  return filter === null && path.sub === null && `${path.schema}:${path.name}` === id.toLowerCase()
}

/**
 * Returns the attributes of a POST or PUT by their canonical names. What the server sets itself is ignored, as are
 * attributes that no schema has.
 *
 * @throws Fault `scim.invalid_syntax` as {@link messageOf}, `scim.invalid_value`
 * @see [RFC 7644, 3.3](https://www.rfc-editor.org/rfc/rfc7644#section-3.3)
 */
export function readResource(schema: Schema, body: Json): Resource {
  const writable = pathsOf(schema, messageOf(body, schema.id)).filter(
    ([{ path }]) => findAttribute([...schema.attributes, ...commonAttributes], path.name)?.mutability !== 'readOnly',
  )
  return writable.reduce<Resource>((made, [name, value]) => applyAt(schema, made, 'replace', name, value), {})
}

/**
 * The attributes of a value without a path. Entra ID sends dotted and qualified names; attributes that no schema has
 * are left out.
 */
function pathsOf(schema: Schema, value: JsonObject): (readonly [TargetPath, Json])[] {
  return Object.entries(value).flatMap(([name, one]) => {
    if (name.toLowerCase() === schema.id.toLowerCase() && isJsonObject(one)) return pathsOf(schema, one)
    if (name.toLowerCase() === 'schemas' || schema.ignored.has(name.toLowerCase())) return []
    if (!name.includes('[') && attributeOf(name) === null) return []
    const target = parseTargetPath(name)
    const { path } = target
    const isOurs = path.schema === null || path.schema === schema.id.toLowerCase()
    const isKnown = isOurs && findAttribute([...schema.attributes, ...commonAttributes], path.name) !== null
    return isKnown ? [[target, one] as const] : []
  })
}

function applyAt(
  schema: Schema,
  resource: Resource,
  op: PatchOperation['op'],
  target: TargetPath,
  value: Json | undefined,
) {
  const { path, filter } = target
  // RFC 7644 3.5.2: the schemas change with the attributes, of which no other schema has any that are kept.
  if (isIgnored(schema, target) || path.name === 'schemas') return resource
  const attribute = findAttribute([...schema.attributes, ...commonAttributes], path.name)
  if (attribute === null || (path.schema !== null && path.schema !== schema.id.toLowerCase())) {
    throw new Fault('scim.invalid_path', { detail: `There is no attribute ${path.name}.` })
  }
  const old = resource[attribute.name]
  // A value that the server sets itself and that stays is no change: Okta sends the id with each new name of a group.
  if (attribute.mutability === 'readOnly' && op !== 'remove' && isWithin(value, old)) return resource
  checkMutable(attribute, op)
  const sub = subAttributeOf(attribute, path.sub ?? target.sub)
  // As where it stands in an object (`objectOf`): Entra ID sends name.formatted with each change of a name.
  if (sub?.mutability === 'readOnly') return resource
  const next =
    attribute.multiValued && (filter !== null || sub !== null)
      ? changeElements(attribute, elementsOf(old), op, { filter, sub, value, isOneKept: schema.oneKept.has(path.name) })
      : changeAttribute(attribute, old, op, sub, value)
  return { ...resource, [attribute.name]: next ?? (attribute.multiValued ? [] : null) }
}

function isIgnored({ ignored, id }: Schema, { path, sub }: TargetPath): boolean {
  // A whole extension is named by its schema, whose last part reads as the name of an attribute.
  if (path.schema !== null && path.schema !== id.toLowerCase())
    return ignored.has(path.schema) || ignored.has(`${path.schema}:${path.name}`)
  return ignored.has(path.name) || ignored.has(`${path.name}.${path.sub ?? sub ?? ''}`)
}

function checkMutable({ name, mutability, required }: Attribute, op: PatchOperation['op']): void {
  if (mutability === 'readOnly') throw new Fault('scim.mutability', { detail: `${name} is set by the server.` })
  // RFC 7644 3.5.2.2
  if (op === 'remove' && required) {
    throw new Fault('scim.mutability', { detail: `${name} is needed; replace it instead.` })
  }
}

function subAttributeOf(attribute: Attribute, name: string | null): Attribute | null {
  if (name === null) return null
  const sub = findAttribute(attribute.subAttributes ?? [], name)
  if (sub === null) throw new Fault('scim.invalid_path', { detail: `${attribute.name} has no attribute ${name}.` })
  return sub
}

function changeAttribute(
  attribute: Attribute,
  old: Json | undefined,
  op: PatchOperation['op'],
  sub: Attribute | null,
  value: Json | undefined,
): Json {
  if (sub !== null) {
    const object = isJsonObject(old) ? old : {}
    return { ...object, [sub.name]: op === 'remove' ? null : formOf(sub, value) }
  }
  if (attribute.multiValued) {
    const elements = elementsOf(old)
    // Entra ID names what it removes in value instead of in the path.
    if (op === 'remove') return value === undefined ? [] : without(elements, elementsIn(attribute, value))
    const given = elementsIn(attribute, value)
    return op === 'replace' ? given : added(elements, given)
  }
  if (op === 'remove') return null
  const next = formOf(attribute, value)
  // RFC 7644 3.5.2.3: sub-attributes that the value does not name stay
  return isJsonObject(next) && isJsonObject(old) ? { ...old, ...next } : next
}

type ElementChange = {
  readonly filter: Filter | null
  readonly sub: Attribute | null
  readonly value: Json | undefined
  readonly isOneKept: boolean
}

function changeElements(
  attribute: Attribute,
  elements: readonly JsonObject[],
  op: PatchOperation['op'],
  { filter, sub, value, isOneKept }: ElementChange,
): readonly Json[] {
  const isTarget = (element: JsonObject) => filter === null || matches(attribute.subAttributes ?? [], element, filter)
  const found = elements.filter(isTarget)
  if (op === 'remove') {
    if (sub === null) return elements.filter((one) => !isTarget(one))
    return elements.map((one) => (isTarget(one) ? { ...one, [sub.name]: null } : one))
  }
  // A list of one element says which one is meant.
  const element = Array.isArray(value) && value.length === 1 ? value[0] : value
  const change = sub === null ? objectOf(attribute, element) : { [sub.name]: formOf(sub, value) }
  if (found.length === 0) {
    // RFC 7644 3.5.2.3: replace needs a match. Entra ID adds an element by the filter that describes it, and later
    // replaces it by the same filter, also where it can no longer be told which element was the primary one.
    const described = describedBy(attribute, filter)
    if (described === null) throw noTarget(attribute)
    const names = Object.keys(described)
    const isPrimary = names.join() === 'primary'
    // An element beside the one that is kept was accepted, and a change of it must not fail a whole request.
    const mayBeAnother = isOneKept && elements.length === 1 && !names.includes('value')
    if (op !== 'add' && !isPrimary && !mayBeAnother) throw noTarget(attribute)
    return added(elements, [{ ...described, ...change }])
  }
  return onePrimary(
    elements.map((one) => (isTarget(one) ? { ...one, ...change } : one)),
    found.map((one) => elements.indexOf(one)),
  )
}

/** The element that a filter of equalities describes; null for another filter. */
function describedBy(attribute: Attribute, filter: Filter | null): JsonObject | null {
  if (filter === null) return {}
  const parts = filter.kind === 'and' ? filter.parts : [filter]
  const members = parts.map((part) => {
    if (part.kind !== 'compare' || part.operator !== 'eq' || part.path.sub !== null) return null
    const sub = findAttribute(attribute.subAttributes ?? [], part.path.name)
    return sub === null ? null : ([sub.name, formOf(sub, part.value)] as const)
  })
  return members.every((one) => one !== null) ? Object.fromEntries(members) : null
}

function noTarget({ name }: Attribute): Fault {
  return new Fault('scim.no_target', { detail: `No element of ${name} matches. Add one with the op add.` })
}

/** Whether a value says nothing else than another one, which may say more. */
function isWithin(value: Json | undefined, whole: Json | undefined): boolean {
  if (Array.isArray(value)) {
    return Array.isArray(whole) && value.length === whole.length && value.every((one, at) => isWithin(one, whole[at]))
  }
  if (!isJsonObject(value)) return value === whole
  return isJsonObject(whole) && Object.entries(value).every(([name, one]) => isWithin(one, memberOf(whole, name)))
}

function invalid(detail: string): Fault {
  return new Fault('scim.invalid_value', { detail })
}
