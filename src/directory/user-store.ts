import type { UserId } from '../caller.ts'
import { sql, type TenantTx } from '../store/store.ts'
import { folded, type User, type UserKey } from './user.ts'

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
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The user of the transaction's tenant with that key; also a disabled one. */
export async function selectUser(tx: TenantTx, key: UserKey, value: string): Promise<User | null> {
  // What cannot be in the column is not asked for: PostgreSQL would refuse it with an error.
  if (value.includes('\0') || (key === 'id' && !UUID.test(value))) return null
  const wanted = key === 'username' || key === 'email' ? folded(value) : value
  const [row] = await tx.rows<Row>(finders[key], [tx.tenantId, wanted])
  return row === undefined ? null : asUser(row)
}

type Page = {
  readonly email: string | null
  readonly username: string | null
  readonly enabled: boolean | null
  /** Part of first and last name. */
  readonly name: string | null
  readonly sort: 'createdAt' | 'username'
  readonly descending: boolean
  /** Id of the row that the page follows in reading order. */
  readonly cursor: string | null
  readonly limit: number
}

/** Ids are UUIDs of version 7, so the order of ids is the order of creation. */
const listBy = (name: string, order: string, beyond: string) =>
  sql(
    `directory.users_${name}`,
    `select ${COLUMNS} from user_account
     where tenant_id = $1
       and ($2::text is null or email_folded = $2)
       and ($3::text is null or username_folded = $3)
       and ($4::boolean is null or enabled = $4)
       and ($5::text is null or strpos(concat_ws(' ', first_name_folded, last_name_folded), $5) > 0)
       and ($6::uuid is null or ${beyond})
     order by ${order} limit $7`,
  )
const cursorName = 'select username_folded from user_account where tenant_id = $1 and id = $6'
const lists = {
  createdAt: {
    ascending: listBy('created', 'id', 'id > $6'),
    descending: listBy('created_desc', 'id desc', 'id < $6'),
  },
  username: {
    ascending: listBy('name', 'username_folded', `username_folded > (${cursorName})`),
    descending: listBy('name_desc', 'username_folded desc', `username_folded < (${cursorName})`),
  },
}

/** One page of the users of the tenant, in reading order. */
export async function listUserRows(tx: TenantTx, page: Page): Promise<User[]> {
  const { email, username, enabled, name, cursor, limit } = page
  const statement = lists[page.sort][page.descending ? 'descending' : 'ascending']
  const fold = (text: string | null) => (text === null ? null : folded(text))
  const values = [tx.tenantId, fold(email), fold(username), enabled, fold(name), cursor, limit]
  return (await tx.rows<Row>(statement, values)).map(asUser)
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
