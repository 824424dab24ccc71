// A tenant that is larger than what a page may read: every page is read from indexes within its bound, and the pages
// together have every match.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { openTestDatabase, postgresUrl, type TestDatabase } from '../../../test/support/database.ts'
import { roles, type TenantId } from '../../caller.ts'
import { readListRequest } from '../../protocols/scim/list-request.ts'
import { positional, type Values } from '../../store/named-parameters.ts'
import type { BoundedRows, PageRequest } from '../../store/paged-list.ts'
import { newId } from '../../store/row-id.ts'
import { composedSql, type Sql, type TenantTx } from '../../store/store.ts'
import { findUsers } from '../scim/scim-store.ts'
import type { User } from '../users/user.ts'
import { listUserRows, type UserFilter } from '../users/user-store.ts'
import { ROWS_MAX } from './bounded-page.ts'

const USERS = 5000
const skip = postgresUrl === null ? 'needs PostgreSQL' : false
const tenant = newId() as TenantId
const group = newId()
const names = ['Thandi', 'Pieter', 'Lerato', 'Anele', null]
const roleNames = Object.keys(roles)

const people = Array.from({ length: USERS }, (_, n) => {
  const first = names[n % names.length] ?? null
  const last = n % 7 === 3 ? null : `Q${(n * 7919) % 613}x`
  const username = `${'zyxwvu'[n % 6]}${(n * 104_729) % 100_003}.n${n}`
  return {
    id: newId(),
    n,
    username,
    first,
    last,
    first_folded: first?.toLowerCase(),
    last_folded: last?.toLowerCase(),
    email: n % 3 === 0 ? null : `n${n}@${n % 400 === 1 ? 'other' : 'large'}.example`,
    external: n % 5 === 0 ? null : `E${n}`,
    enabled: n % 4 !== 1,
    role: n % 50 === 7 ? roleNames[n % 7] : null,
    in_group: n % 3 === 1,
    deleted: n % 2 === 1 && n > 3000,
    at: new Date(Date.parse('2026-01-01T00:00:00.000Z') + Math.floor(n / 2) * 1000).toISOString(),
  }
})
type Person = (typeof people)[number]

let db: TestDatabase
let client: pg.Client
before(async () => {
  if (postgresUrl === null) return
  db = await openTestDatabase()
  client = new pg.Client({ connectionString: db.url ?? '' })
  await client.connect()
  await client.query(
    `insert into tenant (id, slug, name, created_at, updated_at) values ($1, 'large', 'L', now(), now())`,
    [tenant],
  )
  await client.query(
    `insert into user_group (tenant_id, id, display_name, display_name_folded, created_at, updated_at) values ($1, $2, 'G', 'g', now(), now())`,
    [tenant, group],
  )
  const json = JSON.stringify(people)
  await client.query(
    `insert into user_account (tenant_id, id, username, username_folded, email, email_folded, first_name, last_name, first_name_folded, last_name_folded,
       external_identifier, enabled, roles, deleted_at, created_at, updated_at)
     select $1, id, username, username, email, email, first, last, first_folded, last_folded, external, enabled,
       case when role is null then '{}' else array[role] end, case when deleted then at end, at, at
     from jsonb_to_recordset($2) as p (id uuid, username text, email text, first text, last text, first_folded text, last_folded text, external text,
       enabled boolean, role text, deleted boolean, at timestamptz)`,
    [tenant, json],
  )
  await client.query(
    `insert into user_group_member select $1, $2, id from jsonb_to_recordset($3) as p (id uuid, in_group boolean) where in_group`,
    [tenant, group, json],
  )
  await client.query('vacuum analyze user_account, user_search_piece, user_group_member')
})
after(async () => {
  await client?.end()
  await db?.close()
})

type Plan = Readonly<Record<string, unknown>> & { readonly Plans?: readonly Plan[] }

/** Runs work as a tenant's transaction and checks what every statement reads. Returns the indexes that were read. */
async function bounded<T>(
  work: (tx: TenantTx) => Promise<T>,
  label: string,
): Promise<{ result: T; indexes: Set<string> }> {
  const indexes = new Set<string>()
  const result = await db.store.inTenant(tenant, (tx) => {
    const rows = async <Row>(statement: Sql, values: Values = []): Promise<Row[]> => {
      const { text } = statement
      const explain = composedSql(`explain (analyze, format json) ${text}`)
      const [explained] = await tx.rows<{ 'QUERY PLAN': readonly { Plan: Plan }[] }>(
        explain,
        positional(statement, values),
      )
      const read = (explained?.['QUERY PLAN'] ?? []).reduce((sum, { Plan: plan }) => sum + rowsRead(plan, indexes), 0)
      assert(read <= ROWS_MAX + 10, `${label} reads ${read} rows: ${text}`)
      return tx.rows<Row>(statement, values)
    }
    return work({ ...tx, rows })
  })
  return { result, indexes }
}

