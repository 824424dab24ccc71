import { isJsonObject, type JsonObject } from '../../crypto/json.ts'
import type { Violation } from '../../fault.ts'
import { pointerTo, stepsOf } from '../../json-pointer.ts'
import { missingIn, pointerAlong, walkDescribed, walkValues } from '../../protocols/claim-tree.ts'
import { checkMdlElements } from '../../protocols/mdoc/check-mdl.ts'
import { toElements } from '../../protocols/mdoc/element-type.ts'
import type { SignerCertificate } from '../../protocols/mdoc/signer-certificate.ts'
import { BYTES_MAX, isExact } from './attributes/check-claims.ts'
import { isMandatoryInMdl, rulesOf } from './attributes/mdoc-attributes.ts'
import type { MdocDefinition } from './template.ts'

const VIOLATIONS_MAX = 100
/** Keeps the mdoc below the 50,000 items that a recipient accepts. [SEC-41] */
const VALUES_MAX = 10_000
const POINTER = '/attributes'

/**
 * Validates the elements of an mdoc against its template, the rules of a driving licence and the certificate of its
 * signer. [MD-8] [MD-9]
 *
 * @param values `{namespace: {element: value}}`
 * @returns one violation for each invalid value; `pointer` starts with `/attributes`.
 */
export function checkElements(
  { docType, attributes }: MdocDefinition,
  values: JsonObject,
  certificate: SignerCertificate,
): readonly Violation[] {
  const { elements, violations } = toElements(rulesOf(attributes), values)
  const found = [
    ...valueViolations(values),
    ...missing(docType, attributes, values),
    ...violations.map((one) => placed(one)),
    ...checkMdlElements(docType, elements, certificate).map((one) => placed(one)),
  ]
  return onePerPlace(found)
}

/** Returns whether an offered mdoc fits a certificate: one of another country may have become active since. [MD-9] */
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

/** Keeps one violation for a value and everything inside it. */
function onePerPlace(found: readonly Violation[]): Violation[] {
  const kept: Violation[] = []
  for (const one of found) {
    const at = one.pointer ?? ''
    const isCovered = kept.some(
      ({ pointer = '' }) => pointer === at || (pointer.startsWith(`${at}/`) && at !== POINTER),
    )
    if (!isCovered) kept.push(one)
    if (kept.length === VIOLATIONS_MAX) break
  }
  return kept
}

/** Finds values that are too many, too large, or numbers that lost precision. */
function valueViolations(values: JsonObject): Violation[] {
  const found: Violation[] = []
  let count = 1
  walkValues(values, true, (value, path) => {
    count += 1
    if (typeof value === 'number' && !isExact(value)) {
      const detail = 'A number must not lose precision (an integer up to 2^53).'
      found.push({ detail, pointer: pointerAlong(POINTER, path) })
    }
    return true
  })
  const details: string[] = []
  if (count > VALUES_MAX) details.push(`The attributes have more than ${VALUES_MAX} values.`)
  if (Buffer.byteLength(JSON.stringify(values)) > BYTES_MAX) details.push('The attributes exceed 256 KiB.')
  return [...details.map((detail) => ({ detail, pointer: POINTER })), ...found]
}

/**
 * Finds missing required members at any depth, except those that ISO/IEC 18013-5 requires: `checkMdlElements` finds
 * them.
 */
function missing(docType: string, nameSpaces: MdocDefinition['attributes'], values: JsonObject): Violation[] {
  return Object.entries(nameSpaces).flatMap(([nameSpace, elements]) => {
    const members = Object.hasOwn(values, nameSpace) ? values[nameSpace] : {}
    if (!isJsonObject(members)) return []
    const top = pointerTo(POINTER, nameSpace)
    const found = missingIn(elements, members)
      .filter((name) => !isMandatoryInMdl(docType, nameSpace, name))
      .map((name) => absent(top, name))
    walkDescribed(elements, members, true, ({ value, attribute }, path) => {
      if (isJsonObject(value) && typeof attribute === 'object')
        found.push(...missingIn(attribute.properties, value).map((name) => absent(pointerAlong(top, path), name)))
      return true
    })
    return found
  })
}

function absent(pointer: string, name: string): Violation {
  return { detail: `${name} is missing.`, pointer: pointerTo(pointer, name), rule: 'required' }
}
