import type { TemplateBody, WrittenDefinition } from '../../contract/issuance/credential-templates.ts'
import { isJsonObject, type Json, type JsonObject, memberOf } from '../../crypto/json.ts'
import { Fault, type Violation } from '../../fault.ts'
import { stepsOf } from '../../json-pointer.ts'
import { sourceViolations } from './attribute-source.ts'
import { type Attributes, type CredentialAttributes, readCredentialAttributes } from './attributes/attributes.ts'
import { type NameSpaces, readNameSpaces } from './attributes/mdoc-attributes.ts'
import { type CredentialTemplateFormat, type TemplateDefinition, vctOf } from './template.ts'
import { validityOf } from './validity.ts'

/** Limit of our API for the type of a credential. */
const VCT_CHARS_MAX = 256

/** A parsed body. */
export type ReadTemplate = { readonly name: string; readonly code: string; readonly definition: TemplateDefinition }

/**
 * Validates what the schema of the body cannot express: the attributes, and members that depend on each other.
 *
 * @param issuer Credential Issuer Identifier of the tenant.
 * @param now The start of spans, for comparing them.
 * @throws Fault `request.invalid` with every violation
 */
export function readCredentialTemplate(body: TemplateBody, issuer: string, now: Date): ReadTemplate {
  const format = formatOf(body)
  const common = [
    ...otherViolations(body),
    ...signerViolations(body, format),
    ...timeViolations(body, now),
    ...displayViolations(body),
    ...labelViolations(body, format),
  ]
  const { name, code } = body
  const definition = format === 'mdoc' ? mdocOf(body, common) : sdJwtOf(body, issuer, common)
  const violations = sourceViolations(definition)
  if (violations.length > 0) throw new Fault('request.invalid', { violations })
  return { name, code, definition }
}

/** Returns the violations of the attributes in a body that its schema refuses. */
export function attributeViolations(body: unknown): readonly Violation[] {
  if (!isJsonObject(body) || !isJsonObject(body.attributes)) return []
  const { credentialFormat = 'sd-jwt', format = credentialFormat, docType, attributes } = body
  if (format === 'mdoc')
    return readNameSpaces(attributes, typeof docType === 'string' ? docType : '', '/attributes').violations
  const isSdJwt = format === 'sd-jwt-vc' || format === 'sd-jwt'
  return isSdJwt ? readCredentialAttributes(attributes, '/attributes').violations : []
}

function formatOf({ format, credentialFormat }: TemplateBody): CredentialTemplateFormat {
  return format ?? (credentialFormat === 'mdoc' ? 'mdoc' : 'sd-jwt-vc')
}

function sdJwtOf(body: TemplateBody, issuer: string, common: readonly Violation[]): TemplateDefinition {
  const violations = [...common]
  // [VC-3]
  if (vctOf(issuer, body.code).length > VCT_CHARS_MAX) {
    const detail = `The type derived from code exceeds ${VCT_CHARS_MAX} characters.`
    violations.push({ detail, pointer: '/code', rule: 'maxLength', limit: VCT_CHARS_MAX - vctOf(issuer, '').length })
  }
  if (body.docType !== undefined) violations.push({ detail: 'docType is only for an mdoc.', pointer: '/docType' })
  const attributes = attributesIn<Attributes>(readCredentialAttributes(body.attributes, '/attributes'), violations)
  return { ...writtenIn(body), format: 'sd-jwt-vc', attributes }
}

function mdocOf(body: TemplateBody, common: readonly Violation[]): TemplateDefinition {
  const { docType = '' } = body
  const missing: Violation = { detail: 'docType is missing; an mdoc needs one.', pointer: '/docType', rule: 'required' }
  const violations = docType === '' ? [...common, missing] : common
  const attributes = attributesIn<NameSpaces>(readNameSpaces(body.attributes, docType, '/attributes'), violations)
  return { ...writtenIn(body), format: 'mdoc', docType, attributes }
}

/** Returns the attributes. @throws Fault `request.invalid` with their violations and all others */
function attributesIn<T>({ attributes, violations }: CredentialAttributes<T>, others: readonly Violation[]): T {
  const all = [...violations, ...others]
  if (attributes === null || all.length > 0) throw new Fault('request.invalid', { violations: all })
  return attributes
}

function writtenIn(body: TemplateBody): WrittenDefinition {
  const { name: _, code: __, format: ___, credentialFormat: ____, docType: _____, attributes: ______, ...rest } = body
  return { revocable: true, ...rest }
}

