import type { TenantId } from '../../caller.ts'
import type { Actor } from '../../events/audit/entry.ts'
import { record } from '../../events/audit/record.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { platformTenantId } from '../../store/store.ts'
import { countTenantRows } from '../../store/tenant-rows.ts'
import { forgetTenants } from '../tenants/find-tenant.ts'
import { isSlug } from '../tenants/tenant.ts'
import { closeTenant, findTenantHead } from '../tenants/tenant-store.ts'
import { findRemoved, insertRemoved } from './removal-store.ts'
import type { RemovedTenant, TenantCounts } from './removed-tenant.ts'

type Needs = Pick<Platform, 'store' | 'clock' | 'memory'>

/** Of each kind; more would take longer than a statement may. */
const COUNTED_MAX = 1_000_000

/** Who asks for a removal: a client of the API, or the operator at the command line. */
type Remover = { readonly by: Actor; readonly clientId: string | null }

/** Returns what would go with a tenant; `removed`: it was removed already. @throws Fault `resource.unknown` */
export async function previewRemoval(needs: Needs, slug: string) {
  const removed = await removedWith(needs, slug)
  if (removed !== null) return { kind: 'removed', removed } as const
  const { id, name } = await headOf(needs, slug)
  return { kind: 'preview', name, counts: await countsOf(needs, id) } as const
}

/**
 * Removes a tenant: closes it at once, for other servers within five seconds. A sweep removes its rows from a minute
 * later on. Idempotent; it cannot be undone.
 *
 * @throws Fault `resource.unknown`
 */
export async function removeTenant(needs: Needs, slug: string, { by, clientId }: Remover): Promise<RemovedTenant> {
  const known = await removedWith(needs, slug)
  const removed = known ?? (await recordRemoval(needs, slug, { by, clientId }))
  await needs.store.across('closing a tenant that is removed', (tx) => closeTenant(tx, removed.id, removed.removedAt))
  forgetTenants(needs)
  return removed
}

async function recordRemoval(needs: Needs, slug: string, { by, clientId }: Remover): Promise<RemovedTenant> {
  const { id, name, createdAt } = await headOf(needs, slug)
  const counts = await countsOf(needs, id)
  const removedAt = needs.clock.now()
  const removed = { id, slug, name, createdAt, removedAt, removedBy: clientId, counts }
  const entry = { action: 'tenant.removed', subject: { kind: 'tenant', id }, by, detail: { slug, ...counts } } as const
  await needs.store.inTenant(platformTenantId, async (tx) => {
    if (await insertRemoved(tx, removed)) await record(tx, entry, removedAt)
  })
  const written = await removedWith(needs, slug)
  if (written === null) throw new Error('the removal that was just recorded is missing')
  return written
}

async function removedWith({ store }: Needs, slug: string): Promise<RemovedTenant | null> {
  if (!isSlug(slug)) return null
  return store.across('whether a tenant is removed', (tx) => findRemoved(tx, slug))
}

async function headOf({ store }: Needs, slug: string) {
  const head = isSlug(slug) ? await store.across('a tenant to remove', (tx) => findTenantHead(tx, slug)) : null
  if (head === null) throw new Fault('resource.unknown')
  return head
}

async function countsOf({ store }: Needs, id: TenantId): Promise<TenantCounts> {
  const count = (table: string) => store.single(id, (tx) => countTenantRows(tx, table, COUNTED_MAX))
  return {
    users: await count('user_account'),
    credentials: await count('wallet_credential'),
    issuances: await count('issuance'),
    auditEntries: await count('audit_entry'),
  }
}
