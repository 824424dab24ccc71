import type { TenantId } from '../../caller.ts'
import type { Anchor } from '../../crypto/x509-path/anchor.ts'
import { readCertificate } from '../../crypto/x509-path/certificate.ts'
import { Recent, remembered } from '../../memory/recent.ts'
import type { Platform } from '../../platform.ts'
import { oncePer } from '../../store/once-per.ts'
import { OWN_ANCHOR } from '../revocation/revocation-lists.ts'
import { listRoots } from './certificate-store.ts'

/** A change is noticed by every process within this time; by the one that made it at once. */
const FRESH = { entriesMax: 1000, ttlMs: 5_000 } as const

const kept = oncePer(() => new Recent<Promise<readonly Anchor[]>>(FRESH))

/**
 * The roots of the tenant itself, which it trusts by default: issuer roots for `issuer` and `status`, verifier roots for `verifier`. Includes
 * roots that sign nothing new, for what they signed; excludes revoked ones. The same promise is returned for up to 5 s.
 */
export function ownAnchors(
  { store, clock }: Pick<Platform, 'store' | 'clock'>,
  tenantId: TenantId,
): Promise<readonly Anchor[]> {
  return remembered(kept(store), tenantId, clock.now(), () => readAnchors(store, tenantId))
}

/** Discards the kept anchors, so that a change made in this process counts at once. */
export function forgetOwnAnchors({ store }: Pick<Platform, 'store'>, tenantId: TenantId): void {
  kept(store).delete(tenantId)
}

async function readAnchors(store: Platform['store'], tenantId: TenantId): Promise<readonly Anchor[]> {
  const roots = await store.single(tenantId, listRoots)
  return roots.map(({ type, der }) => ({
    certificate: readCertificate(der),
    purposes: type === 'issuerRoot' ? ['issuer', 'status'] : ['verifier'],
    owner: OWN_ANCHOR,
  }))
}