/**
 * Rows that a plan reads, those that a filter removes included; not the one row that a condition looks up for each of
 * them.
 */
function rowsRead(plan: Plan, indexes: Set<string>): number {
  if (plan['Parent Relationship'] === 'SubPlan') return 0
  if (typeof plan['Index Name'] === 'string') indexes.add(plan['Index Name'])
  const own = 'Relation Name' in plan ? Number(plan['Actual Rows']) + Number(plan['Rows Removed by Filter'] ?? 0) : 0
  const below = (plan.Plans ?? []).map((one) => rowsRead(one, indexes))
  return own * Number(plan['Actual Loops']) + below.reduce((sum, one) => sum + one, 0)
}

const present = people.filter(({ deleted }) => !deleted)
const at = people[2000]?.at ?? ''
const some = people[1000]
const byText = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0)

const filters: readonly (readonly [filter: string, matches: (one: Person) => boolean])[] = [
  ['', () => true],
  [`userName eq "${some?.username}"`, (one) => one === some],
  ['userName ne "x"', () => true],
  ['userName co "99"', ({ username }) => username.includes('99')],
  ['userName co "9"', ({ username }) => username.includes('9')],
  ['userName sw "z"', ({ username }) => username.startsWith('z')],
  ['userName ew "77"', ({ username }) => username.endsWith('77')],
  ['userName ew "7.n4777"', ({ username }) => username.endsWith('7.n4777')],
  ['userName gt "x"', ({ username }) => username > 'x'],
  ['userName ge "w" and userName lt "x5"', ({ username }) => username >= 'w' && username < 'x5'],
  ['emails co "@other"', ({ email }) => email?.includes('@other') === true],
  ['emails ew ".example"', ({ email }) => email !== null],
  ['not (emails pr)', ({ email }) => email === null],
  ['name.givenName eq "THANDI"', ({ first }) => first === 'Thandi'],
  ['name.familyName pr', ({ last }) => last !== null],
  ['name.formatted co "o q1"', ({ first, last }) => `${first} ${last}`.includes('o Q1')],
  ['displayName sw "lerato q5"', ({ first, last }) => `${first} ${last}`.startsWith('Lerato Q5')],
  ['externalId co "77"', ({ external }) => external?.includes('77') === true],
  ['externalId eq null', ({ external }) => external === null],
  ['active eq false', ({ enabled }) => !enabled],
  [`meta.created ge "${at}"`, (one) => one.at >= at],
  [`meta.created eq "${at}"`, (one) => one.at === at],
  [`groups.value eq "${group}"`, (one) => one.in_group],
  ['not (groups pr)', (one) => !one.in_group],
  ['roles.value eq "owner"', ({ role }) => role === 'owner'],
  ['roles pr', ({ role }) => role !== null],
  [
    `groups.value eq "${group}" and active eq false and userName co "1"`,
    (one) => one.in_group && !one.enabled && one.username.includes('1'),
  ],
  [
    'userName co "99" or emails co "@other"',
    ({ username, email }) => username.includes('99') || email?.includes('@other') === true,
  ],
  ['userName co "99" or active eq true', ({ username, enabled }) => username.includes('99') || enabled],
  [
    'externalId eq "E11" or externalId eq "E12" or externalId eq "x"',
    ({ external }) => external === 'E11' || external === 'E12',
  ],
  ['not (userName co "1" or userName co "2")', ({ username }) => !/[12]/.test(username)],
  ['title pr', () => false],
]

test('every filter is paged by cursor within the bound of a page, and loses and repeats no user', {
  skip,
}, async () => {
  for (const [filter, matches] of filters) {
    const found = await pagesOf({ ...(filter !== '' && { filter }) })
    assert.deepEqual(
      found.map(({ id }) => id).sort(),
      present
        .filter(matches)
        .map(({ id }) => id)
        .sort(),
      filter,
    )
  }
})

test('every sort order with an index is paged by cursor, users without a value last or, descending, first', {
  skip,
}, async () => {
  const keys: Readonly<Record<string, (one: Person) => string | null>> = {
    userName: ({ username }) => username,
    emails: ({ email }) => email,
    externalId: ({ external }) => external,
    'name.givenName': ({ first_folded = null }) => first_folded,
    'name.familyName': ({ last_folded = null }) => last_folded,
    'meta.created': (one) => one.at,
    'meta.lastModified': (one) => one.at,
    id: ({ id }) => id,
  }
  for (const [sortBy, keyOf] of Object.entries(keys)) {
    for (const filter of sortBy === 'id' || sortBy === 'userName' ? [''] : ['active eq false', 'userName co "99"']) {
      const matches = filters.find(([one]) => one === filter)?.[1]
      const sorted = present
        .filter((one) => matches?.(one) === true)
        .toSorted(
          (one, other) => byText(keyOf(one) ?? '\u{10ffff}', keyOf(other) ?? '\u{10ffff}') || byText(one.id, other.id),
        )
        .map(({ id }) => id)
      for (const sortOrder of ['ascending', 'descending']) {
        const found = await pagesOf({ sortBy, sortOrder, ...(filter !== '' && { filter }) })
        const expected = sortOrder === 'ascending' ? sorted : sorted.toReversed()
        assert.deepEqual(
          found.map(({ id }) => id),
          expected,
          `${sortBy} ${sortOrder} ${filter}`,
        )
      }
    }
  }
  await assert.rejects(pagesOf({ sortBy: 'active' }), { code: 'scim.too_many' })
})

