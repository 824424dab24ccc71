import type { Caller, TenantId } from '../../caller.ts'
import type { AnchorSet } from '../../crypto/x509-path/anchor.ts'
import { findTenantOf } from '../../directory/tenants/find-tenant.ts'
import { findPolicyOf, type TenantPolicy } from '../../directory/tenants/tenant-policy.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { didWebOf } from '../../protocols/did/did-web.ts'
import { findCredentialIssuer, trustOf } from '../../trust/issuers/is-trusted.ts'
import type { ResolvedIssuer } from '../../trust/issuers/resolve-issuer.ts'
import { isCertifiedFor, trustOperation } from '../../trust/issuers/unanchored.ts'
import { trustFinding } from '../../trust/lookups/finding.ts'

/**
 * The issuers that wallets of a tenant accept: `any`, every issuer; `trusted`, the tenant itself and its trusted
 * entities.
 */
type IssuerPolicy = 'any' | 'trusted'

type Needs = Pick<Platform, 'store' | 'clock' | 'config' | 'urls' | 'memory'>

/** The tenant's trust, for the checks of a received credential. */
export type SignerTrust = {
  readonly anchors: () => Promise<AnchorSet>
  readonly policy: () => Promise<TenantPolicy['trusting']>
  /** Returns the issuer that signed a credential, with the findings of the policy. */
  readonly reviewed: <Signer extends ResolvedIssuer>(signer: Signer) => Promise<Signer>
}

/** Returns the tenant's setting `issuerPolicy`; by default `any` in development and `trusted` in production. */
export async function issuerPolicyOf(
  needs: Pick<Needs, 'store' | 'clock' | 'config' | 'memory'>,
  id: TenantId,
): Promise<IssuerPolicy> {
  const setting = (await findTenantOf(needs, id))?.settings.issuerPolicy
  if (setting === 'any' || setting === 'trusted') return setting
  return needs.config.isDevelopment ? 'any' : 'trusted'
}

/**
 * Refuses an offer by its Credential Issuer Identifier, before any request to that issuer.
 *
 * @throws Fault `issuer.untrusted`
 */
export async function refuseUntrusted(
  needs: Needs,
  { tenantId, tenantSlug }: Pick<Caller, 'tenantId' | 'tenantSlug'>,
  credentialIssuer: string,
): Promise<void> {
  // an organisation trusts its own credentials
  if (credentialIssuer === needs.urls.issuer(tenantSlug)) return
  if ((await issuerPolicyOf(needs, tenantId)) === 'any') return
  if ((await findCredentialIssuer(needs, tenantId, credentialIssuer)) !== null) return
  throw new Fault('issuer.untrusted', {
    detail: `${new URL(credentialIssuer).host} is not among the issuers that the organisation trusts. Add it with ${trustOperation(needs)}.`,
    meta: { credentialIssuer },
  })
}

/**
 * Refuses formats that could not be verified: an mdoc is signed by certificate, so with the policy `trusted` and no
 * root it cannot be accepted. Nothing of the offer is consumed by then.
 *
 * @throws Fault `issuer.untrusted`
 */
export async function refuseUnverifiable(
  needs: Needs,
  { tenantId }: Pick<Caller, 'tenantId'>,
  credentialIssuer: string,
  formats: readonly string[],
): Promise<void> {
  if (!formats.includes('mso_mdoc') || (await issuerPolicyOf(needs, tenantId)) === 'any') return
  if ((await trustOf(needs, tenantId).anchors()).size > 0) return
  const operation = trustOperation(needs)
  throw new Fault('issuer.untrusted', {
    detail: `An mdoc is signed by certificate, and the organisation trusts no root of an issuer. Add one with ${operation}.`,
    meta: { credentialIssuer, trust: { operation } },
  })
}

/**
 * Returns who may sign the credentials of a Credential Issuer. With the policy `trusted` that is the Credential Issuer
 * itself (its identifier, or its `did:web` DID), since the offer was accepted by that name, or an issuer of a trusted
 * entity. With `any`, a certificate for that host under an unknown root is accepted too, as `trusted: false`.
 */
export function signerTrustOf(
  needs: Pick<Needs, 'store' | 'clock' | 'config' | 'memory'>,
  tenantId: TenantId,
  credentialIssuer: string,
): SignerTrust {
  const { anchors, vouchesFor } = trustOf(needs, tenantId)
  const acceptsAny = async () => (await issuerPolicyOf(needs, tenantId)) === 'any'
  const isAllowed = async (signer: ResolvedIssuer) =>
    signer.issuer === credentialIssuer ||
    signer.issuer === didWebOf(credentialIssuer) ||
    (await acceptsAny()) ||
    vouchesFor(signer)
  return {
    anchors,
    policy: async () => (await findPolicyOf(needs, tenantId)).trusting,
    reviewed: async (signer) => {
      if (isCertifiedFor(signer, credentialIssuer) && (await acceptsAny())) return { ...signer, findings: [] }
      if (signer.findings.length > 0 || (await isAllowed(signer))) return signer
      return { ...signer, trusted: false, findings: [trustFinding('issuer.not_trusted')] }
    },
  }
}
