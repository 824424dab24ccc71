import type { TenantId } from '../caller.ts'
import type { Anchor } from '../crypto/x509-path/anchor.ts'
import type { Platform } from '../platform.ts'

/** `owner` of the anchors that are the tenant's own roots. */
export const OWN_ANCHOR = 'own'

/**
 * The roots of the tenant itself, which it trusts without saying so: issuer roots for `issuer` and `status`, verifier roots for `verifier`.
 * None yet. Asked again after some seconds, and at once after `forgetTrust`.
 */
export async function ownAnchors(_platform: Pick<Platform, 'store'>, _tenantId: TenantId): Promise<readonly Anchor[]> {
  return []
}
