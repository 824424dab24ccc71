import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { postgresUrl } from '../../../test/support/database.ts'
import { type OpenSsl, openSsl } from '../../../test/support/openssl.ts'
import { type PostgresServer, startPostgres } from '../../../test/support/postgres.ts'
import type { TenantId } from '../../caller.ts'
import { DatabaseUnavailable } from '../database-unavailable.ts'
import { openStore } from '../opening/open-store.ts'
import { sql } from '../store.ts'

const acme = '00000000-0000-7000-8000-00000000000a' as TenantId
const rows = sql('test.rows', `select n, repeat('x', 100000) as long from generate_series(1, 3) n`)
const countEncrypted = `select count(*)::int as all, count(*) filter (where ssl)::int as encrypted
  from pg_stat_ssl join pg_stat_activity using (pid) where backend_type = 'client backend' and pid <> pg_backend_pid()`

const skip = postgresUrl === null
let tool: OpenSsl
let server: PostgresServer
before(async () => {
  if (skip) return
  tool = openSsl()
  const args = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']
  tool.run(...args, '-subj', '/CN=db', '-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', 'key.pem', '-out', 'db.pem')
  server = await startPostgres({ tls: { certificate: tool.read('db.pem'), key: tool.read('key.pem') } })
})
after(async () => {
  if (skip) return
  await server.stop()
  tool.close()
})

function open(settings: string) {
  return openStore({ databaseUrl: `${server.url}?${settings}`, dataDir: null, poolMax: 4, onIdleError: assert.fail })
}

test('a database with the expected certificate is used over TLS, on every connection', {
  skip,
}, async () => {
  const store = await open(`sslmode=verify-full&sslrootcert=${tool.path('db.pem')}`)
  try {
    await store.migrate()
    const backends = Array.from({ length: 12 }, () =>
      store.single(acme, (tx) => tx.rows<{ n: number; long: string }>(rows)),
    )
    for (const found of await Promise.all(backends)) {
      assert.deepEqual(
        found,
        [1, 2, 3].map((n) => ({ n, long: 'x'.repeat(100_000) })),
      )
    }
    const watch = new pg.Client({ connectionString: server.url })
    await watch.connect()
    const [{ all, encrypted }] = (await watch.query(countEncrypted)).rows
    await watch.end()
    assert(all > 1)
    assert.equal(encrypted, all)
  } finally {
    await store.close()
  }
})

test('a database with another certificate is refused', { skip }, async () => {
  const store = await open('sslmode=verify-full')
  await assert.rejects(
    store.single(acme, (tx) => tx.rows(rows)),
    (error: Error) => {
      assert.equal((error.cause as { code?: string }).code, 'DEPTH_ZERO_SELF_SIGNED_CERT')
      return error instanceof DatabaseUnavailable
    },
  )
  await store.close()
})
