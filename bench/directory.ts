// What do look-ups and pages of filters cost in the database of a tenant with a million users?
// Run: node scripts/with-postgres.ts node bench/directory.ts
// Arguments: how many users; URL of a database that an earlier run has filled. Time is the execution time of EXPLAIN
// ANALYZE: more than 1 ms of a look-up or 10 ms of a page is a failure. `totalResults` of SCIM counts every match and
// is shown beside it.
import { cpus } from 'node:os'
import pg from 'pg'
import { findGroups, findUsers } from '../src/directory/scim/scim-store.ts'
import { listUserRows, selectUser, type UserFilter } from '../src/directory/users/user-store.ts'
import { readListRequest } from '../src/protocols/scim/list-request.ts'
import { positional, type Values } from '../src/store/named-parameters.ts'
import type { PageRequest } from '../src/store/paged-list.ts'
import type { Sql, TenantTx } from '../src/store/store.ts'
import { createDatabase, postgresUrl } from '../test/support/database.ts'

const USERS = Number(process.argv[2] ?? 1_000_000)
const BATCH = 50_000
const RUNS = 6
const LOOKUP_MS = 1
const PAGE_MS = 10
const tenant = '00000000-0000-7000-8000-000000000001'
/** When the newest user was created; one came every 30 s. */
const newest = new Date('2026-05-01T12:00:00.000Z')

const filled = process.argv[3]
if (postgresUrl === null && filled === undefined) throw new Error('run it with scripts/with-postgres.ts')
const url = filled ?? (await createDatabase(postgresUrl ?? ''))
const client = new pg.Client({ connectionString: url })
await client.connect()
console.log(`${cpus()[0]?.model}, ${cpus().length} cores, ${USERS} users of one tenant`)
if (filled === undefined) await fill()

/**
 * One in 1,000 is disabled, one in 10,000 has a role of its own, one in 100 has no external identifier, one in 100 is
 * deleted, one in 200 changed within the last day. Group 1 has a tenth of all, 100 groups have 1,000 each.
 */
async function fill(): Promise<void> {
  console.log(`filling ${url}`)
  await client.query(
    `insert into tenant (id, slug, name, created_at, updated_at) values ($1, 'large', 'Large', now(), now())`,
    [tenant],
  )
  await client.query('alter table user_account disable trigger all')
  // Indexes are made in a fraction of the time that filling them row by row takes.
  const { rows: indexes } = await client.query(
    "select indexname as name, indexdef as text from pg_indexes where tablename = 'user_account' and indexname <> 'user_account_pkey'",
  )
  for (const { name } of indexes) await client.query(`drop index ${name}`)
  await client.query('alter table user_search_piece drop constraint user_search_piece_pkey')
  const made = `
    select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7000' || '8000' || lpad(to_hex(n), 12, '0'))::uuid as id, n, at,
      first, last, lower(first) as first_folded, lower(last) as last_folded, lower(first || '.' || last || '.' || n) as name
    from (select n, $3::timestamptz - (${USERS} - n) * interval '30 seconds' as at,
        (array['Thandi','Pieter','Lerato','Anele','Johan','Naledi','Sipho','Zanele','Ayesha','Willem','Nomsa','Kagiso','Fatima','Musa','Elize'])[1 + n % 15] as first,
        initcap(translate(to_hex((n::bigint * 7919) % 4093 + 65536), '0123456789', 'ghijklmnop')) as last
      from generate_series($1::int, $2::int) n) numbered`
  for (let first = 1; first <= USERS; first += BATCH) {
    await client.query(
      `insert into user_account (tenant_id, id, username, username_folded, email, email_folded, first_name, first_name_folded, last_name,
         last_name_folded, external_identifier, enabled, roles, deleted_at, created_at, updated_at)
       select '${tenant}', id, name, name, name || '@large.example', name || '@large.example', first, first_folded, last, last_folded,
         case when n % 100 <> 7 then 'E' || n end, n % 1000 <> 3, case when n % 10000 = 5 then '{issuer}' else '{}' end::text[],
         case when n % 100 = 9 then at end, at, case when n % 200 = 11 then $3::timestamptz - n * interval '80 ms' else at end
       from (${made}) made`,
      [first, Math.min(USERS, first + BATCH - 1), newest],
    )
  }
  await client.query(
    `insert into user_group (tenant_id, id, display_name, display_name_folded, created_at, updated_at)
     select '${tenant}', ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'Group ' || n, 'group ' || n, $1, $1 from generate_series(1, 101) n`,
    [newest],
  )
  await client.query(
    `insert into user_group_member (tenant_id, group_id, user_id)
     select '${tenant}', ('00000000-0000-7000-8000-' || lpad(to_hex(case when n % 10 = 0 then 1 else 2 + n / 10 % 100 end), 12, '0'))::uuid, id
     from (select id, row_number() over (order by id) as n from user_account) numbered where n % 10 = 0 or n % 10 = 1`,
  )
  await client.query(
    'insert into user_search_piece select tenant_id, piece, id from user_account, unnest(search_pieces(user_account)) as piece',
  )
  await client.query("set maintenance_work_mem = '1GB'")
  for (const { text } of indexes) await client.query(text)
  await client.query('alter table user_search_piece add primary key (tenant_id, piece, user_id)')
  await client.query('alter table user_account enable trigger all')
  await client.query('vacuum analyze user_account, user_search_piece, user_group, user_group_member')
}

