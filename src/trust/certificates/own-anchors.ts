import type { TenantId } from '../../caller.ts'
import type { Anchor } from '../../crypto/x509-path/anchor.ts'
import { readCertificate } from '../../crypto/x509-path/certificate.ts'
import type { Platform } from '../../platform.ts'
import { OWN_ANCHOR } from '../revocation/revocation-lists.ts'
import { listRoots } from './certificate-store.ts'

/**
 * The roots of the tenant itself, which it trusts without saying so: issuer roots for `issuer` and `status`, verifier roots for `verifier`.
 * Those too that sign nothing new, for what they signed; not those that are revoked.
 */
export async function ownAnchors({ store }: Pick<Platform, 'store'>, tenantId: TenantId): Promise<readonly Anchor[]> {
  const roots = await store.single(tenantId, listRoots)
  return roots.map(({ type, der }) => ({
    certificate: readCertificate(der),
    purposes: type === 'issuerRoot' ? ['issuer', 'status'] : ['verifier'],
    owner: OWN_ANCHOR,
  }))
}
