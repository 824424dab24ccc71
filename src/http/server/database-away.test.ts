import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { createDatabase, postgresUrl } from '../../../test/support/database.ts'
import { type LossyDatabase, lossyDatabase } from '../../../test/support/lossy-database.ts'
import { type Api, type Deployment, deploy, type Reply } from '../../../test/support/server.ts'

const skip = postgresUrl === null ? 'needs a PostgreSQL server' : false
let url: string
let lossy: LossyDatabase
let server: Deployment
let backend: Api
before(async () => {
  if (postgresUrl === null) return
  url = await createDatabase(postgresUrl)
  lossy = await lossyDatabase(url)
  server = await deploy({}, { DATABASE_URL: lossy.url, LOG_LEVEL: 'silent' })
  backend = await server.backend('acme')
})
after(async () => {
  lossy?.comeBack()
  await server?.stop()
  await lossy?.close()
})

const list = () => backend.get('/creds/credentials')
const token = () =>
  server.nobody.form('/auth/token', {
    grant_type: 'client_credentials',
    client_id: 'acme-idle',
    client_secret: 'a-wrong-secret-of-some-length-000000',
  })

function assertApiUnavailable({ status, headers, body }: Reply): void {
  assert.equal(status, 503)
  assert.ok(Number(headers.get('retry-after')) > 0)
  assert.equal(body.errors[0].code, 'UNAVAILABLE')
}

test('a lost response of the database is 503 with Retry-After, and the next request is served', { skip }, async () => {
  for (const what of ['request', 'answer'] as const) {
    assert.equal((await list()).status, 200)
    const lost = lossy.lose(what, { statement: lossy.statements.findLast((one) => one.startsWith('issuance.')) ?? '' })
    assertApiUnavailable(await list())
    await lost
    assert.equal((await list()).status, 200)
  }
})

test('a transaction that PostgreSQL ends because of another one is 503, not 500, after one more attempt', {
  skip,
}, async () => {
  const database = new pg.Client({ connectionString: url })
  await database.connect()
  // As after a deadlock. A sequence counts what is rolled back too.
  await database.query(`create sequence attempts`)
  await database.query('grant usage on sequence attempts to public')
  await database.query(`create function end_it() returns trigger language plpgsql as
    $$ begin perform nextval('attempts'); raise exception using errcode = tg_argv[0]; end $$`)
  const attempts = async () => (await database.query('select last_value::int as n from attempts')).rows[0].n
  try {
    for (const code of ['40P01', '40001']) {
      for (const table of ['credential_template', 'shared_count'])
        await database.query(
          `create or replace trigger end_it before insert on ${table} for each row execute function end_it('${code}')`,
        )
      const template = { name: 'Card', code: 'card', attributes: { given_name: { type: 'string' } } }
      assertApiUnavailable(await backend.post('/creds/templates/credentials', template))
      const before = await attempts()
      const { status, headers, body } = await token()
      assert.deepEqual([status, body.error], [503, 'temporarily_unavailable'])
      assert.ok(Number(headers.get('retry-after')) > 0)
      assert.equal((await attempts()) - before, 2)
    }
  } finally {
    for (const table of ['credential_template', 'shared_count'])
      await database.query(`drop trigger if exists end_it on ${table}`)
    await database.end()
  }
})

test('while the database is down the API responds 503, and OAuth clients get temporarily_unavailable', {
  skip,
}, async () => {
  lossy.goDown()
  assertApiUnavailable(await list())
  const { status, headers, body } = await token()
  assert.equal(status, 503)
  assert.equal(body.error, 'temporarily_unavailable')
  assert.ok(Number(headers.get('retry-after')) > 0)
  lossy.comeBack()
  assert.equal((await list()).status, 200)
  assert.equal((await token()).status, 401)
})
