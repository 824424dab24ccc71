import { setTimeout as delay } from 'node:timers/promises'
import type { TenantId } from '../../caller.ts'
import type { Platform } from '../../platform.ts'
import { findCatalogVersion } from './template-store.ts'

type Needs = Pick<Platform, 'store' | 'clock' | 'memory'>
type Lease = { readonly version: Promise<number>; readonly until: number }

/** Lifetime of a version that was read, from the start of the query. */
const LEASE_MS = 25
/** Timers have a resolution of one millisecond. */
const MARGIN_MS = 2

const leasesIn = ({ memory }: Needs) => memory.cache<Lease>('issuance.catalog_versions')

/**
 * Returns the version of a tenant's template catalog, read at most {@link LEASE_MS} ago. A process that changes the
 * catalog waits that long before it answers ({@link catalogChanged}). So a request that follows the answer never sees
 * the former catalog, in any process, and under load most requests need no query.
 */
export function catalogVersion(needs: Needs, tenantId: TenantId): Promise<number> {
  // A duration, so not the platform's clock, which is the time of day.
  const now = performance.now()
  const leases = leasesIn(needs)
  const lease = leases.get(tenantId, needs.clock.now())
  if (lease !== undefined && now < lease.until) return lease.version
  const version = needs.store.single(tenantId, findCatalogVersion)
  leases.set(tenantId, { version, until: now + LEASE_MS }, needs.clock.now())
  version.catch(() => leases.delete(tenantId))
  return version
}

/** Waits until no process uses the former catalog version. Call it between the commit of a change and its answer. */
export async function catalogChanged(needs: Needs, tenantId: TenantId): Promise<void> {
  leasesIn(needs).delete(tenantId)
  await delay(LEASE_MS + MARGIN_MS)
}
