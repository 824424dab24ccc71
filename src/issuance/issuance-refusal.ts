import type { JsonObject } from '../crypto/json.ts'
import type { Tenant } from '../directory/tenant.ts'
import { Fault } from '../fault.ts'
import type { SignerCertificate } from '../protocols/mdoc/signer-certificate.ts'
import { checkClaims } from './check-claims.ts'
import { checkElements } from './check-elements.ts'
import { certificateOf, credentialSigner, mdocSigner, type SignerNeeds } from './credential-signer.ts'
import type { MdocDefinition, Template, TemplateDefinition } from './template.ts'
import { mdocValidity, validityOf } from './validity.ts'

/**
 * What stands against an issuance, as far as it is known today: who signs in the end is settled when the wallet comes.
 *
 * @returns `resource.unknown`, `attributes.rejected`, `certificate.none_active` or `state.invalid`; null: it may be opened
 */
export async function refusalOf(
  needs: SignerNeeds,
  tenant: Pick<Tenant, 'id' | 'slug'>,
  { definition, archivedAt }: Template,
  attributes: JsonObject,
): Promise<Fault | null> {
  if (archivedAt !== null) return unknownTemplate()
  const now = needs.clock.now()
  try {
    if (definition.format === 'mdoc') {
      const certificate = certificateOf(await mdocSigner(needs, tenant))
      const violations = checkElements(definition, attributes, certificate)
      if (violations.length > 0) return new Fault('attributes.rejected', { violations })
      return refusalOfTimes(definition, now) ?? refusalOfPlan(definition, certificate, now)
    }
    const violations = checkClaims(definition.attributes, attributes)
    if (violations.length > 0) return new Fault('attributes.rejected', { violations })
    // one that leaves the choice open always finds somebody
    if (definition.signer?.kind === 'certificate') await credentialSigner(needs, tenant, definition)
  } catch (error) {
    if (error instanceof Fault && error.code === 'certificate.none_active') return error
    throw error
  }
  return refusalOfTimes(definition, now)
}

function refusalOfTimes(definition: TemplateDefinition, now: Date): Fault | null {
  const { nbf, exp } = validityOf(definition, now)
  if (exp !== undefined && exp <= now) {
    return new Fault('state.invalid', { detail: 'validUntil of the template has passed.' })
  }
  if (exp !== undefined && nbf !== undefined && exp <= nbf) {
    return new Fault('state.invalid', { detail: 'The credential would end before it begins.' })
  }
  return null
}

/** [MD-3] An mdoc is valid by whole days, and no longer than its signer. */
function refusalOfPlan(definition: MdocDefinition, certificate: SignerCertificate, now: Date): Fault | null {
  const { validFrom, validUntil } = mdocValidity(definition, certificate, now)
  if (validUntil > validFrom && validUntil > now) return null
  const end = certificate.notAfter.toISOString()
  return new Fault('state.invalid', {
    detail: `The credential would end before it begins: an mdoc is valid by whole days, and no longer than the certificate of its signer (${end}).`,
  })
}

/** A template that is not there, or archived. */
export function unknownTemplate(): Fault {
  return new Fault('resource.unknown', { detail: 'There is no such credential template.' })
}
