// Issuances are found by the words of the name on their card.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { openTestDatabase, postgresUrl, type TestDatabase } from '../../../test/support/database.ts'
import { until } from '../../../test/support/until.ts'
import { startWorker } from '../../jobs/worker.ts'
import { positional, type Values } from '../../store/named-parameters.ts'
import { composedSql, type Sql, sql, type TenantTx } from '../../store/store.ts'
import { batchJobs } from '../batches/jobs.ts'
import { listIssuances } from '../issuances/issuance-list-store.ts'
import { issuanceSchedules } from '../issuances/jobs.ts'
import { anIssuer, anOffer, aTemplate, type Issuer, noDeliveries, redeem, someClaims } from '../test-support/issuer.ts'
import { nameWordMacs } from './name-words.ts'

let db: TestDatabase
let issuer: Issuer
before(async () => {
  db = await openTestDatabase()
  issuer = await anIssuer(db)
})
after(async () => {
  await issuer.server.close(0)
  await db.close()
})

const named = { label: ['/given_name', '/degree'] }
const to = (given_name: string) => ({ attributes: { ...someClaims, given_name } })
const selectWords = sql(
  'test.names.words',
  'select word_mac from issuance_name_word where tenant_id = $1 and issuance_id = $2',
)

async function find(name: string, tenant = issuer.tenant): Promise<string[]> {
  const path = `/credentials/issuance?search[name]=${encodeURIComponent(name)}&page[total]=true`
  const { status, body } = await issuer.api('GET', path, undefined, tenant)
  assert.equal(status, 200, JSON.stringify(body))
  assert.equal(body.meta.page.total.count, body.data.length)
  return body.data.map(({ id }: { id: string }) => id)
}

async function wordsOf(id: string): Promise<number> {
  const { id: tenantId } = issuer.tenant
  return (await db.store.single(tenantId, (tx) => tx.rows(selectWords, [tenantId, id]))).length
}

test('an issuance is found by all words that are asked for, in any order and spelling, and by no other claim', async () => {
  const { issuance: zoe } = await anOffer(issuer, named, to('Zoë Müller-Őry'))
  const { issuance: other } = await anOffer(issuer, named, to('Zoë Schmidt'))
  for (const q of ['zoe mueller', 'ŐRY ZOE', 'Müller', 'muller bsc', 'Zoë Müller-Őry BSc']) {
    assert.deepEqual(await find(q), [zoe.id], q)
  }
  assert.deepEqual(await find('ZOË'), [other.id, zoe.id])
  for (const q of ['mull', 'Zoe Muller Schmidt', 'Pretoria', 'ZA', '-', '%']) {
    assert.deepEqual(await find(q), [], q)
  }
})

test('a name finds the issuances of the own tenant alone', async () => {
  const other = await issuer.anotherTenant()
  const { issuance: own } = await anOffer(issuer, named, to('Nomvula'))
  const { issuance: theirs } = await anOffer(issuer, named, to('Nomvula'), other)
  assert.deepEqual(await find('nomvula'), [own.id])
  assert.deepEqual(await find('nomvula', other), [theirs.id])
  const macs = await Promise.all(
    [issuer.tenant, other].map(({ id }) => nameWordMacs(issuer.platform.sealing, id, 'Nomvula')),
  )
  assert.notDeepEqual(macs[0], macs[1])
})

test('items of a batch are found as single ones', async () => {
  const { body: template } = await issuer.api('POST', '/templates/credentials', aTemplate(named))
  const items = ['Ayanda', 'Bongani', 'Ayanda Bongani'].map(to)
  const path = '/credentials/issuance/batch'
  const { body } = await issuer.api('POST', path, { credentialTemplateId: template.data.id, items })
  const worker = startWorker(issuer.platform, batchJobs(noDeliveries), [], { pollMs: 20 })
  await until(async () => (await issuer.api('GET', `${path}/${body.data.id}`)).body.data.status === 'completed')
  await worker.stop()
  assert.deepEqual(
    await Promise.all(['ayanda', 'bongani', 'bongani ayanda'].map(async (q) => (await find(q)).length)),
    [2, 2, 1],
  )
})

