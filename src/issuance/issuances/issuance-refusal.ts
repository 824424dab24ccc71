import type { JsonObject } from '../../crypto/json.ts'
import type { Tenant } from '../../directory/tenants/tenant.ts'
import { findPolicyOf } from '../../directory/tenants/tenant-policy.ts'
import { Fault, type Violation } from '../../fault.ts'
import type { SignerCertificate } from '../../protocols/mdoc/signer-certificate.ts'
import { checkClaims } from '../templates/attributes/check-claims.ts'
import { checkElements } from '../templates/check-elements.ts'
import { credentialSigner, mdocSigner, type SignerNeeds, signerCertificateOf } from '../templates/credential-signer.ts'
import { signerViolations } from '../templates/signer-violations.ts'
import type { CredentialTemplate, MdocDefinition, TemplateDefinition } from '../templates/template.ts'
import { mdocValidity, validityOf } from '../templates/validity.ts'

/** Validates the attributes of one issuance. @returns the refusal; null: it may be created */
export type IssuanceCheck = (attributes: JsonObject) => Fault | null

/**
 * Returns the check of issuances from a template against it and the current signer; the final signer is chosen when the
 * wallet requests the credential. It refuses with `resource.unknown`, `attributes.rejected`, `certificate.none_active`
 * or `state.invalid`.
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
    return (attributes) =>
      rejected(checkElements(definition, attributes, certificate)) ??
      refusalOfTimes(definition, now) ??
      refusalOfPlan(definition, certificate, now)
  }
  // A template that names no certificate can always be signed with the did:web key.
  const signer =
    definition.signer?.kind === 'certificate' ? await orFault(credentialSigner(needs, tenant, definition)) : null
  const noSigner = signer instanceof Fault ? signer : null
  return (attributes) =>
    rejected(checkClaims(definition.attributes, attributes)) ?? noSigner ?? refusalOfTimes(definition, now)
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

function refusalOfTimes(definition: TemplateDefinition, now: Date): Fault | null {
  const { nbf, exp } = validityOf(definition, now)
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
