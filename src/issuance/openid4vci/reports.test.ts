import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TestDatabase } from '../../../test/support/database.ts'
import { sql } from '../../store/store.ts'
import { issuanceSchedules } from '../issuances/jobs.ts'
import {
  aDatabase,
  aKey,
  anIssuer,
  anOffer,
  aToken,
  type Issuer,
  noon,
  redeem,
  request,
} from '../test-support/issuer.ts'

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

const recordedActions = sql(
  'test.reports.actions',
  `select action from audit_entry where subject_id in ($1, $2) and event_type is not null and action <> 'openid4vc.issuance.offered' order by id`,
)
const refusedCodes = sql(
  'test.reports.refused_codes',
  `select id from audit_entry where subject_id = $1 and action = 'issuance.tx_code_refused'`,
)
const kept = sql('test.reports.kept', 'select sealed_claims is not null as kept from issuance where id = $1')

/** A credential that a wallet has, and how that wallet reports of it. */
async function issued() {
  const { token, template, issuance } = await aToken(issuer)
  const key = aKey()
  const ask = () => request(issuer, token, template.code, [key])
  const { body, status } = await ask()
  assert.equal(status, 200, JSON.stringify(body))
  const report = async (event: string) => {
    const json = { notification_id: body.notification_id, event }
    const headers = { authorization: `Bearer ${token}` }
    return (await issuer.open(`/issuers/${issuer.tenant.slug}/notification`, { json, headers })).status
  }
  const shown = async () => (await issuer.api('GET', `/credentials/${issuance.id}`)).body.data
  const events = async () => {
    const ids = [issuance.id, issuance.credentials[0].id]
    const rows = await db.store.single(issuer.tenant.id, (tx) => tx.rows<{ action: string }>(recordedActions, ids))
    return rows.map(({ action }) => action.replace('openid4vc.', ''))
  }
  return { ask, report, shown, events, id: issuance.id as string, credentialId: issuance.credentials[0].id as string }
}

test('an issuance whose wallet reported a failure is failed, says why, and is found by that status', async () => {
  const { report, shown, id } = await issued()
  assert.equal(await report('credential_failure'), 204)
  const { status, error, credentials } = await shown()
  assert.deepEqual([status, credentials[0].status], ['failed', 'failed'])
  assert.deepEqual(error, {
    code: 424,
    message: 'The wallet reported that it could not take the credential.',
    details: [],
  })
  const listed = await issuer.api('GET', '/credentials?filter[status]=failed')
  assert.ok(listed.body.data.some((one: { id: string }) => one.id === id))
})

test('a credential whose wallet reported a failure can be revoked all the same', async () => {
  const { report, shown, credentialId } = await issued()
  await report('credential_failure')
  const revoked = await issuer.api('POST', '/credentials/revoke', { ids: [credentialId] })
  assert.deepEqual(revoked.body.data.results, [{ id: credentialId, status: 'revoked' }])
  assert.equal((await shown()).credentials[0].status, 'revoked')
})

test('after a failure the same token gets the credential again, and the issuance is completed', async () => {
  const { ask, report, shown, events } = await issued()
  await report('credential_failure')
  assert.equal((await ask()).status, 200)
  const { status, error, credentials } = await shown()
  assert.deepEqual([status, error, credentials[0].status], ['completed', null, 'issued'])
  assert.equal(await report('credential_accepted'), 204)
  assert.deepEqual(await events(), [
    'issuance.completed',
    'issuance.failed',
    'issuance.completed',
    'credential.accepted',
  ])
})

for (const [first, ...then] of [
  ['credential_accepted', 'credential_failure', 'credential_accepted'],
  ['credential_deleted', 'credential_accepted', 'credential_failure', 'credential_deleted'],
  ['credential_failure', 'credential_accepted', 'credential_deleted', 'credential_failure'],
] as const) {
  test(`after ${first} these change nothing: ${then.join(', ')}`, async () => {
    const { report, shown, events } = await issued()
    assert.equal(await report(first), 204)
    const [before, said] = [await shown(), await events()]
    for (const event of then) assert.equal(await report(event), 204)
    assert.deepEqual([await shown(), await events()], [before, said])
  })
}

