import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TestDatabase } from '../../../test/support/database.ts'
import { sql } from '../../store/store.ts'
import { credentialIdOf } from '../issuances/credential-id.ts'
import { aDatabase, aKey, anIssuer, aToken, type Body, type Issuer, request } from '../test-support/issuer.ts'

const CALLERS = 8

let db: TestDatabase
let issuer: Issuer
before(async () => {
  db = await aDatabase()
  issuer = await anIssuer(db)
})
after(async () => {
  await issuer.server.close(0)
  await db.close()
})

async function issuedId(): Promise<string> {
  const made = await aToken(issuer, { batchSize: 2 })
  const { status } = await request(issuer, made.token, made.template.code, [aKey(), aKey()])
  assert.equal(status, 200)
  return made.issuance.credentials[0].id
}

async function change(verb: string, ids: readonly string[]): Promise<Body[]> {
  const { status, body } = await issuer.api('POST', `/credentials/${verb}`, { ids })
  assert.equal(status, 200, JSON.stringify(body))
  return body.data.results
}

const listed = sql(
  'test.standing.listed',
  `select i.id as "issuanceId", i.standing, get_bit(list.bitmap, 8 * (index / 4) + 7 - 2 * (index % 4)) as low, get_bit(list.bitmap, 8 * (index / 4) + 6 - 2 * (index % 4)) as high
   from issuance i cross join unnest(i.status_indices) as index
     join status_list list on list.tenant_id = i.tenant_id and list.id = i.status_list_id
   where i.tenant_id = $1`,
)
const counted = sql(
  'test.standing.counted',
  `select action, count(*)::int as count from audit_entry where tenant_id = $1 and subject_id = any($2::text[]) group by 1 order by 1`,
)

async function all<Row>(statement: typeof listed, values: readonly unknown[] = []): Promise<Row[]> {
  return db.store.single(issuer.tenant.id, (tx) => tx.rows<Row>(statement, [issuer.tenant.id, ...values]))
}

/** The lists say of every copy what the issuances say. */
async function assertAgreement(): Promise<void> {
  const rows = await all<{ standing: 'valid' | 'suspended' | 'revoked'; low: number; high: number }>(listed)
  const expected = { valid: [0, 0], revoked: [1, 0], suspended: [0, 1] }
  assert(rows.length > 0)
  for (const { standing, low, high } of rows) assert.deepEqual([low, high], expected[standing])
}

test('callers who revoke the same credentials at the same moment, in any order, revoke each once', async () => {
  const ids = await Promise.all(Array.from({ length: 6 }, issuedId))
  const calls = Array.from({ length: CALLERS }, (_, at) => change('revoke', at % 2 === 0 ? ids : ids.toReversed()))
  for (const results of await Promise.all(calls)) {
    assert.deepEqual(new Set(results.map(({ status, code }) => `${status} ${code}`)), new Set(['revoked undefined']))
  }
  assert.deepEqual(await all(counted, [ids]), [{ action: 'credential.revoked', count: ids.length }])
  await assertAgreement()
})

test('changes of different credentials of one list at the same moment all reach the list', async () => {
  const ids = await Promise.all(Array.from({ length: 10 }, issuedId))
  await Promise.all(ids.map((id, at) => change(at % 2 === 0 ? 'revoke' : 'suspend', [id])))
  await assertAgreement()
})

test('of suspending, reinstating and revoking at the same moment, revoking stays, and the list agrees', async () => {
  const ids = await Promise.all(Array.from({ length: 4 }, issuedId))
  const verbs = Array.from({ length: CALLERS * 3 }, (_, at) => ['suspend', 'reinstate'][at % 2] ?? '')
  verbs.splice(CALLERS, 0, 'revoke')
  const results = await Promise.all(verbs.map((verb) => change(verb, ids)))
  assert.deepEqual(
    results[CALLERS]?.map(({ status, code }) => [status, code]),
    ids.map(() => ['revoked', undefined]),
  )
  const rows = await all<{ issuanceId: string; standing: string }>(listed)
  assert.deepEqual(
    rows.filter(({ issuanceId }) => ids.includes(credentialIdOf(issuanceId))).map(({ standing }) => standing),
    // two copies of each
    [...ids, ...ids].map(() => 'revoked'),
  )
  await assertAgreement()
})
