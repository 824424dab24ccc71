import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createDatabase, postgresUrl } from '../../../test/support/database.ts'
import { hasPgBouncer, type PgBouncer, startPgBouncer } from '../../../test/support/pgbouncer.ts'
import type { TenantId } from '../../caller.ts'
import { openStore } from '../opening/open-store.ts'
import { newId } from '../row-id.ts'
import { sql } from '../store.ts'

const skip = postgresUrl === null ? 'needs a PostgreSQL server' : !hasPgBouncer && 'needs PgBouncer'
const setting = sql(
  'test.proxy_tenant',
  `select current_setting('chirograph.tenant_id') as id, pg_sleep(0.002)::text as slept`,
)

let target = ''
let pooling: PgBouncer
let lending: PgBouncer
before(async () => {
  if (skip !== false) return
  target = await createDatabase(postgresUrl ?? '')
  pooling = await startPgBouncer(target, 'transaction')
  lending = await startPgBouncer(target, 'session')
})
after(async () => {
  await pooling?.stop()
  await lending?.stop()
})

const open = (databaseUrl: string, isPrepared = true) =>
  openStore({ databaseUrl, dataDir: null, poolMax: 5, isPrepared, onIdleError: () => undefined })

test('a proxy that keeps no prepared statements is refused at the start, with the settings that help', {
  skip,
}, async () => {
  const store = await open(pooling.url)
  await assert.rejects(store.migrate(), /max_prepared_statements.*DATABASE_PREPARED=false/)
  await store.close()
})

test('without prepared statements such a proxy serves many tenants, each its own rows', { skip }, async () => {
  const store = await open(pooling.url, false)
  await store.migrate()
  const tenants = Array.from({ length: 60 }, () => newId() as TenantId)
  const ask = (id: TenantId) => store.single(id, (tx) => tx.rows<{ id: string }>(setting))
  const found = await Promise.all(tenants.map(ask))
  assert.deepEqual(
    found.map(([row]) => row?.id),
    tenants,
  )
  await store.inTenant(tenants[0] ?? ('' as TenantId), (tx) => tx.rows(setting))
  await store.close()
})

test('a proxy that lends a session to one client, and no proxy at all, are used with prepared statements', {
  skip,
}, async () => {
  for (const url of [lending.url, target]) {
    const store = await open(url)
    await store.migrate()
    await store.close()
  }
})
