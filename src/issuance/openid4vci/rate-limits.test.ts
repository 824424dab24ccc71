import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TestDatabase } from '../../../test/support/database.ts'
import { Fault } from '../../fault.ts'
import { aDatabase, aKey, anIssuer, anOffer, aToken, type Issuer, noon, request } from '../test-support/issuer.ts'
import { countTxCodeGuess, limitNonces } from './rate-limits.ts'

const PRE_AUTHORIZED = 'urn:ietf:params:oauth:grant-type:pre-authorized_code'

let db: TestDatabase
let issuer: Issuer
before(async () => {
  db = await aDatabase()
  issuer = await anIssuer(db, 'http://localhost:8080', { trustProxy: true })
})
after(async () => {
  await issuer.server.close(0)
  await db.close()
})

function from(ip: string) {
  return { 'x-forwarded-for': ip }
}
function redeemFrom(ip: string, code: string, more: Record<string, string> = {}, slug = issuer.tenant.slug) {
  const form = { grant_type: PRE_AUTHORIZED, 'pre-authorized_code': code, ...more }
  return issuer.open(`/issuers/${slug}/token`, { form, headers: from(ip) })
}
async function refusedOften(ip: string): Promise<void> {
  for (let times = 1; times <= 300; times += 1) await redeemFrom(ip, 'x')
}

test('[SEC-74] a network refused 300 times in a minute is limited, at that tenant only, and no other network', async () => {
  const { code, issuance } = await anOffer(issuer)
  await refusedOften('192.0.2.1')
  const limited = await redeemFrom('192.0.2.1', code)
  assert.deepEqual(
    [limited.status, limited.headers['retry-after'], limited.headers['cache-control']],
    [429, '60', 'no-store'],
  )
  const offerUri = new URL(issuance.offerUri).searchParams.get('credential_offer_uri') ?? ''
  assert.equal((await issuer.open(offerUri, { headers: from('192.0.2.1') })).status, 429)
  const other = await issuer.anotherTenant()
  assert.equal((await redeemFrom('192.0.2.1', 'x', {}, other.slug)).status, 400)
  issuer.clock.at = new Date(noon.getTime() + 60_000)
  assert.equal((await redeemFrom('192.0.2.1', 'x')).status, 400)
  issuer.clock.at = noon
  assert.equal((await redeemFrom('192.0.2.1, 192.0.2.2', code)).status, 200)
})

test('[SEC-74] an address that the caller wrote himself before that of the proxy changes nothing', async () => {
  await refusedOften('127.0.0.1, 192.0.2.3')
  assert.equal((await redeemFrom('203.0.113.1, 192.0.2.3', 'x')).status, 429)
})

test('[SEC-74] the machine itself is not counted: our own wallet asks from there for everybody', async () => {
  const { code } = await anOffer(issuer)
  await refusedOften('127.0.0.1')
  assert.equal((await redeemFrom('127.0.0.1', code)).status, 200)
})

test('[SEC-4] too many wrong transaction codes at a tenant stop all guessing there, but no redemption without a code', async () => {
  const [guarded, open] = [await anOffer(issuer, { txCode: {} }), await anOffer(issuer)]
  for (let times = 1; times <= 1000; times += 1) await countTxCodeGuess(issuer.platform, issuer.tenant)
  const limited = await redeemFrom('127.0.0.1', guarded.code, { tx_code: guarded.issuance.txCode })
  assert.deepEqual([limited.status, limited.headers['retry-after']], [429, '60'])
  assert.equal((await redeemFrom('127.0.0.1', open.code)).status, 200)
  issuer.clock.at = new Date(noon.getTime() + 60_000)
  const { status } = await redeemFrom('127.0.0.1', guarded.code, { tx_code: guarded.issuance.txCode })
  assert.equal(status, 200, 'and no try was lost')
  issuer.clock.at = noon
})

test('[VCI-N4] unused nonces are limited; those that a credential was issued with do not count', async () => {
  const between = { tenant: issuer.tenant, ip: '192.0.2.9' }
  const path = `/issuers/${issuer.tenant.slug}`
  for (let times = 1; times < 6000; times += 1) limitNonces(issuer.platform, between)
  const { token, template } = await aToken(issuer)
  const nonce = (await issuer.open(`${path}/nonce`, { method: 'POST', headers: from(between.ip) })).body.c_nonce
  assert.throws(() => limitNonces(issuer.platform, between), Fault)
  const limited = await issuer.open(`${path}/nonce`, { method: 'POST', headers: from(between.ip) })
  assert.deepEqual([limited.status, limited.headers['retry-after']], [429, '60'])
  const reply = await request(issuer, token, template.code, [aKey()], { nonce, headers: from(between.ip) })
  assert.equal(reply.status, 200, JSON.stringify(reply.body))
  limitNonces(issuer.platform, between)
})