const { rows: some } = await client.query(
  'select id, username, email, external_identifier from user_account where deleted_at is null and external_identifier is not null order by id offset $1 limit 1',
  [Math.floor(USERS / 2)],
)
const [middle] = some
const page: PageRequest = { size: 100, after: null, before: null, sort: { field: 'createdAt' }, readDescending: true }
const byName: PageRequest = { ...page, sort: { field: 'username' }, readDescending: false }
const at = (back: number) => new Date(newest.getTime() - back * 86_400_000).toISOString()

type Ask = (tx: TenantTx) => Promise<unknown>
type Question = readonly [what: string, budgetMs: number, ask: Ask]

const lookups: Question[] = [
  ['id', 'id', middle.id],
  ['username', 'username', middle.username.toUpperCase()],
  ['e-mail address', 'email', middle.email],
  ['external identifier', 'externalIdentifier', middle.external_identifier],
  ['external identifier of none', 'externalIdentifier', 'nobody'],
].map(([what, key, value]) => [`look-up: ${what}`, LOOKUP_MS, (tx) => selectUser(tx, key as 'id', value)])

const filters: readonly UserFilter[] = [
  {},
  { enabled: 'true' },
  { enabled: 'false' },
  { role: 'issuer' },
  { role: 'holder' },
  { role: 'owner' },
  ...['thandi', 'an', 'e', 'q', 'a h', 'lerato haff', 'haff', 'xyzzy'].map((name) => ({ name })),
  { name: 'thandi', enabled: 'false' },
  { name: 'thandi', role: 'issuer' },
  { role: 'holder', enabled: 'false' },
  { deleted: 'true' },
  { deleted: 'true', name: 'lerato haff' },
  { deleted: 'true', name: 'thandi' },
  { email: middle.email },
  { username: middle.username },
  { deleted: 'true', email: middle.email },
]
const pages: readonly (readonly [string, PageRequest])[] = [
  ['created', page],
  ['created, middle', { ...page, after: middle.id }],
  ['username', byName],
  ['username, middle', { ...byName, after: middle.id }],
  ['username, backwards', { ...byName, before: middle.id, readDescending: true }],
]
const scim = (filter: string, more: object = {}) => {
  const request = readListRequest({ ...(filter !== '' && { filter }), cursor: '', count: '100', ...more })
  return (tx: TenantTx) => findUsers(tx, request)
}

/** Values of an attribute: of one user, of many, of none. */
const texts: Readonly<Record<string, readonly string[]>> = {
  userName: [middle.username, 'thandi', 'an', 'e', 'haff', 'xyzzy', '99999', 'z', 'b'],
  emails: [middle.email, '@large.example', '9@large.example', '@other.example', 'zanele', 'e'],
  'name.givenName': ['Thandi', 'an', 'Lerat', 'i', 'nobody'],
  'name.familyName': ['haff', 'Haffg', 'a', 'h', 'nobody'],
  'name.formatted': ['Thandi H', 'Lerato Haffg', 'o h', 'nobody'],
  displayName: ['Thandi Haffg', 'Thandi', 'e', 'z', 'nobody'],
  externalId: [middle.external_identifier, 'E99', '999', 'E', 'X'],
  id: [middle.id, '019a', 'ff', '0'],
  'emails.type': ['work', 'home', 'o'],
}
const times = [at(0.1), at(1), at(100)]
const group = (n: string) => `00000000-0000-7000-8000-0000000000${n}`
const sets: Readonly<Record<string, readonly string[]>> = {
  roles: ['issuer', 'holder', 'owner', 'king'],
  groups: [group('01'), group('03'), group('ff'), 'x'],
}
const operators = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const
const compared = (name: string, operator: string, values: readonly string[]) =>
  values.map((value) => `${name} ${operator} "${value}"`)
