import type { TenantId } from '../../caller.ts'
import { findTenantOf } from '../../directory/tenants/find-tenant.ts'
import type { Platform } from '../../platform.ts'
import { isTrustedCredentialIssuer } from '../../trust/issuers/is-trusted.ts'

/** By what the organisation of the holder knows a Credential Issuer: it is the organisation itself, or a trusted entity names it. */
export type IssuerTrust = 'own' | 'trusted_entity' | 'unknown'

/** Returns whether a tenant knows a Credential Issuer, by its identifier alone; up to 5 s old. */
export async function knownIssuer(
  needs: Pick<Platform, 'store' | 'clock' | 'urls' | 'memory'>,
  tenantId: TenantId,
  credentialIssuer: string,
): Promise<IssuerTrust> {
  const tenant = await findTenantOf(needs, tenantId)
  if (tenant !== null && credentialIssuer === needs.urls.issuer(tenant.slug)) return 'own'
  return (await isTrustedCredentialIssuer(needs, tenantId, credentialIssuer)) ? 'trusted_entity' : 'unknown'
}
