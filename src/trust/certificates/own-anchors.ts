import type { TenantId } from '../../caller.ts'
import { readCertificate } from '../../crypto/x509/certificate.ts'
import type { Anchor } from '../../crypto/x509-path/anchor.ts'
import { remembered } from '../../memory/recent.ts'
import type { Platform } from '../../platform.ts'
import { OWN_ANCHOR } from '../revocation/revocation-lists.ts'
import { listRoots } from './certificate-store.ts'

/**
 * The roots of the tenant itself, which it trusts by default: issuer roots for `issuer` and `status`, verifier roots
 * for `verifier`. Includes roots that sign nothing new, for what they signed; excludes revoked ones. The same promise
 * is returned for up to 5 s.
 */
export function ownAnchors(
  { store, clock, memory }: Pick<Platform, 'store' | 'clock' | 'memory'>,
  tenantId: TenantId,
): Promise<readonly Anchor[]> {
  return remembered(cacheOf({ memory }), tenantId, clock.now(), () => readAnchors(store, tenantId))
}

/** Discards the cached anchors, so that a change made by this process counts at once. */
export function forgetOwnAnchors(needs: Pick<Platform, 'memory'>, tenantId: TenantId): void {
  cacheOf(needs).delete(tenantId)
}

function cacheOf({ memory }: Pick<Platform, 'memory'>) {
  return memory.cache<Promise<readonly Anchor[]>>('trust.own_anchors')
}

async function readAnchors(store: Platform['store'], tenantId: TenantId): Promise<readonly Anchor[]> {
  const roots = await store.single(tenantId, listRoots)
  return roots.map(({ type, der }) => ({
    certificate: readCertificate(der),
    purposes: type === 'issuerRoot' ? ['issuer', 'status'] : ['verifier'],
    owner: OWN_ANCHOR,
  }))
}
