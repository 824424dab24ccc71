import type { Static } from 'typebox'
import type { TenantId } from '../caller.ts'
import { parseListQuery } from '../http/list.ts'
import type { Platform } from '../platform.ts'
import type { UserListQuery } from './schemas.ts'
import { listUserRows } from './user-store.ts'

/** One page of the tenant's users, with one row more when there is a next page. */
export async function listUsers(
  { store }: Pick<Platform, 'store'>,
  tenantId: TenantId,
  query: Static<typeof UserListQuery>,
) {
  const list = parseListQuery(query)
  const enabled = query['filter[enabled]']
  const page = {
    email: query['filter[email]'] ?? null,
    username: query['filter[username]'] ?? null,
    enabled: enabled === undefined ? null : enabled === 'true',
    name: query['search[name]'] ?? null,
    sort: list.sort.field,
    descending: list.readDescending,
    cursor: list.after ?? list.before,
    limit: list.size + 1,
  }
  // No stored text has a NUL character, and PostgreSQL refuses to be asked for one.
  if (JSON.stringify([page.email, page.username, page.name]).includes('\\u0000')) return { list, rows: [] }
  return { list, rows: await store.single(tenantId, (tx) => listUserRows(tx, page)) }
}
