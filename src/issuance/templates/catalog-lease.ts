import { setTimeout as delay } from 'node:timers/promises'
import type { TenantId } from '../../caller.ts'
import type { Platform } from '../../platform.ts'
import { oncePer } from '../../store/once-per.ts'
import { findCatalogVersion } from './template-store.ts'

type Needs = Pick<Platform, 'store'>
type Lease = { readonly version: Promise<number>; readonly until: number }

/** How long what was read of a catalog is good for, counted from the moment when it was asked for. */
const LEASE_MS = 25
/** Timers count in whole milliseconds. */
const MARGIN_MS = 2
const TENANTS_MAX = 10_000

const leases = oncePer(() => new Map<TenantId, Lease>())

/**
 * The version of a tenant's catalog of templates, as the database says it, or said it a moment ago: whoever changes the catalog waits as
 * long before the change is answered ({@link catalogChanged}). So a request that comes after that answer never meets the catalog of before,
 * whichever process it comes to, and under load most of them need not ask.
 */
export function catalogVersion({ store }: Needs, tenantId: TenantId): Promise<number> {
  // Not the platform's clock, which tells the time of day: this is a duration.
  const now = performance.now()
  const held = leases(store)
  const lease = held.get(tenantId)
  if (lease !== undefined && now < lease.until) return lease.version
  if (held.size >= TENANTS_MAX) held.clear()
  const version = store.single(tenantId, findCatalogVersion)
  held.set(tenantId, { version, until: now + LEASE_MS })
  version.catch(() => held.delete(tenantId))
  return version
}

/** To be awaited between the commit of a change to the catalog and its answer. The embedded database has one process, which forgets at once. */
export async function catalogChanged({ store }: Needs, tenantId: TenantId): Promise<void> {
  leases(store).delete(tenantId)
  if (store.kind === 'postgresql') await delay(LEASE_MS + MARGIN_MS)
}
