import { isJsonObject, type JsonObject } from '../../../crypto/json.ts'
import type { Violation } from '../../../fault.ts'
import { pointerTo } from '../../../json-pointer.ts'
import { checkMdlRules } from '../../../protocols/mdoc/check-mdl.ts'
import type { ElementRule, ElementType, NameSpaceRules } from '../../../protocols/mdoc/element-type.ts'
import { drivingPrivileges, mdl, mdlMandatory } from '../../../protocols/mdoc/mdl.ts'
import {
  type AttributeReader,
  addViolation,
  checkName,
  checkNamed,
  newAttributeReader,
  violationsOfAttributes,
} from './attribute-reading.ts'
import type { CredentialAttributes } from './attributes.ts'

/** The attribute types of an mdoc template and their CBOR types [MD-8]. */
const cborTypes = {
  string: 'string',
  number: 'number',
  boolean: 'boolean',
  date: 'full-date',
  tdate: 'tdate',
  bytes: 'bytes',
  object: 'map',
  array: 'array',
} as const satisfies Record<string, ElementType>

/**
 * The type of an element's value. `date`: 2026-01-31; `tdate`: 2026-01-31T12:00:00Z; `bytes`: base64url without
 * padding.
 */
type MdocAttributeType = keyof typeof cborTypes

/**
 * One element of an mdoc, or a value inside one. Without `properties` or `items` the inner values keep their JSON
 * types.
 */
export type MdocAttribute = {
  readonly type: MdocAttributeType
  readonly name?: string
  /** The name in other languages. */
  readonly names?: Readonly<Record<string, string>>
  readonly description?: string
  readonly required?: boolean
  readonly properties?: MdocAttributes
  readonly items?: MdocAttribute
}
/** Elements by identifier, or members of an object by name. */
type MdocAttributes = { readonly [name: string]: MdocAttribute }
/** Elements by namespace. */
export type NameSpaces = { readonly [nameSpace: string]: MdocAttributes }

const rules = {
  types: Object.keys(cborTypes),
  disclosure: false,
  // [SEC-23] Parsers refuse a member of that name.
  isReserved: (name: string) => name === '__proto__',
}

/**
 * Validates the attributes of an mdoc template in a request body, those of a driving licence by its rules too [MD-8].
 *
 * @param pointer Of the attributes in the body.
 */
export function readNameSpaces(value: JsonObject, docType: string, pointer: string): CredentialAttributes<NameSpaces> {
  const reading = newAttributeReader(rules)
  if (Object.keys(value).length === 0)
    addViolation(reading, pointer, 'attributes must have at least one namespace.', { rule: 'attribute.none' })
  for (const [nameSpace, elements] of Object.entries(value)) readNameSpace(reading, nameSpace, elements, pointer)
  const malformed = violationsOfAttributes(reading, pointer)
  if (malformed.length > 0) return { attributes: null, violations: malformed }
  // Every member was validated above.
  const attributes = value as unknown as NameSpaces
  const violations = checkMdlRules(docType, rulesOf(attributes)).map((one): Violation => {
    const member = one.rule === 'licence.type' ? '/type' : ''
    return { ...one, pointer: `${pointer}${one.pointer}${member}` }
  })
  return violations.length > 0 ? { attributes: null, violations } : { attributes, violations: [] }
}

function readNameSpace(reading: AttributeReader, nameSpace: string, elements: unknown, pointer: string): void {
  const at = pointerTo(pointer, nameSpace)
  checkName(reading, nameSpace, at, 0)
  if (!isJsonObject(elements)) addViolation(reading, at, 'A namespace must be an object of elements, each with a type.')
  else if (Object.keys(elements).length === 0)
    addViolation(reading, at, 'A namespace must have at least one element.', { rule: 'attribute.none' })
  else checkNamed(reading, elements, at)
}

/** Returns the rules by which values become CBOR. */
export function rulesOf(nameSpaces: NameSpaces): NameSpaceRules {
  const all = Object.entries(nameSpaces).map(([nameSpace, elements]) => {
    const own = Object.entries(elements).map(([name, one]) => [name, elementRule(nameSpace, name, one)])
    return [nameSpace, Object.fromEntries(own)]
  })
  return Object.fromEntries(all)
}

/** Returns whether every mdoc of the template has the element: the template or ISO/IEC 18013-5 requires it. */
export function isMandatory(docType: string, nameSpace: string, name: string, { required }: MdocAttribute): boolean {
  return required === true || isMandatoryInMdl(docType, nameSpace, name)
}

/** Returns whether ISO/IEC 18013-5 requires the element in that document type [MD-8]. */
export function isMandatoryInMdl(docType: string, nameSpace: string, name: string): boolean {
  return docType === mdl.docType && nameSpace === mdl.nameSpace && mdlMandatory.some((one) => one === name)
}

function elementRule(nameSpace: string, name: string, attribute: MdocAttribute): ElementRule {
  const isPrivileges = nameSpace === mdl.nameSpace && name === 'driving_privileges'
  if (isPrivileges && attribute.type === 'array' && attribute.items === undefined) return drivingPrivileges
  return ruleOf(attribute)
}

function ruleOf({ type, properties, items }: MdocAttribute): ElementRule {
  const members = properties && Object.entries(properties).map(([name, one]) => [name, ruleOf(one)] as const)
  return {
    type: cborTypes[type],
    ...(members && { properties: Object.fromEntries(members) }),
    ...(items && { items: ruleOf(items) }),
  }
}
