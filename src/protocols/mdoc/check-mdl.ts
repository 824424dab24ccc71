import type { Violation } from '../../fault.ts'
import { type Cbor, cborTags, isBytes, isCborArray, isCborMap, isTagged } from '../cbor/value.ts'
import { isFullDate } from '../shape.ts'
import type { Elements, NameSpaceRules } from './element-type.ts'
import { mdl, mdlMandatory, mdlTypesOf } from './mdl.ts'
import { findMismatches, type SignerCertificate } from './signer-certificate.ts'

/** ISO/IEC 18013-5, 7.2.1: texts of the namespace are Latin-1 with this maximum length. */
const TEXT_LENGTH_MAX = 150
const at = (element: string) => `/${mdl.nameSpace}/${element}`

/**
 * Checks the template of an mDL: elements that are missing, not in the standard, or of another type. [MD-8]
 *
 * @returns No violations for other document types. `pointer` refers to the rules.
 */
export function checkMdlRules(docType: string, rules: NameSpaceRules): readonly Violation[] {
  if (docType !== mdl.docType) return []
  const elements = Object.hasOwn(rules, mdl.nameSpace) ? (rules[mdl.nameSpace] ?? {}) : {}
  const violations: Violation[] = missing((name) => Object.hasOwn(elements, name))
  for (const [name, { type }] of Object.entries(elements)) {
    const types = mdlTypesOf(name)
    if (types === null) violations.push({ detail: foreign(name), pointer: at(name), rule: 'licence.foreign' })
    else if (!types.includes(type))
      violations.push({
        detail: `${name} has the type ${types.join(' or ')} in an mDL.`,
        pointer: at(name),
        rule: 'licence.type',
        limit: types.join(', '),
      })
  }
  return violations
}

/**
 * Checks the elements of an mDL before it is issued, including the country of its signer. [MD-8] [MD-9]
 *
 * @returns No violations for other document types.
 */
export function checkMdlElements(
  docType: string,
  nameSpaces: Elements,
  certificate: SignerCertificate,
): readonly Violation[] {
  if (docType !== mdl.docType) return []
  const elements = nameSpaces.get(mdl.nameSpace) ?? new Map<string, Cbor>()
  const violations: Violation[] = missing((name) => elements.has(name))
  for (const [name, value] of elements) {
    const detail = checkElement(name, value)
    if (detail !== null) violations.push({ detail, pointer: at(name) })
  }
  const { country, jurisdiction } = findMismatches(elements, certificate)
  if (country)
    violations.push({
      detail: `issuing_country must be the country of the signing certificate, ${certificate.countryName ?? 'which has none'}.`,
      pointer: at('issuing_country'),
    })
  if (jurisdiction)
    violations.push({
      detail: 'issuing_jurisdiction must be the state or province of the signing certificate.',
      pointer: at('issuing_jurisdiction'),
    })
  return violations
}

function missing(isThere: (name: string) => boolean): Violation[] {
  return mdlMandatory
    .filter((name) => !isThere(name))
    .map((name) => ({
      detail: `An mDL needs ${name} in ${mdl.nameSpace}.`,
      pointer: at(name),
      rule: 'licence.missing',
      limit: name,
    }))
}

function foreign(name: string): string {
  return `The namespace ${mdl.nameSpace} has no element ${name}; use a namespace of your own for further elements.`
}

function checkElement(name: string, value: Cbor): string | null {
  const types = mdlTypesOf(name)
  if (types === null) return foreign(name)
  if (!types.some((type) => fits[type](value))) return `${name} must be of the type ${types.join(' or ')}.`
  if (typeof value === 'string') return checkText(name, value)
  if (name === 'sex') return [0, 1, 2, 9].includes(Number(value)) ? null : 'sex must be 0, 1, 2 or 9 (ISO/IEC 5218).'
  if (typeof value === 'number' && value < 0) return `${name} must not be negative.`
  if (name === 'portrait') return isImage(value) ? null : 'portrait must be a JPEG or JPEG 2000 image.'
  if (name === 'driving_privileges') return checkPrivileges(value)
  return null
}

const fits: { readonly [type in NonNullable<ReturnType<typeof mdlTypesOf>>[number]]: (value: Cbor) => boolean } = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  'full-date': (value) => isTagged(value, cborTags.fullDate) && isFullDate(value.value),
  tdate: (value) => isTagged(value, cborTags.dateTime) && typeof value.value === 'string',
  bytes: isBytes,
  array: isCborArray,
  map: isCborMap,
}

function checkText(name: string, text: string): string | null {
  if (text.length === 0 || text.length > TEXT_LENGTH_MAX) return `${name} must have 1 to ${TEXT_LENGTH_MAX} characters.`
  const isNational = name.endsWith('_national_character')
  return isNational || /^[\x20-\x7e\xa0-\xff]*$/.test(text)
    ? null
    : `${name} may have characters of Latin-1 only; there is a field for national characters.`
}

/** By the first bytes of JPEG, of a JPEG 2000 file, or of its code stream. */
function isImage(value: Cbor): boolean {
  if (!isBytes(value)) return false
  const start = Buffer.from(value.subarray(0, 12)).toString('hex')
  return start.startsWith('ffd8ff') || start === '0000000c6a5020200d0a870a' || start.startsWith('ff4fff51')
}

function checkPrivileges(value: Cbor): string | null {
  const isRight = isCborArray(value) && value.every(isPrivilege)
  return isRight
    ? null
    : 'driving_privileges must be a list of {vehicle_category_code, issue_date?, expiry_date?, codes?}.'
}

function isPrivilege(value: Cbor): boolean {
  if (!isCborMap(value) || typeof value.get('vehicle_category_code') !== 'string') return false
  const dates = [value.get('issue_date'), value.get('expiry_date')]
  if (!dates.every((date) => date === undefined || fits['full-date'](date))) return false
  const codes = value.get('codes')
  return (
    codes === undefined ||
    (isCborArray(codes) && codes.every((one) => isCborMap(one) && typeof one.get('code') === 'string'))
  )
}
