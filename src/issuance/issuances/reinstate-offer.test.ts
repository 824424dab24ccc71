import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TestDatabase } from '../../../test/support/database.ts'
import { reinstateOffer } from '../offers/reinstate-offer.ts'
import {
  aDatabase,
  aKey,
  aNonce,
  anIssuer,
  anOffer,
  aTemplate,
  codeOf,
  type Issuer,
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

/** A redeemed offer. */
async function redeemed() {
  const { template, issuance } = await anOffer(issuer, aTemplate())
  const code = await codeOf(issuer, issuance.offerUri)
  const { body } = await redeem(issuer, code)
  const ask = async (token: string, keys = [aKey()]) =>
    request(issuer, token, template.code, keys, { nonce: await aNonce(issuer) })
  const again = (tenant = issuer.tenant.id) => reinstateOffer(issuer.platform, tenant, issuance.id, 'system')
  return { code, token: body.access_token as string, issuance, ask, again }
}

test('an offer whose token was lost is redeemed again; the lost token is good for nothing any more', async () => {
  const { code, token, ask, again, issuance } = await redeemed()
  assert.equal((await redeem(issuer, code)).status, 400)
  await again()
  const lost = await ask(token)
  assert.equal(lost.body.error, 'credential_request_denied', JSON.stringify(lost.body))
  const { status, body } = await redeem(issuer, code)
  assert.equal(status, 200, JSON.stringify(body))
  assert.equal((await ask(body.access_token)).status, 200)
  const shown = await issuer.api('GET', `/credentials/${issuance.id}`)
  assert.equal(shown.body.data.status, 'completed')
})

test('an offer of which a credential was made is not redeemed again', async () => {
  const { code, token, ask, again } = await redeemed()
  assert.equal((await ask(token)).status, 200)
  await again()
  assert.equal((await redeem(issuer, code)).status, 400)
})

test('of the lost token and the offer at the same moment one yields the credential', async () => {
  const { code, token, ask, again } = await redeemed()
  const [first] = await Promise.all([ask(token), again()])
  const second = await redeem(issuer, code)
  assert.equal([first, second].filter(({ status }) => status === 200).length, 1)
})

test('a tenant cannot reinstate the offer of another tenant', async () => {
  const { code, again } = await redeemed()
  await again((await issuer.anotherTenant()).id)
  assert.equal((await redeem(issuer, code)).status, 400)
})