async function pagesOf(members: Readonly<Record<string, string>>): Promise<{ readonly id: string }[]> {
  const found: { readonly id: string }[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const request = readListRequest({ ...members, cursor, count: '200' })
    const { result } = await bounded((tx) => findUsers(tx, request), JSON.stringify(members))
    found.push(...result.rows)
    cursor = result.nextCursor
  }
  return found
}

const lists: readonly (readonly [filter: UserFilter, matches: (one: Person) => boolean])[] = [
  [{}, ({ deleted }) => !deleted],
  [{ enabled: 'false' }, ({ deleted, enabled }) => !deleted && !enabled],
  [{ role: 'auditor' }, ({ deleted, role }) => !deleted && role === 'auditor'],
  [{ name: 'thandi' }, ({ deleted, first }) => !deleted && first === 'Thandi'],
  [{ name: 'o q12' }, ({ deleted, first, last }) => !deleted && `${first} ${last}`.includes('o Q12')],
  [
    { name: 'e', role: 'owner' },
    ({ deleted, first, role }) => !deleted && first?.includes('e') === true && role === 'owner',
  ],
  [{ deleted: 'true' }, ({ deleted }) => deleted],
  [{ deleted: 'true', name: 'anele' }, ({ deleted, first }) => deleted && first === 'Anele'],
  [{ email: some?.email ?? '' }, (one) => one === some],
]

test('every filter of the list of users is paged within the bound of a page, in both orders', { skip }, async () => {
  for (const [filter, matches] of lists) {
    const expected = people.filter(matches).toSorted((one, other) => byText(one.id, other.id))
    for (const field of ['createdAt', 'username']) {
      const sorted =
        field === 'createdAt' ? expected : expected.toSorted((one, other) => byText(one.username, other.username))
      for (const readDescending of [field === 'createdAt']) {
        const label = `${JSON.stringify(filter)} ${field} ${readDescending}`
        const found: string[] = []
        for (let after: string | null | undefined = null; after !== undefined; ) {
          const page: PageRequest = { size: 100, after, before: null, sort: { field }, readDescending }
          const { result }: { result: BoundedRows<User> } = await bounded((tx) => listUserRows(tx, page, filter), label)
          const rows = result.rows.slice(0, 100)
          found.push(...rows.map(({ id }) => id))
          after = result.rows.length > 100 ? rows.at(-1)?.id : (result.continuesAfter ?? undefined)
        }
        const ids = sorted.map(({ id }) => id)
        const total = { counted: null }
        const first: PageRequest = { size: 1, after: null, before: null, sort: { field }, readDescending, total }
        await bounded((tx) => listUserRows(tx, first, filter), `${label} total`)
        assertCounted(total.counted, ids.length, label)
        assert.deepEqual(found, readDescending ? ids.toReversed() : ids, label)
      }
    }
  }
})

/**
 * A total is right, or says that there are more than a thousand, or is not known where that would need more rows than a
 * page reads.
 */
function assertCounted(counted: number | null, matches: number, label: string): void {
  if (counted === null) assert(matches > 0, label)
  else assert(counted > 1000 ? matches > 1000 : counted === matches, `${label}: ${counted} of ${matches}`)
}

test('each role has an index in both orders, and a list by role reads no other users', { skip }, async () => {
  for (const role of roleNames) {
    for (const field of ['createdAt', 'username']) {
      const page = { size: 100, after: null, before: null, sort: { field }, readDescending: false }
      const { indexes } = await bounded((tx) => listUserRows(tx, page, { role }), role)
      const name = `user_account_role_${role.replace('-', '_')}${field === 'username' ? '_username' : ''}`
      assert.deepEqual([...indexes], [name], role)
    }
  }
})

test('pages by index count what few users match', { skip }, async () => {
  const found = await bounded(
    (tx) => findUsers(tx, readListRequest({ filter: 'roles.value eq "owner"', count: '5' })),
    'index',
  )
  const owners = present.filter(({ role }) => role === 'owner')
  assert.deepEqual([found.result.total, found.result.rows.length], [owners.length, 5])
})
