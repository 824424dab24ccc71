import { type Role, roles, type TenantId } from '../../caller.ts'
import { every, type Schedule } from '../../jobs/schedule.ts'
import type { Platform } from '../../platform.ts'
import { destroyUserRow, listDeletedUsers, listTenantsWithDeletedUsers } from './write-user-store.ts'

/** Days after which the wallet of a deleted user is destroyed. */
export const GRACE_DAYS = 30

type Needs = Pick<Platform, 'store' | 'clock'>

/** Sweeps of the directory. */
export const directorySchedules: readonly Schedule[] = [every(600, 'directory.destroy-users', destroyUsers)]

/** Destroys the deleted users of all tenants whose days of grace are over, each in a transaction of its own. */
export async function destroyUsers({ store, clock }: Needs, signal: AbortSignal): Promise<void> {
  const now = clock.now()
  const deletedBy = new Date(now.getTime() - GRACE_DAYS * 86_400_000)
  const tenants = await store.across('tenants with deleted users to destroy', (tx) =>
    listTenantsWithDeletedUsers(tx, deletedBy),
  )
  for (const tenantId of tenants) await destroyUsersOf(store, tenantId, { deletedBy, now }, signal)
}

async function destroyUsersOf(
  store: Needs['store'],
  tenantId: TenantId,
  { deletedBy, now }: { readonly deletedBy: Date; readonly now: Date },
  signal: AbortSignal,
): Promise<void> {
  // Object.keys loses the type of the keys.
  const by = { roles: Object.keys(roles) as Role[], now }
  let destroyed = 1
  // None is left, or another process destroys them at this moment.
  while (destroyed > 0) {
    destroyed = 0
    for (const id of await store.single(tenantId, (tx) => listDeletedUsers(tx, deletedBy))) {
      if (signal.aborted) return
      const entry = { action: 'user.destroyed', subject: { kind: 'user', id }, by: 'system' } as const
      if (await store.inTenant(tenantId, (tx) => destroyUserRow(tx, id, deletedBy, by, entry))) destroyed += 1
    }
  }
}
