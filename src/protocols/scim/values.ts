import { isJsonObject, type Json, type JsonObject } from '../../crypto/json.ts'
import { Fault } from '../../fault.ts'
import { type Attribute, findAttribute } from './schema.ts'

/** Returns a member of a message by its name in any case (RFC 7643 2.1), or undefined. */
export function memberNamed(message: Readonly<Record<string, Json | undefined>>, name: string): Json | undefined {
  const found = Object.keys(message).find((one) => one.toLowerCase() === name.toLowerCase())
  return found === undefined ? undefined : message[found]
}

/** Elements that a value gives: one, a list, or none for null. @throws Fault `scim.invalid_value` */
export function elementsIn(attribute: Attribute, value: Json | undefined): JsonObject[] {
  if (value === null) return []
  const list = Array.isArray(value) ? value : [value]
  return list.map((one) => objectOf(attribute, one))
}

/** Elements that a resource has. */
export function elementsOf(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : []
}

/**
 * An element or a complex value; a plain string stands for its `value`. Attributes that the schema does not have are
 * left out.
 */
export function objectOf({ name, subAttributes = [] }: Attribute, value: Json | undefined): JsonObject {
  if (typeof value === 'string' && findAttribute(subAttributes, 'value') !== null) return { value }
  if (!isJsonObject(value)) throw invalid(`${name} needs an object.`)
  const members = Object.entries(value).flatMap(([key, one]) => {
    const sub = findAttribute(subAttributes, key.toLowerCase())
    return sub === null || sub.mutability === 'readOnly' ? [] : [[sub.name, formOf(sub, one)] as const]
  })
  return Object.fromEntries(members)
}

/** Returns a value in the form of its attribute. Entra ID sends booleans as text. @throws Fault `scim.invalid_value` */
export function formOf(attribute: Attribute, value: Json | undefined): Json {
  if (value === null || value === undefined) return null
  if (attribute.type === 'complex') return objectOf(attribute, value)
  if (attribute.type !== 'boolean') {
    if (typeof value === 'string') return value
    throw invalid(`${attribute.name} is a string.`)
  }
  const text = typeof value === 'string' ? value.toLowerCase() : value
  if (text === true || text === 'true') return true
  if (text === false || text === 'false') return false
  throw invalid(`${attribute.name} is true or false.`)
}

function invalid(detail: string): Fault {
  return new Fault('scim.invalid_value', { detail })
}