test('the words of a name go with its label, and stay while a wallet has the credential', async () => {
  const canceled = await anOffer(issuer, named, to('Cancelled Person'))
  const locked = await anOffer(issuer, { ...named, txCode: {} }, to('Locked Person'))
  const ended = await anOffer(issuer, named, { ...to('Ended Person'), expiresInSeconds: 60 })
  const taken = await anOffer(issuer, named, to('Taken Person'))
  const unnamed = await anOffer(issuer, {}, to('Unnamed Person'))
  const all = [canceled, locked, ended, taken, unnamed].map(({ issuance }) => issuance.id)
  assert.deepEqual(await Promise.all(all.map(wordsOf)), [3, 3, 3, 3, 0])
  await issuer.api('DELETE', `/credentials/${canceled.issuance.id}`)
  for (let tries = 1; tries <= 5; tries += 1) await redeem(issuer, locked.code, { tx_code: '000000' })
  assert.equal((await redeem(issuer, taken.code)).status, 200)
  issuer.clock.at = new Date(issuer.clock.at.getTime() + 120_000)
  for (const { name, run } of issuanceSchedules) {
    if (name === 'issuance.forget-claims') await run(issuer.platform, new AbortController().signal)
  }
  assert.deepEqual(await Promise.all(all.map(wordsOf)), [0, 0, 0, 3, 0])
  assert.deepEqual(await find('person'), [taken.issuance.id])
  const remove = sql('test.names.remove', 'delete from issuance where tenant_id = $1 and id = $2')
  const { id: tenantId } = issuer.tenant
  await db.store.single(tenantId, (tx) => tx.rows(remove, [tenantId, taken.issuance.id]))
  assert.equal(await wordsOf(taken.issuance.id), 0)
})

const ROWS = 20_000
const skip = postgresUrl === null && 'needs PostgreSQL'

test('a page by name reads little, whether few or all names have the word', { skip }, async () => {
  const [{ id: tenantId }, { id: other }] = [await issuer.anotherTenant(), issuer.tenant]
  const { sealing } = issuer.platform
  const macOf = async (word: string) => (await nameWordMacs(sealing, tenantId, word))[0]
  const [often, seldom] = [await macOf('often'), await macOf('seldom')]
  const client = new pg.Client({ connectionString: db.url ?? '' })
  await client.connect()
  await client.query('set session_replication_role = replica')
  await client.query('alter table issuance no force row level security')
  await client.query('alter table issuance_name_word no force row level security')
  for (const id of [tenantId, other]) {
    const idAt = `('018f0000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid`
    await client.query(
      `insert into issuance (tenant_id, id, status, template_id, template_version, credential_status, revocable, sweep_at, expires_at, created_at, updated_at)
       select $1, ${idAt}, 'completed', gen_random_uuid(), 1, 'accepted', true, now(), now(), now(), now() from generate_series(1, ${ROWS}) n`,
      [id],
    )
    await client.query(
      `insert into issuance_name_word select $1, ${idAt}, word::bytea from generate_series(1, ${ROWS}) n,
         lateral (values ($2::bytea), (decode(md5(n::text), 'hex')), (case when n % 2000 = 0 then $3::bytea end)) words (word) where word is not null`,
      [id, often, seldom],
    )
  }
  await client.query('alter table issuance force row level security')
  await client.query('alter table issuance_name_word force row level security')
  await client.query('analyze issuance, issuance_name_word')
  await client.end()

  const page = { size: 25, after: null, before: null, readDescending: true, sort: { field: 'createdAt' } }
  const plans: Plan[] = []
  const read = (name: string) =>
    db.store.inTenant(tenantId, async (tx) => {
      const rows = async <Row>(statement: Sql, values: Values = []): Promise<Row[]> => {
        const explain = composedSql(`explain (analyze, format json) ${statement.text}`)
        const [explained] = await tx.rows<Explained>(explain, positional(statement, values))
        plans.push(...(explained?.['QUERY PLAN'].map(({ Plan: plan }) => plan) ?? []))
        return tx.rows<Row>(statement, values)
      }
      const nameWords = await nameWordMacs(sealing, tenantId, name)
      return listIssuances({ ...tx, rows } as TenantTx, page, { nameWords }, new Date())
    })
  for (const [name, found] of [
    ['often', 26],
    ['seldom', 10],
    ['often seldom', 10],
    ['seldom often', 10],
    ['never', 0],
    ['often never', 0],
  ] as const) {
    plans.length = 0
    assert.equal((await read(name)).length, found, name)
    const plan = plans[0] ?? assert.fail(name)
    assert(rowsRead(plan) <= 200, `${name} reads ${rowsRead(plan)} rows: ${JSON.stringify(plan)}`)
    assert.match(JSON.stringify(plan), /issuance_name_word_mac/)
  }
})

type Plan = Readonly<Record<string, unknown>> & { readonly Plans?: readonly Plan[] }
type Explained = { readonly 'QUERY PLAN': readonly { readonly Plan: Plan }[] }

/** Rows that a plan reads, those that a filter removes included. */
function rowsRead(plan: Plan): number {
  const own = 'Relation Name' in plan ? Number(plan['Actual Rows']) + Number(plan['Rows Removed by Filter'] ?? 0) : 0
  const below = (plan.Plans ?? []).map(rowsRead)
  return own * Number(plan['Actual Loops'] ?? 1) + below.reduce((sum, one) => sum + one, 0)
}