const cells = (name: string, allowed: readonly string[], values: readonly string[]) => [
  ...operators.map((one) => (allowed.includes(one) ? compared(name, one, values) : [])),
  [`${name} pr`, `not (${name} pr)`],
]
const table: readonly (readonly [name: string, cells: readonly (readonly string[])[]])[] = [
  ...Object.entries(texts).map(([name, values]) => [name, cells(name, operators, values)] as const),
  ...['meta.created', 'meta.lastModified'].map(
    (name) => [name, cells(name, ['eq', 'ne', 'gt', 'ge', 'lt', 'le'], times)] as const,
  ),
  ...Object.entries(sets).map(([name, values]) => [name, cells(name, ['eq', 'ne'], values)] as const),
  [
    'active',
    [['active eq true', 'active eq false'], ['active ne true', 'active ne false'], ...Array(7).fill([]), ['active pr']],
  ],
]
const mixed = [
  'userName sw "thandi" and active eq false',
  'active eq false and groups.value eq "00000000-0000-7000-8000-000000000001"',
  'name.givenName eq "Thandi" and name.familyName eq "Haffg"',
  'userName co "a" and emails co "e" and displayName co "i"',
  'userName co "a" or emails ew "x"',
  'userName co "haff" or userName co "hgff"',
  `userName eq "${middle.username}" or externalId eq "E77"`,
  Array.from({ length: 50 }, (_, n) => `externalId eq "E${n * 100 + 11}"`).join(' or '),
  Array.from({ length: 50 }, (_, n) => `userName co "${'abcdefghij'[n % 10]}"`).join(' or '),
  'not (userName co "a")',
  'not (userName co "a" or userName co "e" or userName co "i")',
  'active eq true and not (groups pr) and not (roles pr)',
  'emails[type eq "work" and value ew "9@large.example"]',
  `meta.created gt "${at(100)}" and meta.created lt "${at(99)}" and userName sw "th"`,
  `meta.lastModified gt "${at(1)}" and active eq false`,
  'userName gt "m" and userName lt "n" and name.familyName co "zz"',
  'groups.value eq "00000000-0000-7000-8000-000000000001" and userName co "lerato"',
  'title pr',
  'title ne "x"',
  'meta.resourceType eq "Group"',
]
const sorts = [
  'userName',
  'name.givenName',
  'name.familyName',
  'displayName',
  'emails',
  'externalId',
  'meta.created',
  'meta.lastModified',
  'id',
]

let failures = 0
let lsn = '0/0'
for (const [what, budgetMs, ask] of lookups) show(what, await worst([ask]), budgetMs)
for (const filter of filters) {
  const found: string[] = []
  for (const [, request] of pages) found.push(await cell([(tx) => listUserRows(tx, request, filter)]))
  console.log(`| ${JSON.stringify(filter).replaceAll('"', '')} | ${found.join(' | ')} |`)
}
console.log(`\n| SCIM | ${operators.join(' | ')} | pr |\n|${' --- |'.repeat(11)}`)
for (const [name, row] of table) {
  const found: string[] = []
  for (const one of row) found.push(await cell(one.map((filter) => scim(filter))))
  console.log(`| ${name} | ${found.join(' | ')} |`)
}
for (const filter of ['', ...mixed]) show(`SCIM: ${filter.slice(0, 90)}`, await worst([scim(filter)]), PAGE_MS)
for (const sortBy of sorts) {
  for (const sortOrder of ['ascending', 'descending']) {
    const asked = ['', 'userName co "thandi"', 'active eq false', 'name.familyName eq "haff"']
    show(`SCIM: by ${sortBy}, ${sortOrder}`, await worst(asked.map((one) => scim(one, { sortBy, sortOrder }))), PAGE_MS)
  }
}
for (const filter of [
  '',
  'displayName eq "Group 7"',
  'displayName co "7"',
  `members.value eq "${middle.id}"`,
  'members pr',
]) {
  const request = readListRequest({ ...(filter !== '' && { filter }), cursor: '', count: '100' })
  show(`SCIM groups: ${filter || 'all'}`, await worst([(tx) => findGroups(tx, request)]), PAGE_MS)
}
const byIndex = { cursor: undefined, startIndex: '1' }
for (const filter of [
  '',
  'userName eq "nobody"',
  'userName sw "lerato.haff"',
  'active eq false',
  'groups.value eq "00000000-0000-7000-8000-000000000003"',
]) {
  show(
    `SCIM by index, with totalResults: ${filter || 'all'}`,
    await worst([scim(filter, byIndex)]),
    Number.POSITIVE_INFINITY,
  )
}
show(
  'SCIM by index, the last page',
  await worst([scim('', { ...byIndex, startIndex: String(USERS * 0.98) })]),
  Number.POSITIVE_INFINITY,
)
await writes()
const { rows: sizes } = await client.query(
  `select relname as name, pg_table_size(oid) as rows, pg_indexes_size(oid) as indexes from pg_class where relname in ('user_account', 'user_search_piece')`,
)
for (const { name, rows, indexes } of sizes) {
  console.log(`${name}: ${Math.round(rows / USERS)} bytes a user, its indexes ${Math.round(indexes / USERS)}`)
}
await client.end()
console.log(`${failures} too slow: ${LOOKUP_MS} ms a look-up, ${PAGE_MS} ms a page`)
if (failures > 0) process.exitCode = 1

