import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TestDatabase } from '../../../test/support/database.ts'
import { Fault } from '../../fault.ts'
import { sql } from '../../store/store.ts'
import { aDatabase, aKey, anIssuer, aToken, type Issuer, request } from '../test-support/issuer.ts'

const completions = sql(
  'test.issuance.completions',
  `select action from audit_entry where tenant_id = $1 and subject_id = $2 and action like any('{%.completed,%.reopened}') order by id`,
)

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

/** Keys that lie in a token which does not answer, until `mend` is called. The key ring is the edge of the process. */
function breakKeys({ platform: { keys } }: Issuer, late: Promise<void> = Promise.resolve()) {
  const { current } = keys
  const asked = Promise.withResolvers<void>()
  const broken: typeof current = async (tenantId, usage) => ({
    ...(await current(tenantId, usage)),
    sign: async () => {
      asked.resolve()
      await late
      throw new Fault('upstream.unreachable', { notes: 'the token of keys does not answer' })
    },
  })
  Object.assign(keys, { current: broken })
  return { mend: () => Object.assign(keys, { current }), isAsked: asked.promise }
}

test('an issuance that could not be signed is reinstated, and the same token gets the credential later', async () => {
  const { token, template, issuance } = await aToken(issuer)
  const key = aKey()
  const keys = breakKeys(issuer)
  const refused = await request(issuer, token, template.code, [key])
  keys.mend()
  assert.equal(refused.status, 502, JSON.stringify(refused.body))
  const open = await issuer.api('GET', `/credentials/${issuance.id}`)
  assert.equal(open.body.data.status, 'offered')
  assert.equal(open.body.data.credentials[0].status, 'offered')

  const answer = await request(issuer, token, template.code, [key])
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  const issued = await issuer.api('GET', `/credentials/${issuance.id}`)
  assert.equal(issued.body.data.status, 'completed')
  const recorded = await db.store.single(issuer.tenant.id, (tx) =>
    tx.rows<{ action: string }>(completions, [issuer.tenant.id, issuance.id]),
  )
  assert.deepEqual(
    recorded.map(({ action }) => action),
    ['openid4vc.issuance.completed', 'issuance.reopened'],
    'the event is sent once',
  )
})

test('an issuance that was opened again has no credential that ends, and the next one ends later', async () => {
  const own = await anIssuer(db)
  const { token, template } = await aToken(own, { validUntil: { future: { days: 10 } } })
  const keys = breakKeys(own)
  await request(own, token, template.code, [aKey()])
  keys.mend()
  const ending = async (days: number) => {
    const before = new Date(own.clock.at.getTime() + days * 86_400_000).toISOString()
    return (await own.api('GET', `/credentials?filter[validBefore]=${before}`)).body.data.length
  }
  assert.equal(await ending(20), 0)
  await own.server.close(0)
})

test('other keys get nothing of an issuance that was opened again', async () => {
  const { token, template } = await aToken(issuer)
  const keys = breakKeys(issuer)
  await request(issuer, token, template.code, [aKey()])
  keys.mend()
  const answer = await request(issuer, token, template.code, [aKey()])
  assert.equal(answer.status, 400)
  assert.equal(answer.body.error, 'credential_request_denied')
})

test('an issued credential stays issued, and can be revoked, if signing fails for a repeated request', async () => {
  const { token, template, issuance } = await aToken(issuer)
  const key = aKey()
  assert.equal((await request(issuer, token, template.code, [key])).status, 200)
  const keys = breakKeys(issuer)
  const refused = await request(issuer, token, template.code, [key])
  keys.mend()
  assert.equal(refused.status, 502)
  await isRevocable(issuance.id)
})

test('who could not sign does not open again what a twin of the request has got meanwhile', async () => {
  const { token, template, issuance } = await aToken(issuer)
  const key = aKey()
  const gate = Promise.withResolvers<void>()
  const keys = breakKeys(issuer, gate.promise)
  const failing = request(issuer, token, template.code, [key])
  await keys.isAsked
  keys.mend()
  assert.equal((await request(issuer, token, template.code, [key])).status, 200)
  gate.resolve()
  assert.equal((await failing).status, 502)
  await isRevocable(issuance.id)
})

async function isRevocable(issuanceId: string): Promise<void> {
  const { body } = await issuer.api('GET', `/credentials/${issuanceId}`)
  assert.equal(body.data.status, 'completed')
  const ids = [body.data.credentials[0].id]
  const revoked = await issuer.api('POST', '/credentials/revoke', { ids })
  assert.deepEqual(revoked.body.data.results, [{ id: ids[0], status: 'revoked' }])
}
