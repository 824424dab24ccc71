import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TestDatabase } from '../../../test/support/database.ts'
import { aDatabase, aKey, anIssuer, anOffer, aToken, type Issuer, request } from '../test-support/issuer.ts'
import { issuanceSchedules } from './jobs.ts'
import { endedIssuances } from './retention.ts'

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
  const schedule = issuanceSchedules.find((one) => one.name === name)
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
