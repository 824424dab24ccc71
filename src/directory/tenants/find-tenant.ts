import type { TenantId } from '../../caller.ts'
import { Fault } from '../../fault.ts'
import { remembered } from '../../memory/recent.ts'
import type { Platform } from '../../platform.ts'
import { platformTenantId } from '../../store/store.ts'
import { isSlug, type Tenant } from './tenant.ts'
import { findTenantById, findTenantBySlug, listIdsAfter, listSlugs } from './tenant-store.ts'

type Needs = Pick<Platform, 'store' | 'clock' | 'memory'>

const IDS_EACH = 1000

/** Returns the tenant that a path names, up to 5 s old; null if it is unknown or disabled. */
export async function findTenant(needs: Needs, slug: string): Promise<Tenant | null> {
  if (!isSlug(slug)) return null
  return remembered(cacheOf(needs), slug, needs.clock.now(), () =>
    needs.store.across('tenant that a path names', (tx) => findTenantBySlug(tx, slug)),
  )
}

/** Returns the slugs of the oldest tenants besides the platform itself and those that are removed, disabled or not. */
export function listTenantSlugs({ store }: Pick<Platform, 'store'>, limit: number): Promise<readonly string[]> {
  return store.across('which tenants there are', (tx) => listSlugs(tx, limit))
}

/** Returns the ids of all tenants besides the platform itself and removed ones, disabled or not; for maintenance. */
export async function allTenantIds({ store }: Pick<Platform, 'store'>): Promise<readonly TenantId[]> {
  const all: TenantId[] = []
  for (let last = platformTenantId; ; last = all.at(-1) ?? last) {
    const after = last
    const some = await store.across('maintenance of every tenant', (tx) => listIdsAfter(tx, after, IDS_EACH))
    all.push(...some)
    if (some.length < IDS_EACH) return all
  }
}

/** As {@link findTenant}. @throws Fault `resource.unknown` */
export async function getTenant(needs: Needs, slug: string): Promise<Tenant> {
  const found = await findTenant(needs, slug)
  if (found === null) throw new Fault('resource.unknown')
  return found
}

/** Returns the tenant with an id, up to 5 s old; null if it is unknown or disabled. */
export function findTenantOf(needs: Needs, id: TenantId): Promise<Tenant | null> {
  return remembered(cacheOf(needs), `id ${id}`, needs.clock.now(), () =>
    needs.store.across('tenant that a token names', (tx) => findTenantById(tx, id)),
  )
}

/** Clears the cache of tenants, so that a change made by this process shows at once. */
export function forgetTenants(needs: Pick<Platform, 'memory'>): void {
  cacheOf(needs).clear()
}

function cacheOf({ memory }: Pick<Platform, 'memory'>) {
  return memory.cache<Promise<Tenant | null>>('directory.tenants')
}
