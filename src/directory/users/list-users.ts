import type { ListRequest } from '../../api/list.ts'
import type { TenantId } from '../../caller.ts'
import type { Platform } from '../../platform.ts'
import type { User } from './user.ts'
import { listUserRows, type UserFilter } from './user-store.ts'

/** Returns one page of the tenant's users, and one row more if there is a next page. */
export async function listUsers(
  { store }: Pick<Platform, 'store'>,
  tenantId: TenantId,
  list: ListRequest,
  filter: UserFilter,
): Promise<User[]> {
  return store.single(tenantId, (tx) => listUserRows(tx, list, filter))
}
