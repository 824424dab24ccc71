// The sweeps that look for lost jobs read the rows that are due, by an index, and write them in pieces.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import type { TenantId } from '../src/caller.ts'
import { schedules } from '../src/contributions.ts'
import { newId } from '../src/store/row-id.ts'
import { sql } from '../src/store/store.ts'
import { resumeOrders } from '../src/wallet/offers/jobs.ts'
import { dropDatabase, openTestDatabase, postgresUrl } from './support/database.ts'
import { platformOn } from './support/platform.ts'
import { until } from './support/until.ts'

const skip = postgresUrl === null && 'there are no figures of plans without a PostgreSQL server'

const TENANTS = 20
const ROWS = 20_000
/** Of them, so many are due. */
const DUE = 4
/** A row that is due is read a few times: to find its tenant, to find it, to change it. */
const READ_MAX = 100

const tenantOf = `('00000000-0000-4000-8000-' || lpad((1 + n % ${TENANTS})::text, 12, '0'))::uuid`
const time = `case when n % ${ROWS / DUE} = 0 then now() - interval '1 hour'`

/** The rows of each sweep: n counts them. */
const filled = {
  'wallet.resume-orders': {
    table: 'wallet_deferred',
    columns: 'id, user_id, sealed_work, drop_at, created_at, claim, lease_until',
    values: `id, id, '', now() + interval '1 day', now(), id, ${time} else now() + interval '1 hour' end`,
  },
  'wallet.resume-deliveries': {
    table: 'wallet_delivery',
    columns:
      'id, user_id, kind, status, identifier_type, sealed_recipient, sealed_parcel, claim, lease_until, created_at, updated_at',
    values: `id, id, 'credential', 'delivering', 'username', '', '', id, ${time} else now() + interval '1 hour' end, now(), now()`,
  },
  'wallet.resume-notifications': {
    table: 'wallet_notification',
    columns: 'id, credential_id, endpoint, sealed_access, drop_at, queued_at',
    values: `id, id, 'https://issuer.example', '', now() + interval '1 day', ${time} end`,
  },
  'wallet.resume-images': {
    table: 'wallet_credential_display',
    columns: 'credential_id, display, valid_from, images_due_at',
    values: `id, '{}', now(), ${time} end`,
  },
  'authorization.resume-session-ends': {
    table: 'token_family',
    columns:
      'id, issuer, client_id, user_id, session_id, scopes, authenticated_at, methods, created_at, expires_at, ended_at',
    values: `id, 'https://issuer.example', 'app', id, id, '{}', now(), '{}', now(), now() + interval '1 day', ${time} end`,
  },
} as const

test('a sweep for lost jobs reads no more than the rows that are due', { skip }, async (t) => {
  const db = await openTestDatabase()
  const client = new pg.Client({ connectionString: db.url ?? '' })
  await client.connect()
  t.after(async () => {
    await client.end()
    await dropDatabase(db.url ?? '')
  })
  // Rows of a table without those that they refer to, and of every tenant.
  await client.query('set session_replication_role = replica')
  for (const { table, columns, values } of Object.values(filled)) {
    await client.query(`alter table ${table} no force row level security`)
    await client.query(
      `insert into ${table} (tenant_id, ${columns}) select ${tenantOf}, ${values} from (select n, gen_random_uuid() as id from generate_series(1, ${ROWS}) n) rows`,
    )
    await client.query(`alter table ${table} force row level security`)
    await client.query(`analyze ${table}`)
  }
  await client.query(
    `insert into tenant (id, slug, name, created_at, updated_at) select ${tenantOf}, 't' || n, 't', now(), now() from generate_series(1, ${TENANTS}) n`,
  )
  await client.query('select pg_stat_reset()')
  const platform = platformOn({ store: db.store })
  for (const name of Object.keys(filled)) {
    const schedule = schedules.find((one) => one.name === name) ?? assert.fail(name)
    await schedule.run(platform, new AbortController().signal)
  }
  // Sessions report their statistics when they end.
  await db.store.close()
  const others = `select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`
  await until(async () => (await client.query(others)).rowCount === 0)
  const jobs = await client.query('select count(*)::int as count from job group by name')
  assert.deepEqual(
    jobs.rows.map(({ count }) => count),
    Object.keys(filled).map(() => DUE),
  )
  const { rows } = await client.query(
    `select relname, seq_tup_read::int as seq, coalesce((select sum(idx_tup_read)::int from pg_stat_user_indexes i where i.relid = t.relid), 0) as idx
     from pg_stat_user_tables t where relname = any($1) order by 1`,
    [Object.values(filled).map(({ table }) => table)],
  )
  assert.equal(rows.length, Object.keys(filled).length)
  const tooMuch = rows.filter(({ seq, idx }) => seq > 0 || idx > READ_MAX || idx === 0)
  assert.deepEqual(tooMuch, [])
})

const insertTenant = sql(
  'test.sweep_plans.tenant',
  `insert into tenant (id, slug, name, created_at, updated_at) values ($1, 'many', 'Many', now(), now())`,
)
const insertUser = sql(
  'test.sweep_plans.user',
  `insert into user_account (tenant_id, id, username, username_folded, enabled, created_at, updated_at) values ($1, $2, 'u', 'u', true, now(), now())`,
)
const insertOrders = sql(
  'test.sweep_plans.orders',
  `insert into wallet_deferred (tenant_id, id, user_id, sealed_work, drop_at, created_at, claim, lease_until)
   select $1, id, $2, '', now() + interval '1 day', now(), id, now() - interval '1 hour' from (select gen_random_uuid() as id from generate_series(1, 2500)) rows
   returning id`,
)
const countPieces = sql(
  'test.sweep_plans.pieces',
  `select count(*)::int as jobs, count(distinct xmin::text)::int as transactions from job where tenant_id = $1`,
)

test('2,500 orders of one tenant that are due get their jobs in three transactions, each its job once', async () => {
  const db = await openTestDatabase()
  const tenantId = newId() as TenantId
  const userId = newId()
  await db.store.across('test set-up', (tx) => tx.rows(insertTenant, [tenantId]))
  await db.store.inTenant(tenantId, async (tx) => {
    await tx.rows(insertUser, [tenantId, userId])
    await tx.rows(insertOrders, [tenantId, userId])
  })
  for (let times = 0; times < 2; times += 1) {
    await resumeOrders(platformOn({ store: db.store }), new AbortController().signal)
    const [found] = await db.store.single(tenantId, (tx) => tx.rows(countPieces, [tenantId]))
    assert.deepEqual(found, { jobs: 2500, transactions: 3 })
  }
  await db.close()
})
