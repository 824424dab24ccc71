import type { Json, JsonObject } from '../../crypto/json.ts'
import { Fault } from '../../fault.ts'
import type { ComparedValue, Filter, Operator } from './filter.ts'
import { type Attribute, findAttribute } from './schema.ts'
import { formOf } from './values.ts'

/**
 * Whether an element of a multi-valued attribute matches the filter in brackets.
 *
 * @param attributes The sub-attributes that the filter may name.
 * @throws Fault `scim.invalid_path` for another one
 */
export function matches(attributes: readonly Attribute[], element: JsonObject, filter: Filter): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.parts.every((part) => matches(attributes, element, part))
    case 'or':
      return filter.parts.some((part) => matches(attributes, element, part))
    case 'not':
      return !matches(attributes, element, filter.part)
    case 'element':
      throw unknown(filter.path.name)
    case 'present':
      return isPresent(memberAt(attributes, element, filter.path.name).value)
    case 'compare': {
      const { value, attribute } = memberAt(attributes, element, filter.path.name)
      const given = Number.isSafeInteger(filter.value) ? String(filter.value) : filter.value
      const wanted = attribute.type === 'boolean' ? formOf(attribute, filter.value) : given
      // A boolean stays one.
      return compare(value ?? null, filter.operator, wanted as ComparedValue, attribute.caseExact)
    }
  }
}

function memberAt(attributes: readonly Attribute[], element: JsonObject, name: string) {
  const attribute = findAttribute(attributes, name)
  if (attribute === null) throw unknown(name)
  return { attribute, value: element[attribute.name] }
}

function unknown(name: string): Fault {
  return new Fault('scim.invalid_path', { detail: `There is no attribute ${name}.` })
}

function isPresent(value: Json | undefined): boolean {
  return value !== undefined && value !== null && value !== ''
}

function compare(value: Json, operator: Operator, wanted: ComparedValue, caseExact: boolean): boolean {
  const fold = (one: Json | ComparedValue) =>
    typeof one === 'string' && !caseExact ? one.normalize('NFC').toLowerCase() : one
  const [left, right] = [fold(value), fold(wanted)]
  if (operator === 'eq') return left === right
  if (operator === 'ne') return left !== right
  if (typeof left !== 'string' || typeof right !== 'string') return false
  switch (operator) {
    case 'co':
      return left.includes(right)
    case 'sw':
      return left.startsWith(right)
    case 'ew':
      return left.endsWith(right)
    case 'gt':
      return left > right
    case 'ge':
      return left >= right
    case 'lt':
      return left < right
    case 'le':
      return left <= right
  }
}
