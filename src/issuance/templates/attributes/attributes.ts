import type { JsonObject } from '../../../crypto/json.ts'
import type { Violation } from '../../../fault.ts'
import type { ValueType } from '../../../protocols/claim-tree.ts'
import { isReservedName } from '../../../protocols/sd-jwt-vc/reserved-names.ts'
import { addViolation, checkNamed, newAttributeReader, violationsOfAttributes } from './attribute-reading.ts'

const types: readonly ValueType[] = ['string', 'number', 'boolean', 'date', 'object', 'array']

/** One attribute of a credential template. */
export type TemplateAttribute = {
  readonly type: ValueType
  readonly name?: string
  /** The name in other languages. */
  readonly names?: Readonly<Record<string, string>>
  readonly description?: string
  readonly required?: boolean
  readonly alwaysDisclosed?: boolean
  /** Members of an object; without them any object is valid, and it is disclosed as a whole. */
  readonly properties?: Attributes
  /** Elements of an array; without it any array is valid. */
  readonly items?: TemplateAttribute
}

/** Attributes by claim name. */
export type Attributes = { readonly [name: string]: TemplateAttribute }

/** The validated attributes, or their violations. */
export type CredentialAttributes<T = Attributes> =
  | { readonly attributes: T; readonly violations: readonly [] }
  | { readonly attributes: null; readonly violations: readonly Violation[] }

// [SD-13]
const rules = { types, disclosure: true, isReserved: (name: string, depth: number) => isReservedName(name, depth > 1) }

/**
 * Validates the attributes of an SD-JWT VC template in a request body.
 *
 * @param pointer Of the attributes in the body.
 */
export function readCredentialAttributes(value: JsonObject, pointer: string): CredentialAttributes {
  const reading = newAttributeReader(rules)
  if (Object.keys(value).length === 0)
    addViolation(reading, pointer, 'attributes must not be empty.', { rule: 'attribute.none' })
  checkNamed(reading, value, pointer)
  const violations = violationsOfAttributes(reading, pointer)
  if (violations.length > 0) return { attributes: null, violations }
  // Every member was validated above.
  return { attributes: value as unknown as Attributes, violations: [] }
}