test('an accepted credential may still be deleted; then nothing follows, and the claims are gone', async () => {
  const { ask, report, shown, events, id } = await issued()
  for (const event of ['credential_accepted', 'credential_deleted', 'credential_accepted']) await report(event)
  assert.equal((await shown()).credentials[0].status, 'rejected')
  assert.deepEqual(await events(), ['issuance.completed', 'credential.accepted', 'credential.rejected'])
  assert.equal((await ask()).body.error, 'credential_request_denied')
  assert.equal(await claimsKept(id), false)
})

test('of reports at the same moment one follows the other by the same rules', async () => {
  const { report, events } = await issued()
  const all = ['credential_accepted', 'credential_deleted', 'credential_failure']
  await Promise.all([...all, ...all, ...all].map(report))
  const [, ...reported] = await events()
  const orders = [['issuance.failed'], ['credential.rejected'], ['credential.accepted', 'credential.rejected']]
  assert.ok(
    orders.some((one) => one.join() === reported.join()) || reported.join() === 'credential.accepted',
    reported.join(),
  )
})

test('a wallet that fails and asks again for ever is recorded ten times at most', async () => {
  const { ask, report, events } = await issued()
  for (let turn = 0; turn < 13; turn += 1) {
    assert.equal(await report('credential_failure'), 204)
    assert.equal((await ask()).status, 200)
  }
  const failures = (await events()).filter((one) => one === 'issuance.failed')
  assert.equal(failures.length, 10)
})

test('the claims are forgotten when the token has ended: until then the wallet may ask once more, whatever it reported', async () => {
  const { ask, report, shown, id } = await issued()
  await report('credential_accepted')
  assert.equal((await ask()).status, 200)
  assert.equal((await shown()).credentials[0].status, 'accepted')
  assert.equal(await claimsKept(id), true)
  try {
    issuer.clock.at = new Date(noon.getTime() + 600_000)
    for (const one of issuanceSchedules) await one.run(issuer.platform, new AbortController().signal)
  } finally {
    issuer.clock.at = noon
  }
  assert.equal(await claimsKept(id), false)
  assert.equal((await shown()).status, 'completed')
})

test('a redeemed offer is answered although the answer of the database was lost once', async () => {
  const { code, template } = await anOffer(issuer)
  const redeemed = await withLostAnswer(() => redeem(issuer, code))
  assert.equal(redeemed.status, 200, JSON.stringify(redeemed.body))
  assert.equal((await request(issuer, redeemed.body.access_token, template.code, [aKey()])).status, 200)
  assert.equal((await redeem(issuer, code)).body.error, 'invalid_grant')
})

test('a wrong transaction code whose answer from the database was lost costs one try, and is recorded once', async () => {
  const { code, issuance } = await anOffer(issuer, { txCode: {} })
  const wrong = issuance.txCode === '000000' ? '000001' : '000000'
  const lost = await withLostAnswer(() => redeem(issuer, code, { tx_code: wrong }))
  assert.equal(lost.body.error, 'invalid_grant')
  const { body } = await redeem(issuer, code, { tx_code: wrong })
  assert.equal(body.error_description, 'The transaction code is wrong. Tries left: 3.')
  const recorded = await db.store.single(issuer.tenant.id, (tx) => tx.rows(refusedCodes, [issuance.id]))
  assert.equal(recorded.length, 2)
  assert.equal((await redeem(issuer, code, { tx_code: issuance.txCode })).status, 200)
})

/** Runs `work` while the database confirms its first statement but the answer is lost. */
async function withLostAnswer<T>(work: () => Promise<T>): Promise<T> {
  const { store } = issuer.platform
  const { single } = store
  let lost = 0
  const losing: typeof single = async (tenantId, run) => {
    const done = await single(tenantId, run)
    if (lost++ === 0) throw new Error('Connection terminated unexpectedly')
    return done
  }
  Object.assign(store, { single: losing })
  return work().finally(() => Object.assign(store, { single }))
}

async function claimsKept(id: string): Promise<boolean> {
  const [row] = await db.store.single(issuer.tenant.id, (tx) => tx.rows<{ kept: boolean }>(kept, [id]))
  return row?.kept === true
}