function otherViolations({ code, format, credentialFormat, refill, approvalRequired }: TemplateBody): Violation[] {
  const violations: Violation[] = []
  if (refill !== undefined && approvalRequired === true)
    violations.push({
      detail: 'A credential that needs approval cannot be refilled.',
      pointer: '/refill',
      rule: 'template.refill_approved',
    })
  // [SEC-23] Parsers refuse a member of that name, and the code is a member name in the issuer metadata.
  if (code === '__proto__')
    violations.push({ detail: 'code must not be __proto__.', pointer: '/code', rule: 'pattern' })
  if (format !== undefined && credentialFormat !== undefined && (format === 'mdoc') !== (credentialFormat === 'mdoc')) {
    violations.push({ detail: 'credentialFormat and format name different formats.', pointer: '/credentialFormat' })
  }
  return violations
}

function signerViolations({ signer }: TemplateBody, format: CredentialTemplateFormat): Violation[] {
  const violations: Violation[] = []
  if (signer?.kind === 'did:web' && signer.keyType === 'Ed25519') {
    violations.push({
      detail: 'keyType of a did:web key must be P-256.',
      pointer: '/signer/keyType',
      rule: 'signer.did_key',
    })
  }
  if (format !== 'mdoc' || signer === undefined) return violations
  if (signer.kind === 'did:web')
    return [
      { detail: 'The signer of an mdoc must be a certificate.', pointer: '/signer/kind', rule: 'template.mdoc_signer' },
    ]
  // ISO/IEC 18013-5 B.1.2 has no Ed25519 issuing authority.
  if (signer.keyType === 'Ed25519') {
    const detail = 'The signer of an mdoc must have a P-256 key.'
    return [{ detail, pointer: '/signer/keyType', rule: 'template.mdoc_signer' }]
  }
  return violations
}

function timeViolations({ validFrom, validUntil }: TemplateBody, now: Date): Violation[] {
  if (validUntil === undefined) return []
  const { iat, nbf, exp } = validityOf({ validUntil, ...(validFrom !== undefined && { validFrom }) }, now)
  if (exp === undefined) return []
  const neverValid = (detail: string): Violation[] => [{ detail, pointer: '/validUntil', rule: 'template.never_valid' }]
  if (typeof validUntil === 'object' && exp <= iat) return neverValid('validUntil must be a span of at least one day.')
  // The order of a date and a span depends on the time of issuance.
  const comparable = typeof validFrom === typeof validUntil
  if (nbf === undefined || !comparable || nbf < exp) return []
  return neverValid('validUntil must be after validFrom.')
}

/** The languages of the display, and the attributes on the card. */
function displayViolations({ display = {}, attributes }: TemplateBody): Violation[] {
  const { locale, translations = [], cardLine = [] } = display
  const locales = [locale, ...translations.map((one) => one.locale)].map((one) => one?.toLowerCase())
  const twice = translations.flatMap((one, at): Violation[] => {
    if (locales.indexOf(one.locale.toLowerCase()) === at + 1) return []
    const pointer = `/display/translations/${at}/locale`
    return [{ detail: `${one.locale} is there twice.`, pointer, rule: 'uniqueItems' }]
  })
  const first: Violation[] =
    translations.length > 0 && locale === undefined
      ? [{ detail: 'locale is required beside translations.', pointer: '/display/locale', rule: 'required' }]
      : []
  const unknown = cardLine.flatMap((pointer, at) =>
    isAttribute(attributes, pointer)
      ? []
      : [{ detail: `${pointer} is no attribute of the template.`, pointer: `/display/cardLine/${at}` }],
  )
  return [...first, ...twice, ...unknown]
}

function isAttribute(attributes: JsonObject, pointer: string): boolean {
  return attributeAt(attributes, pointer, 2) !== null
}

function attributeAt(attributes: JsonObject, pointer: string, stepsMax: number): JsonObject | null {
  const steps = pointer.startsWith('/') ? stepsOf(pointer) : []
  const found = steps.reduce<Json | undefined>(
    (one, step) => (isJsonObject(one) ? memberOf(one, step) : undefined),
    attributes,
  )
  return steps.length > 0 && steps.length <= stepsMax && isJsonObject(found) ? found : null
}

const labelTypes: readonly (Json | undefined)[] = ['string', 'number', 'boolean', 'date', 'tdate']

/** The attributes that name an issuance. */
function labelViolations({ label = [], attributes }: TemplateBody, format: CredentialTemplateFormat): Violation[] {
  return label.flatMap((pointer, at) => {
    const found = attributeAt(attributes, pointer, format === 'mdoc' ? 2 : 1)
    if (found !== null && labelTypes.includes(found.type)) return []
    const detail = `${pointer} is no attribute of the template with a text, number, boolean or date.`
    return [{ detail, pointer: `/label/${at}`, rule: 'attribute.unnamed_kind' }]
  })
}
