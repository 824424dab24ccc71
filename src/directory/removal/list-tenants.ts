import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { isSlug } from '../tenants/tenant.ts'
import { listPlatformTenants } from './removal-store.ts'
import type { PlatformTenant } from './removed-tenant.ts'

const FIRST = { size: 1, sort: { field: 'createdAt' }, readDescending: false, after: null, before: null }
const TENANTS_EACH = 1000

/** Returns a tenant, also a removed one. @throws Fault `resource.unknown` */
export async function getPlatformTenant({ store }: Pick<Platform, 'store'>, slug: string): Promise<PlatformTenant> {
  const find = () => store.across('a tenant, for its operator', (tx) => listPlatformTenants(tx, FIRST, slug))
  const [found] = isSlug(slug) ? await find() : []
  if (found === undefined) throw new Fault('resource.unknown')
  return found
}

/** Returns all tenants, removed ones too, in the order in which they were created; for the command line. */
export async function allTenants({ store }: Pick<Platform, 'store'>): Promise<readonly PlatformTenant[]> {
  const all: PlatformTenant[] = []
  const order = { sort: { field: 'createdAt' }, readDescending: false, before: null }
  for (let after: string | null = null; ; after = all.at(-1)?.id ?? null) {
    const page = { ...order, size: TENANTS_EACH, after }
    const some = await store.across('all tenants, for their operator', (tx) => listPlatformTenants(tx, page))
    all.push(...some.slice(0, TENANTS_EACH))
    if (some.length <= TENANTS_EACH) return all
  }
}
