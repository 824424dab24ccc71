import type { TenantId } from '../../caller.ts'
import type { Tenant } from '../../directory/tenants/tenant.ts'
import { findPolicyOf } from '../../directory/tenants/tenant-policy.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import type { SignerCertificate } from '../../protocols/mdoc/signer-certificate.ts'
import {
  type ActiveSigner,
  activeSigner,
  findActiveSigner,
  forgetSigners,
} from '../../trust/certificates/active-signer.ts'
import { leafNames } from '../../trust/issuers/certified-issuer.ts'
import type { SdJwtDefinition, TemplateDefinition } from './template.ts'

/** What {@link credentialSigner} needs. */
export type SignerNeeds = Pick<Platform, 'store' | 'keys' | 'clock' | 'urls' | 'config' | 'memory'>
type Of = Pick<Tenant, 'id' | 'slug'>

/**
 * Returns the current signer for a template: the certificate that it names or, by default, the active one; null: the
 * did:web key of the tenant. Cached for up to 5 s.
 *
 * @throws Fault `certificate.none_active`, whose detail says what is missing and how to get it
 */
export function credentialSigner(
  needs: SignerNeeds,
  tenant: Of,
  definition: TemplateDefinition,
): Promise<ActiveSigner | null> {
  if (definition.format === 'mdoc') return mdocSigner(needs, tenant)
  return retryOnStaleSigner(needs, tenant, () => sdJwtSigner(needs, tenant, definition))
}

/** As {@link credentialSigner} for mdocs: the P-256 certificate, and only if it may sign mobile documents. */
export function mdocSigner(needs: SignerNeeds, tenant: Of): Promise<ActiveSigner> {
  return retryOnStaleSigner(needs, tenant, () => signerOfMdocs(needs, tenant))
}

/** Reads the signers again before a refusal: another process may have created the certificate a second ago. */
async function retryOnStaleSigner<T>(needs: SignerNeeds, { id }: Of, find: () => Promise<T>): Promise<T> {
  try {
    return await find()
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'certificate.none_active') throw error
    forgetSigners(needs, id)
    return find()
  }
}

async function signerOfMdocs(needs: SignerNeeds, { id }: Of): Promise<ActiveSigner> {
  const found = await activeSigner(needs, id, 'issuer', 'P-256')
  if (found.signMdl) return found
  const { certificateId, keyType } = found
  throw new Fault('certificate.none_active', {
    detail:
      'The active issuer certificate with a P-256 key may not sign mobile documents (capabilities.signMdl is false). Create a root with POST /certificates, or a signing request with capabilities.signMdl, and activate its certificate.',
    meta: { kind: 'issuer', keyType, certificateId, missing: 'signMdl' },
  })
}

async function sdJwtSigner(needs: SignerNeeds, tenant: Of, definition: SdJwtDefinition): Promise<ActiveSigner | null> {
  const { issuing } = await findPolicyOf(needs, tenant.id)
  const signer = issuing.signer ?? definition.signer
  if (signer?.kind === 'did:web') return null
  const issuer = needs.urls.issuer(tenant.slug)
  const found = await findSignerNaming(needs, tenant.id, signer?.keyType ?? null, issuer)
  if (found !== null || signer === undefined) return found
  const { certificateId, keyType } = await activeSigner(needs, tenant.id, 'issuer', signer.keyType)
  throw new Fault('certificate.none_active', {
    detail: `The active issuer certificate with a ${keyType} key does not name ${issuer} in its subjectAltName, so verifiers would not accept it for that issuer. Get one signed that does (POST /certificates/csrs creates the signing request), or activate a root of your own.`,
    meta: { kind: 'issuer', keyType, certificateId, missing: issuer },
  })
}

/**
 * Returns an active certificate that names the issuer, which verifiers require; a foreign CA may have left the name
 * out.
 */
async function findSignerNaming(
  needs: SignerNeeds,
  tenantId: TenantId,
  keyType: ActiveSigner['keyType'] | null,
  issuer: string,
): Promise<ActiveSigner | null> {
  const first = await findActiveSigner(needs, tenantId, 'issuer', keyType)
  if (first === null || leafNames(first.leaf, issuer)) return first
  if (keyType !== null || first.keyType === 'Ed25519') return null
  return findSignerNaming(needs, tenantId, 'Ed25519', issuer)
}

/** Returns the members of the signer's certificate that an mdoc must match. */
export function signerCertificateOf({ leaf, notBefore, notAfter }: ActiveSigner): SignerCertificate {
  const { country, state } = leaf.subject
  return { notBefore, notAfter, countryName: country, stateOrProvinceName: state }
}
