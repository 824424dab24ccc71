import type { Caller, TenantId } from '../caller.ts'
import type { AnchorSet } from '../crypto/x509-path/anchor.ts'
import { findTenantOf } from '../directory/find-tenant.ts'
import { Fault } from '../fault.ts'
import type { Platform } from '../platform.ts'
import { didWebOf } from '../protocols/did/did-web.ts'
import { isTrustedCredentialIssuer, trustOf } from '../trust/is-trusted.ts'
import type { ResolvedIssuer } from '../trust/resolve-issuer.ts'

/** From whom the wallets of a tenant take credentials: from anybody, or from the tenant itself and its trusted entities only. */
export type IssuerPolicy = 'any' | 'trusted'

type Needs = Pick<Platform, 'store' | 'clock' | 'config' | 'urls'>

/** What the checks of a received credential need to know of the tenant's trust. */
export type SignerTrust = {
  readonly anchors: () => Promise<AnchorSet>
  /** Whether a credential may be signed by this issuer. */
  readonly allows: (signer: ResolvedIssuer) => Promise<boolean>
}

/** The tenant's setting `issuerPolicy`; without one `any` in development and `trusted` in production. */
export async function issuerPolicyOf(
  needs: Pick<Needs, 'store' | 'clock' | 'config'>,
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
    detail: `${new URL(credentialIssuer).host} is not among the issuers that the organisation trusts.`,
    meta: { credentialIssuer },
  })
}

/**
 * Who may sign what a Credential Issuer sends. Where only trusted issuers count, that is the Credential Issuer itself (its address, or the
 * `did:web` DID of that), since the offer was taken on its name, or whoever a trusted entity stands for.
 */
export function signerTrustOf(
  needs: Pick<Needs, 'store' | 'clock' | 'config'>,
  tenantId: TenantId,
  credentialIssuer: string,
): SignerTrust {
  const { anchors, vouchesFor } = trustOf(needs, tenantId)
  const allows = async (signer: ResolvedIssuer) => {
    if (signer.issuer === credentialIssuer || signer.issuer === didWebOf(credentialIssuer)) return true
    if ((await issuerPolicyOf(needs, tenantId)) === 'any') return true
    return vouchesFor(signer)
  }
  return { anchors, allows }
}
