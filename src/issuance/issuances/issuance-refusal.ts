import type { JsonObject } from '../../crypto/json.ts'
import type { Tenant } from '../../directory/tenants/tenant.ts'
import { findPolicyOf } from '../../directory/tenants/tenant-policy.ts'
import type { OwnRule } from '../../fault/rules.ts'
import { Fault, type Violation } from '../../fault.ts'
import type { SignerCertificate } from '../../protocols/mdoc/signer-certificate.ts'
import { checkClaims } from '../templates/attributes/check-claims.ts'
import { checkElements } from '../templates/check-elements.ts'
import { credentialSigner, mdocSigner, type SignerNeeds, signerCertificateOf } from '../templates/credential-signer.ts'
import { signerViolations } from '../templates/signer-violations.ts'
import type { CredentialTemplate, MdocDefinition, TemplateDefinition } from '../templates/template.ts'
import { asTemplate, mdocValidity, type OwnValidity, validityOf, withOwnValidity } from '../templates/validity.ts'

/**
 * Validates the attributes of one issuance, and its validity, by default that of the template.
 *
 * @returns the refusal; null: it may be created
 */
export type IssuanceCheck = (attributes: JsonObject, own?: OwnValidity) => Fault | null

/**
 * Returns the check of issuances from a template against it and the current signer; the final signer is chosen when the
 * wallet requests the credential. It refuses with `resource.unknown`, `attributes.rejected`, `certificate.none_active`,
 * `state.invalid`, or `request.invalid` for a validity of its own.
 */
export async function issuanceCheckOf(
  needs: SignerNeeds,
  tenant: Pick<Tenant, 'id' | 'slug'>,
  { definition, archivedAt }: CredentialTemplate,
): Promise<IssuanceCheck> {
  if (archivedAt !== null) return unknownTemplate
  const now = needs.clock.now()
  const { issuing } = await findPolicyOf(needs, tenant.id)
  const [violation] = signerViolations(issuing, definition)
  if (violation !== undefined) return () => new Fault('state.invalid', { detail: violation.detail })
  if (definition.format === 'mdoc') {
    const found = await orFault(mdocSigner(needs, tenant))
    if (found instanceof Fault) return () => found
    const certificate = signerCertificateOf(found)
    return (attributes, own = asTemplate) =>
      rejected(checkElements(definition, attributes, certificate)) ??
      refusalOfOwn(definition, own, now, certificate.notAfter) ??
      refusalOfTimes(definition, own, now) ??
      refusalOfPlan(withOwnValidity(definition, own), certificate, now)
  }
  // A template that names no certificate can always be signed with the did:web key.
  const signer =
    definition.signer?.kind === 'certificate' ? await orFault(credentialSigner(needs, tenant, definition)) : null
  const noSigner = signer instanceof Fault ? signer : null
  return (attributes, own = asTemplate) =>
    rejected(checkClaims(definition.attributes, attributes)) ??
    noSigner ??
    refusalOfOwn(definition, own, now, null) ??
    refusalOfTimes(definition, own, now)
}

function rejected(violations: readonly Violation[]): Fault | null {
  return violations.length > 0 ? new Fault('attributes.rejected', { violations }) : null
}

/** Returns the signer, or the fault that there is none. */
async function orFault<T>(signer: Promise<T>): Promise<T | Fault> {
  try {
    return await signer
  } catch (error) {
    if (error instanceof Fault && error.code === 'certificate.none_active') return error
    throw error
  }
}

/**
 * Returns what is wrong with the validity that an issuance states.
 *
 * @param signerEnds When the certificate ends that bounds the validity of an mdoc; null: nothing bounds it.
 */
function refusalOfOwn(
  definition: TemplateDefinition,
  own: OwnValidity,
  now: Date,
  signerEnds: Date | null,
): Fault | null {
  const { ownValidFrom, ownValidUntil } = own
  if (ownValidFrom === null && ownValidUntil === null) return null
  const refuse = (member: 'validFrom' | 'validUntil', detail: string, rule: OwnRule) =>
    new Fault('request.invalid', { violations: [{ detail: `${member} ${detail}`, pointer: `/${member}`, rule }] })
  if (ownValidUntil !== null && ownValidUntil <= now) return refuse('validUntil', 'has passed.', 'validity.passed')
  if (ownValidUntil !== null && signerEnds !== null && ownValidUntil > signerEnds) {
    const end = signerEnds.toISOString()
    return refuse('validUntil', `is after the certificate of the signer ends (${end}).`, 'validity.signer')
  }
  const { nbf, exp } = validityOf(withOwnValidity(definition, own), now)
  if (nbf === undefined || exp === undefined || exp > nbf) return null
  return ownValidUntil === null
    ? refuse('validFrom', `must be before the credential ends (${exp.toISOString()}).`, 'template.never_valid')
    : refuse('validUntil', `must be after the credential begins (${nbf.toISOString()}).`, 'template.never_valid')
}

function refusalOfTimes(definition: TemplateDefinition, own: OwnValidity, now: Date): Fault | null {
  const { nbf, exp } = validityOf(withOwnValidity(definition, own), now)
  if (exp !== undefined && exp <= now) {
    return new Fault('state.invalid', { detail: 'validUntil of the template has passed.' })
  }
  if (exp !== undefined && nbf !== undefined && exp <= nbf) {
    return new Fault('state.invalid', { detail: 'The credential would expire before it becomes valid.' })
  }
  return null
}

/** [MD-3] An mdoc is valid for whole days, within the validity of its signer. */
function refusalOfPlan(definition: MdocDefinition, certificate: SignerCertificate, now: Date): Fault | null {
  const { validFrom, validUntil } = mdocValidity(definition, certificate, now)
  if (validUntil > validFrom && validUntil > now) return null
  const end = certificate.notAfter.toISOString()
  return new Fault('state.invalid', {
    detail: `The credential would expire before it becomes valid: an mdoc is valid for whole days, and no longer than the certificate of its signer (${end}).`,
  })
}

/** The fault for an unknown or archived template. */
export function unknownTemplate(): Fault {
  return new Fault('resource.unknown', { detail: 'There is no such credential template.' })
}
