import type { UserId } from '../../caller.ts'
import { type PageRequest, pagedList } from '../../store/paged-list.ts'
import { sql, type TenantTx } from '../../store/store.ts'
import { isUuid } from '../../uuid.ts'
import { foldCase, type User, type UserKey } from './user.ts'

type Row = {
  id: UserId
  username: string
  email: string | null
  first_name: string | null
  last_name: string | null
  external_identifier: string | null
  enabled: boolean
  created_at: Date
  updated_at: Date
}

const COLUMNS = 'id, username, email, first_name, last_name, external_identifier, enabled, created_at, updated_at'
const find = (key: string, column: string) =>
  sql(`directory.user_by_${key}`, `select ${COLUMNS} from user_account where tenant_id = $1 and ${column} = $2`)
const finders = {
  id: find('id', 'id'),
  username: find('username', 'username_folded'),
  email: find('email', 'email_folded'),
  externalIdentifier: find('external_identifier', 'external_identifier'),
}

/** The user of the transaction's tenant with that key; also a disabled one. */
export async function selectUser(tx: TenantTx, key: UserKey, value: string): Promise<User | null> {
  // What cannot be in the column is not asked for: PostgreSQL would refuse it with an error.
  if (value.includes('\0') || (key === 'id' && !isUuid(value))) return null
  const wanted = key === 'username' || key === 'email' ? foldCase(value) : value
  const [row] = await tx.rows<Row>(finders[key], [tx.tenantId, wanted])
  return row === undefined ? null : asUser(row)
}

const page = pagedList({
  name: 'directory.users',
  select: `select ${COLUMNS} from user_account where tenant_id = $1`,
  parameters: 1,
  id: 'id',
  sorts: { username: 'username_folded' },
  rows: 'user_account where tenant_id = $1',
  filters: {
    email: (value) => `email_folded = ${value}`,
    username: (value) => `username_folded = ${value}`,
    enabled: { true: 'enabled', false: 'not enabled' },
    name: (value) => `strpos(concat_ws(' ', first_name_folded, last_name_folded), ${value}) > 0`,
  },
})

/** What a list of users is narrowed to; `name` is part of first and last name. What is left out lets everybody through. */
export type UserFilter = {
  readonly email?: string | undefined
  readonly username?: string | undefined
  readonly enabled?: 'true' | 'false' | undefined
  readonly name?: string | undefined
}

/** One page of the users of the tenant, and one row more if there are more. */
export async function listUserRows(tx: TenantTx, ask: PageRequest, filter: UserFilter): Promise<User[]> {
  const { email, username, name, enabled } = filter
  const fold = (text: string | undefined) => (text === undefined ? undefined : foldCase(text))
  const folding = { email: fold(email), username: fold(username), name: fold(name), enabled }
  return (await page<Row>(tx, ask, [tx.tenantId], folding)).map(asUser)
}

function asUser(row: Row): User {
  return {
    id: row.id,
    username: row.username,
    email: row.email,
    firstName: row.first_name,
    lastName: row.last_name,
    externalIdentifier: row.external_identifier,
    enabled: row.enabled,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
