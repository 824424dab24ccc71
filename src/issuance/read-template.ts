import { Fault, type Violation } from '../fault.ts'
import { readAttributes } from './attributes.ts'
import { type TemplateDefinition, TX_CODE_LENGTH, vctOf } from './template.ts'
import type { TemplateBody, WrittenDefinition } from './template-schemas.ts'
import { type Moment, validityOf } from './validity.ts'

/** Limit of the contract for the type of a credential. */
const VCT_CHARS_MAX = 256

/** A body that was read: what is kept of it. */
export type ReadTemplate = { readonly name: string; readonly code: string; readonly definition: TemplateDefinition }

/**
 * Reads what the schema of the body cannot say: the attributes, and what goes together.
 *
 * @param issuer Credential Issuer Identifier of the tenant.
 * @param now What spans are counted from, to see that they fit together.
 * @throws Fault `template.format` for a format that is not issued here, `request.invalid` with every violation
 */
export function readTemplate(body: TemplateBody, issuer: string, now: Date): ReadTemplate {
  if (body.format === 'mdoc' || body.credentialFormat === 'mdoc') {
    throw new Fault('template.format', { detail: 'Credentials of the format mdoc are not issued yet; use sd-jwt-vc.' })
  }
  const { attributes, violations } = readAttributes(body.attributes, '/attributes')
  const all: Violation[] = [...violations, ...otherViolations(body, issuer), ...timeViolations(body, now)]
  if (attributes === null || all.length > 0) throw new Fault('request.invalid', { violations: all })
  const { name, code, format: _, credentialFormat: __, docType: ___, revocable = true, ...rest } = body
  const definition: TemplateDefinition = { ...(rest as WrittenDefinition), attributes, format: 'sd-jwt-vc', revocable }
  return { name, code, definition }
}

function otherViolations({ code, docType, signer, txCode }: TemplateBody, issuer: string): Violation[] {
  const violations: Violation[] = []
  // [SEC-23] parsers refuse a member of that name, and the code is one in the metadata of the issuer
  if (code === '__proto__')
    violations.push({ detail: 'This code is not usable as the name of a member.', pointer: '/code' })
  // [SEC-4]
  if ((txCode?.inputMode ?? 'numeric') === 'numeric' && (txCode?.length ?? TX_CODE_LENGTH) < TX_CODE_LENGTH) {
    violations.push({ detail: `A numeric code has at least ${TX_CODE_LENGTH} digits.`, pointer: '/txCode/length' })
  }
  // [VC-3]
  if (vctOf(issuer, code).length > VCT_CHARS_MAX) {
    violations.push({ detail: `The type would be longer than ${VCT_CHARS_MAX} characters.`, pointer: '/code' })
  }
  if (docType !== undefined) violations.push({ detail: 'Only an mdoc has a docType.', pointer: '/docType' })
  if (signer?.kind === 'did:web' && signer.keyType === 'Ed25519') {
    violations.push({ detail: 'A did:web key is of type P-256.', pointer: '/signer/keyType' })
  }
  return violations
}

function timeViolations({ validFrom, validUntil }: TemplateBody, now: Date): Violation[] {
  if (validUntil === undefined) return []
  const times = { validUntil, ...(validFrom !== undefined && { validFrom }) } as {
    validUntil: Moment
    validFrom?: Moment
  }
  const { iat, nbf, exp } = validityOf(times, now)
  if (exp === undefined) return []
  if (typeof validUntil === 'object' && exp <= iat) return [{ detail: 'The span is empty.', pointer: '/validUntil' }]
  // a date and a span may come to fit later, or no longer
  const comparable = typeof validFrom === typeof validUntil
  if (nbf === undefined || !comparable || nbf < exp) return []
  return [{ detail: 'validUntil does not come after validFrom.', pointer: '/validUntil' }]
}
