import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TestDatabase } from '../../test/support/database.ts'
import { Fault } from '../fault.ts'
import { sql } from '../store/store.ts'
import { aDatabase, aKey, anIssuer, aToken, type Issuer, request } from './test-support/issuer.ts'

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
function breakKeys({ platform: { keys } }: Issuer): { readonly mend: () => void } {
  const { current } = keys
  const broken: typeof current = async (tenantId, usage) => ({
    ...(await current(tenantId, usage)),
    sign: () => {
      throw new Fault('upstream.unreachable', { notes: 'the token of keys does not answer' })
    },
  })
  Object.assign(keys, { current: broken })
  return { mend: () => Object.assign(keys, { current }) }
}

test('an issuance that nobody could sign is open again, and the same token gets the credential later', async () => {
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
  const told = await db.store.single(issuer.tenant.id, (tx) =>
    tx.rows<{ action: string }>(completions, [issuer.tenant.id, issuance.id]),
  )
  assert.deepEqual(
    told.map(({ action }) => action),
    ['openid4vc.issuance.completed', 'issuance.reopened'],
    'the event is sent once',
  )
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
