import type { Caller, TenantId } from '../../caller.ts'
import type { AnchorSet } from '../../crypto/x509-path/anchor.ts'
import { findTenantOf } from '../../directory/tenants/find-tenant.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { didWebOf } from '../../protocols/did/did-web.ts'
import { isTrustedCredentialIssuer, trustOf } from '../../trust/issuers/is-trusted.ts'
import type { ResolvedIssuer } from '../../trust/issuers/resolve-issuer.ts'
import { isCertifiedFor, trustOperation } from '../../trust/issuers/unanchored.ts'
import { trustFinding } from '../../trust/lookups/finding.ts'

/** From whom the wallets of a tenant take credentials: from anybody, or from the tenant itself and its trusted entities only. */
export type IssuerPolicy = 'any' | 'trusted'

type Needs = Pick<Platform, 'store' | 'clock' | 'config' | 'urls' | 'memory'>

/** What the checks of a received credential need to know of the tenant's trust. */
export type SignerTrust = {
  readonly anchors: () => Promise<AnchorSet>
  /** The issuer that signed a credential, with what the policy has against it among its findings. */
  readonly reviewed: <Signer extends ResolvedIssuer>(signer: Signer) => Promise<Signer>
}

/** The tenant's setting `issuerPolicy`; without one `any` in development and `trusted` in production. */
export async function issuerPolicyOf(
  needs: Pick<Needs, 'store' | 'clock' | 'config' | 'memory'>,
  id: TenantId,
): Promise<IssuerPolicy> {
  const told = (await findTenantOf(needs, id))?.settings.issuerPolicy
  if (told === 'any' || told === 'trusted') return told
  return needs.config.isDevelopment ? 'any' : 'trusted'
}

/**
 * Refuses an offer by its Credential Issuer Identifier, before that issuer is asked for anything.
 *
 * @throws Fault `issuer.untrusted`
 */
export async function refuseUntrusted(
  needs: Needs,
  { tenantId, tenantSlug }: Pick<Caller, 'tenantId' | 'tenantSlug'>,
  credentialIssuer: string,
): Promise<void> {
  // an organisation's own credentials need no word of its own
  if (credentialIssuer === needs.urls.issuer(tenantSlug)) return
  if ((await issuerPolicyOf(needs, tenantId)) === 'any') return
  if (await isTrustedCredentialIssuer(needs, tenantId, credentialIssuer)) return
  throw new Fault('issuer.untrusted', {
    detail: `${new URL(credentialIssuer).host} is not among the issuers that the organisation trusts. Add it with ${trustOperation(needs)}.`,
    meta: { credentialIssuer },
  })
}

/**
 * Refuses formats of which it is known beforehand that nothing of them could be verified: an mdoc is signed by certificate, and where only
 * trusted issuers count a wallet without any root takes none. Nothing of the offer is consumed by then.
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
 * Who may sign what a Credential Issuer sends. Where only trusted issuers count, that is the Credential Issuer itself (its address, or the
 * `did:web` DID of that), since the offer was taken on its name, or an issuer that a trusted entity stands for. Where any counts, a certificate
 * of the very address under an unknown root is taken too, and stays `trusted: false`.
 */
export function signerTrustOf(
  needs: Pick<Needs, 'store' | 'clock' | 'config' | 'memory'>,
  tenantId: TenantId,
  credentialIssuer: string,
): SignerTrust {
  const { anchors, vouchesFor } = trustOf(needs, tenantId)
  const takesAny = async () => (await issuerPolicyOf(needs, tenantId)) === 'any'
  const isAllowed = async (signer: ResolvedIssuer) =>
    signer.issuer === credentialIssuer ||
    signer.issuer === didWebOf(credentialIssuer) ||
    (await takesAny()) ||
    vouchesFor(signer)
  return {
    anchors,
    reviewed: async (signer) => {
      if (isCertifiedFor(signer, credentialIssuer) && (await takesAny())) return { ...signer, findings: [] }
      if (signer.findings.length > 0 || (await isAllowed(signer))) return signer
      return { ...signer, trusted: false, findings: [trustFinding('issuer.not_trusted')] }
    },
  }
}
