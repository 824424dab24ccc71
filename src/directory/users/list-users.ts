import type { ListRequest } from '../../api/list.ts'
import type { TenantId } from '../../caller.ts'
import type { Platform } from '../../platform.ts'
import type { BoundedRows } from '../../store/paged-list.ts'
import type { User } from './user.ts'
import { listUserRows, type UserFilter } from './user-store.ts'

/** Returns one page of the tenant's users. */
export async function listUsers(
  { store }: Pick<Platform, 'store'>,
  tenantId: TenantId,
  list: ListRequest,
  filter: UserFilter,
): Promise<BoundedRows<User>> {
  // A plus sign that a client wrote as it is stands for a blank, and no address has one.
  const meant = { ...filter, email: filter.email?.replaceAll(' ', '+') }
  return store.inTenant(tenantId, (tx) => listUserRows(tx, list, meant))
}