function show(what: string, ms: number, budgetMs: number): void {
  if (ms > budgetMs) failures += 1
  console.log(`${what.padEnd(100)} ${ms.toFixed(2).padStart(9)} ms${ms > budgetMs ? '   TOO MUCH' : ''}`)
}

/**
 * What a new user costs: all in all, without the pieces of its texts, and without the indexes of lists and filters too.
 */
async function writes(): Promise<void> {
  await client.query('begin')
  await client.query("select set_config('chirograph.tenant_id', $1, true)", [tenant])
  await creation('create a user')
  await client.query('alter table user_account disable trigger user')
  await creation('create a user, without pieces')
  await client.query(
    `do $$ declare one record; begin for one in select indexname from pg_indexes where tablename = 'user_account'
       and indexname not in ('user_account_pkey', 'user_account_username', 'user_account_email', 'user_account_external_identifier')
       loop execute format('drop index %I', one.indexname); end loop; end $$`,
  )
  await creation('create a user, with the indexes of look-ups alone')
  await client.query('rollback')
}

async function creation(what: string): Promise<void> {
  const runs: { ms: number; wal: number }[] = []
  for (let n = 0; n < 200; n += 1) {
    const name = `nomsa.new.${what.length}.${n * 7919}`
    const { rows: explained } = await client.query(
      `explain (analyze, wal, format json) insert into user_account (tenant_id, id, username, username_folded, email, email_folded, first_name,
         first_name_folded, last_name, last_name_folded, external_identifier, enabled, created_at, updated_at)
       values ($1, gen_random_uuid(), $2, $2, $3, $3, 'Nomsa', 'nomsa', 'Haffg', 'haffg', $2, true, now(), now())`,
      [tenant, name, `${name}@large.example`],
    )
    const [plan] = explained[0]['QUERY PLAN']
    const { rows: wal } = await client.query(
      'select pg_current_wal_insert_lsn() - $1::pg_lsn as bytes, pg_current_wal_insert_lsn() as lsn',
      [lsn],
    )
    runs.push({ ms: plan['Execution Time'], wal: Number(wal[0].bytes) })
    lsn = wal[0].lsn
  }
  const middleOf = (values: readonly number[]) => values.toSorted((one, other) => one - other)[values.length / 2] ?? 0
  const [ms, bytes] = [middleOf(runs.map((one) => one.ms)), middleOf(runs.map((one) => one.wal))]
  console.log(`${what.padEnd(60)} ${ms.toFixed(2)} ms, ${bytes.toFixed(0)} bytes of WAL`)
}

async function cell(asks: readonly Ask[]): Promise<string> {
  if (asks.length === 0) return '-'
  const ms = await worst(asks)
  if (ms > PAGE_MS) failures += 1
  return ms > PAGE_MS ? `**${ms.toFixed(1)}**` : ms.toFixed(1)
}

/** The slowest of some. */
async function worst(asks: readonly Ask[]): Promise<number> {
  let most = 0
  for (const ask of asks) most = Math.max(most, await timeOf(ask))
  return most
}

/** Milliseconds in the database, hot: the fastest of some runs, since other programs of the machine only add to it. */
async function timeOf(ask: Ask): Promise<number> {
  const runs: number[] = []
  for (let run = 0; run < RUNS; run += 1) runs.push(await run1(ask))
  return Math.min(...runs)
}

async function run1(ask: Ask): Promise<number> {
  let spent = 0
  const rows = async (statement: Sql, values: Values = []) => {
    const { name, text } = statement
    const explained = await client.query({
      text: `explain (analyze, format json) ${text}`,
      values: [...positional(statement, values)],
    })
    const [
      {
        'QUERY PLAN': [plan],
      },
    ] = explained.rows
    spent += plan['Execution Time'] + (name === '' ? plan['Planning Time'] : 0)
    if (process.env.SHOW) console.log(text, values, JSON.stringify(plan, null, 1))
    return (await client.query({ text, values: [...positional(statement, values)] })).rows
  }
  await client.query('begin')
  await client.query(
    `select set_config('role', 'chirograph_app', true), set_config('chirograph.tenant_id', $1, true)`,
    [tenant],
  )
  // As much of a transaction as the lists need.
  await ask({ tenantId: tenant, rows } as unknown as TenantTx)
  await client.query('commit')
  return spent
}
