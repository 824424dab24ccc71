import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TestDatabase } from '../../../test/support/database.ts'
import { sql } from '../../store/store.ts'
import { issuanceSchedules } from '../issuances/jobs.ts'
import { aDatabase, aKey, anIssuer, anOffer, aToken, type Issuer, noon, request } from '../test-support/issuer.ts'
import { endedIssuances } from './ended-issuances.ts'
import { issuanceRetention } from './jobs.ts'

const DAY_MS = 86_400_000

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

async function sweep(name: string): Promise<void> {
  const schedule = [...issuanceSchedules, ...issuanceRetention].find((one) => one.name === name)
  assert(schedule !== undefined)
  await schedule.run(issuer.platform, new AbortController().signal)
}

async function ids(): Promise<string[]> {
  return (await issuer.api('GET', '/credentials?page[size]=100')).body.data.map(({ id }: { id: string }) => id)
}

test('issuances that came to nothing are deleted after their retention, in pieces; issued ones and open ones stay', async () => {
  const made = await aToken(issuer)
  assert.equal((await request(issuer, made.token, made.template.code, [aKey()])).status, 200)
  for (let at = 0; at < 5; at += 1) await anOffer(issuer)
  issuer.clock.at = new Date(issuer.clock.at.getTime() + DAY_MS)
  await sweep('issuance.forget-claims')
  issuer.clock.at = new Date(issuer.clock.at.getTime() + 89 * DAY_MS)
  await sweep('issuance.delete-ended')
  assert.equal((await ids()).length, 6)
  issuer.clock.at = new Date(issuer.clock.at.getTime() + 2 * DAY_MS)
  const open = await anOffer(issuer)
  const cutOff = new Date(issuer.clock.at.getTime() - 90 * DAY_MS)
  const first = await issuer.platform.store.inTenant(issuer.tenant.id, (tx) => endedIssuances.remove(tx, cutOff, 2))
  assert.deepEqual([first, (await ids()).length], [2, 5])
  await sweep('issuance.delete-ended')
  assert.deepEqual((await ids()).sort(), [made.issuance.id, open.issuance.id].sort())
})

const DELETE = 'issuance.delete-ended-credentials'
const setList = sql(
  'test.issuance.list',
  'update status_list set full_at = $2, ended_entries = $3, has_lost_entries = $4 where tenant_id = $1 returning id',
)
const countEntries = sql(
  'test.issuance.entries',
  'select count(*)::int as count from status_entry where tenant_id = $1',
)

const takeEntries = sql(
  'test.issuance.take',
  'insert into status_entry select $1, $2::uuid, n from generate_series(0, 79999) n on conflict do nothing returning status_index',
)

async function aCredential(made: Issuer, template: object): Promise<string> {
  const { token, template: of, issuance } = await aToken(made, template)
  assert.equal((await request(made, token, of.code, [aKey()])).status, 200)
  return issuance.id
}

async function listed(made: Issuer): Promise<string[]> {
  const { body } = await made.api('GET', '/credentials?page[size]=100')
  return body.data.map(({ id }: { id: string }) => id).sort()
}

async function statusLists(made: Issuer): Promise<string[]> {
  return (await made.open(`/issuers/${made.tenant.slug}/status-lists`)).body.status_lists
}

test('a credential is deleted so many days after its validity, its status list with the last one in it', async () => {
  const made = await anIssuer(db)
  const inTenant = (statement: ReturnType<typeof sql>, ...values: unknown[]) =>
    made.platform.store.inTenant(made.tenant.id, (tx) => tx.rows(statement, [made.tenant.id, ...values]))
  const run = (at: Date) => {
    made.clock.at = new Date(at.getTime() + 365 * DAY_MS)
    return issuanceRetention.find(({ name }) => name === DELETE)?.run(made.platform, new AbortController().signal)
  }
  const month = await aCredential(made, { validUntil: { future: { days: 30 } } })
  const dated = await aCredential(made, { validUntil: '2026-07-01' })
  const [list = ''] = await statusLists(made)
  // Of a closed list all credentials but these two have ended.
  const taken = await inTenant(takeEntries, list.split('/').at(-1))
  await inTenant(setList, noon, taken.length, false)

  await run(new Date('2026-05-31T11:59:00.000Z'))
  assert.deepEqual(await listed(made), [month, dated].sort())
  await run(new Date('2026-05-31T12:01:00.000Z'))
  assert.deepEqual(await listed(made), [dated])
  assert.equal((await made.api('GET', `/credentials/${month}`)).status, 404)
  assert.equal((await made.open(list)).status, 200)

  const endless = await aCredential(made, {})
  await run(new Date('2026-07-01T00:01:00.000Z'))
  assert.deepEqual(await listed(made), [endless])
  assert.equal((await made.open(list)).status, 404)
  assert.equal((await statusLists(made)).length, 1)
  assert.deepEqual(await inTenant(countEntries), [{ count: 1 }])
})

test('a list that may have entries of lost credentials stays, and so does an open one', async () => {
  for (const [closedAt, isLost] of [
    [noon, true],
    [null, false],
  ] as const) {
    const made = await anIssuer(db)
    await aCredential(made, { validUntil: { future: { days: 1 } } })
    const lists = await statusLists(made)
    const values = [made.tenant.id, closedAt, 78_642, isLost]
    await made.platform.store.inTenant(made.tenant.id, (tx) => tx.rows(setList, values))
    made.clock.at = new Date(noon.getTime() + 400 * DAY_MS)
    await issuanceRetention.find(({ name }) => name === DELETE)?.run(made.platform, new AbortController().signal)
    assert.deepEqual([await listed(made), await statusLists(made)], [[], lists])
  }
})
