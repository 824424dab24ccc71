import type { TenantId } from '../../caller.ts'
import type { Tenant } from '../../directory/tenants/tenant.ts'
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

/** What it takes to find who signs. */
export type SignerNeeds = Pick<Platform, 'store' | 'keys' | 'clock' | 'urls' | 'config' | 'memory'>
type Of = Pick<Tenant, 'id' | 'slug'>

/**
 * Who signs credentials of a template now: the certificate that it wants or, if it leaves the choice open, the active one, else null for the
 * did:web key of the tenant. Known for up to 5 s, so this costs nothing where many are issued.
 *
 * @throws Fault `certificate.none_active` that says what is missing, and how to get it
 */
export function credentialSigner(
  needs: SignerNeeds,
  tenant: Of,
  definition: TemplateDefinition,
): Promise<ActiveSigner | null> {
  if (definition.format === 'mdoc') return mdocSigner(needs, tenant)
  return lookedAtAgain(needs, tenant, () => sdJwtSigner(needs, tenant, definition))
}

/** As {@link credentialSigner} for mobile documents: the P-256 certificate, and only if it may sign mobile driving licences. */
export function mdocSigner(needs: SignerNeeds, tenant: Of): Promise<ActiveSigner> {
  return lookedAtAgain(needs, tenant, () => licenceSigner(needs, tenant))
}

/** Nobody is refused by what this process remembers: another one may have made the certificate a second ago. */
async function lookedAtAgain<T>(needs: SignerNeeds, { id }: Of, find: () => Promise<T>): Promise<T> {
  try {
    return await find()
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'certificate.none_active') throw error
    forgetSigners(needs, id)
    return find()
  }
}

async function licenceSigner(needs: SignerNeeds, { id }: Of): Promise<ActiveSigner> {
  const found = await activeSigner(needs, id, 'issuer', 'P-256')
  if (found.signMdl) return found
  const { certificateId, keyType } = found
  throw new Fault('certificate.none_active', {
    detail:
      'The active issuer certificate with a P-256 key may not sign mobile documents (capabilities.signMdl is false). Create a root with POST /certificates, or a signing request with capabilities.signMdl, and activate what comes of it.',
    meta: { kind: 'issuer', keyType, certificateId, missing: 'signMdl' },
  })
}

async function sdJwtSigner(needs: SignerNeeds, tenant: Of, { signer }: SdJwtDefinition): Promise<ActiveSigner | null> {
  if (signer?.kind === 'did:web') return null
  const issuer = needs.urls.issuer(tenant.slug)
  const found = await findNaming(needs, tenant.id, signer?.keyType ?? null, issuer)
  if (found !== null || signer === undefined) return found
  const { certificateId, keyType } = await activeSigner(needs, tenant.id, 'issuer', signer.keyType)
  throw new Fault('certificate.none_active', {
    detail: `The active issuer certificate with a ${keyType} key does not name ${issuer} in its subjectAltName, so nobody would believe that it signs for that issuer. Have one signed that does (POST /certificates/csrs asks for it), or activate a root of your own.`,
    meta: { kind: 'issuer', keyType, certificateId, missing: issuer },
  })
}

/** (5.7) Only a certificate that names the issuer is believed when it signs for it; an authority outside may have left the name out. */
async function findNaming(
  needs: SignerNeeds,
  tenantId: TenantId,
  keyType: ActiveSigner['keyType'] | null,
  issuer: string,
): Promise<ActiveSigner | null> {
  const first = await findActiveSigner(needs, tenantId, 'issuer', keyType)
  if (first === null || leafNames(first.leaf, issuer)) return first
  if (keyType !== null || first.keyType === 'Ed25519') return null
  return findNaming(needs, tenantId, 'Ed25519', issuer)
}

/** What an mdoc must agree with in the certificate of its signer. */
export function signerCertificateOf({ leaf, notBefore, notAfter }: ActiveSigner): SignerCertificate {
  const { country, state } = leaf.subject
  return { notBefore, notAfter, countryName: country, stateOrProvinceName: state }
}
