import { isJsonObject, type Json, type JsonObject } from '../../crypto/json.ts'
import type { Violation } from '../../fault.ts'
import { pointerTo, stepsOf } from '../../json-pointer.ts'
import { checkMdlElements } from '../../protocols/mdoc/check-mdl.ts'
import { toElements } from '../../protocols/mdoc/element-type.ts'
import type { SignerCertificate } from '../../protocols/mdoc/signer-certificate.ts'
import { BYTES_MAX, isExact } from './check-claims.ts'
import { isMandatoryInMdl, type MdocAttribute, type MdocAttributes, rulesOf } from './mdoc-attributes.ts'
import type { MdocDefinition } from './template.ts'

const VIOLATIONS_MAX = 100
/** With all that an mdoc adds it stays below the 50,000 items that a recipient reads. [SEC-41] */
const VALUES_MAX = 10_000
const POINTER = '/attributes'

/**
 * Checks what an mdoc is to say against its template, the rules of a driving licence and the certificate that will sign it, so that a bad
 * value never reaches a wallet. [MD-8] [MD-9]
 *
 * @param values `{namespace: {element: value}}`
 * @returns One violation for each place that is wrong, none if all fits; `pointer` starts with `/attributes`.
 */
export function checkElements(
  { docType, attributes }: MdocDefinition,
  values: JsonObject,
  certificate: SignerCertificate,
): readonly Violation[] {
  const { elements, violations } = toElements(rulesOf(attributes), values)
  const found = [
    ...sizeViolations(values),
    ...numberViolations(values, POINTER),
    ...missing(docType, attributes, values),
    ...violations.map((one) => placed(one)),
    ...checkMdlElements(docType, elements, certificate).map((one) => placed(one)),
  ]
  return onePerPlace(found)
}

/** Whether an mdoc that was offered fits a certificate: since then one of another country may have become the active one. [MD-9] */
export function fitsCertificate(
  { docType, attributes }: MdocDefinition,
  values: JsonObject,
  certificate: SignerCertificate,
): boolean {
  const { elements } = toElements(rulesOf(attributes), values)
  return checkMdlElements(docType, elements, certificate).length === 0
}

function placed({ detail, pointer = '' }: Violation): Violation {
  const name = stepsOf(pointer).at(-1)
  const text = detail.startsWith('must') ? `${name} ${detail}.` : detail
  return { detail: text, pointer: `${POINTER}${pointer}` }
}

/** A value that is wrong in itself or in its inside is told of once. */
function onePerPlace(found: readonly Violation[]): Violation[] {
  const kept: Violation[] = []
  for (const one of found) {
    const at = one.pointer ?? ''
    const isKnown = kept.some(({ pointer = '' }) => pointer === at || (pointer.startsWith(`${at}/`) && at !== POINTER))
    if (!isKnown) kept.push(one)
    if (kept.length === VIOLATIONS_MAX) break
  }
  return kept
}

function sizeViolations(values: JsonObject): Violation[] {
  const details: string[] = []
  if (countOf(values) > VALUES_MAX) details.push(`There are more than ${VALUES_MAX} values.`)
  if (Buffer.byteLength(JSON.stringify(values)) > BYTES_MAX) details.push('The attributes exceed 256 KiB.')
  return details.map((detail) => ({ detail, pointer: POINTER }))
}

function countOf(value: Json): number {
  if (typeof value !== 'object' || value === null) return 1
  let count = 1
  for (const one of Object.values(value)) count += countOf(one)
  return count
}

function numberViolations(value: Json, pointer: string): Violation[] {
  if (typeof value === 'number' && !isExact(value)) {
    return [{ detail: 'A number must be one that is kept as it is written (an integer up to 2^53).', pointer }]
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, one]) => numberViolations(one, pointerTo(pointer, name)))
}

/** What is required and not there, however deep. What the standard demands is told of by the standard's own check. */
function missing(docType: string, nameSpaces: MdocDefinition['attributes'], values: JsonObject): Violation[] {
  return Object.entries(nameSpaces).flatMap(([nameSpace, elements]) => {
    const members = Object.hasOwn(values, nameSpace) ? values[nameSpace] : {}
    if (!isJsonObject(members)) return []
    const own = Object.entries(elements).filter(([name]) => !isMandatoryInMdl(docType, nameSpace, name))
    const at = pointerTo(POINTER, nameSpace)
    return [...missingMembers(Object.fromEntries(own), members, at), ...missingInside(elements, members, at)]
  })
}

function missingMembers(attributes: MdocAttributes, members: JsonObject, pointer: string): Violation[] {
  return Object.entries(attributes)
    .filter(([name, { required }]) => required === true && !Object.hasOwn(members, name))
    .map(([name]) => ({ detail: `${name} is missing.`, pointer: pointerTo(pointer, name) }))
}

function missingInside(attributes: MdocAttributes, members: JsonObject, pointer: string): Violation[] {
  return Object.entries(members).flatMap(([name, value]) => {
    const attribute = Object.hasOwn(attributes, name) ? attributes[name] : undefined
    return attribute === undefined ? [] : missingIn(attribute, value, pointerTo(pointer, name))
  })
}

function missingIn({ properties, items }: MdocAttribute, value: Json, pointer: string): Violation[] {
  if (Array.isArray(value)) {
    return items === undefined ? [] : value.flatMap((one, at) => missingIn(items, one, pointerTo(pointer, at)))
  }
  if (!isJsonObject(value) || properties === undefined) return []
  return [...missingMembers(properties, value, pointer), ...missingInside(properties, value, pointer)]
}
