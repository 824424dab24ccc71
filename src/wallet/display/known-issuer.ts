import type { TenantId } from '../../caller.ts'
import type { TrustBasis } from '../../contract/wallet/trust-basis.ts'
import { findTenantOf } from '../../directory/tenants/find-tenant.ts'
import type { Platform } from '../../platform.ts'
import { findCredentialIssuer, identifiersOf } from '../../trust/issuers/is-trusted.ts'

/**
 * By what the organisation of the holder knows a Credential Issuer: it is the organisation itself, or a trusted entity
 * names it.
 */
export type IssuerTrust = 'own' | 'trusted_entity' | 'unknown'

/** Returns whether a tenant knows a Credential Issuer, by its identifier alone, and why; up to 5 s old. */
export async function knownIssuer(
  needs: Pick<Platform, 'store' | 'clock' | 'urls' | 'memory'>,
  tenantId: TenantId,
  credentialIssuer: string,
): Promise<{ readonly trust: IssuerTrust; readonly basis: TrustBasis }> {
  const tenant = await findTenantOf(needs, tenantId)
  if (tenant !== null && credentialIssuer === needs.urls.issuer(tenant.slug))
    return { trust: 'own', basis: { identifier: credentialIssuer } }
  const found = await findCredentialIssuer(needs, tenantId, credentialIssuer)
  if (found !== null) return { trust: 'trusted_entity', basis: found }
  return { trust: 'unknown', basis: { lookedFor: [...identifiersOf(credentialIssuer)] } }
}
