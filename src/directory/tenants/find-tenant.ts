import type { TenantId } from '../../caller.ts'
import { Fault } from '../../fault.ts'
import { Recent, remembered } from '../../memory/recent.ts'
import type { Platform } from '../../platform.ts'
import { oncePer } from '../../store/once-per.ts'
import type { Tenant } from './tenant.ts'
import { findAnyTenant, findTenantById, findTenantBySlug } from './tenant-store.ts'

type Needs = Pick<Platform, 'store' | 'clock'>

/** A tenant that is disabled or changed is noticed by every process within this time. */
const BOUNDS = { entriesMax: 10_000, ttlMs: 5_000 } as const
const SLUG = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

const known = oncePer(() => new Recent<Promise<Tenant | null>>(BOUNDS))

/** The tenant that a path names, up to 5 s old. @returns null if it is unknown or disabled. */
export function findTenant(needs: Needs, slug: string): Promise<Tenant | null> {
  if (!SLUG.test(slug)) return Promise.resolve(null)
  return recently(needs, slug, () => needs.store.across('tenant that a path names', (tx) => findTenantBySlug(tx, slug)))
}

/** Whether anybody was made a tenant yet. */
export async function hasTenants({ store }: Pick<Platform, 'store'>): Promise<boolean> {
  return (await store.across('whether there is a tenant', findAnyTenant)) !== null
}

/** As {@link findTenant}. @throws Fault `resource.unknown` */
export async function getTenant(needs: Needs, slug: string): Promise<Tenant> {
  const found = await findTenant(needs, slug)
  if (found === null) throw new Fault('resource.unknown')
  return found
}

/** The tenant that a token names, up to 5 s old. @returns null if it is unknown or disabled. */
export async function findTenantOf(needs: Needs, id: TenantId): Promise<Tenant | null> {
  return recently(needs, `id ${id}`, () =>
    needs.store.across('tenant that a token names', (tx) => findTenantById(tx, id)),
  )
}

/** Forgets what is remembered of the tenants, so that a change made in this process shows at once. */
export function forgetTenants({ store }: Pick<Platform, 'store'>): void {
  known(store).clear()
}

/** Callers that come together share one look-up; a look-up that failed is not kept. */
function recently({ store, clock }: Needs, key: string, look: () => Promise<Tenant | null>): Promise<Tenant | null> {
  return remembered(known(store), key, clock.now(), look)
}
