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
  type Body,
  codeOf,
  type Issuer,
  redeem,
  request,
  someClaims,
} from '../test-support/issuer.ts'
import { forgetClaims } from './forget-store.ts'

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

test('the list is filtered by the beginning of the reference, the state of the credential and the end of validity', async () => {
  const { template } = await anOffer(issuer, { validUntil: { future: { days: 10 } } }, { reference: '2026-1' })
  const make = async (reference: string) => {
    const ask = { credentialTemplateId: template.id, attributes: someClaims, reference }
    return (await issuer.api('POST', '/credentials/issuance', ask)).body.data
  }
  const taken = await make('2026-2')
  await make('2027-%')
  await make('\u{10ffff}\u{10ffff}x')
  const { body: granted } = await redeem(issuer, await codeOf(issuer, taken.offerUri))
  assert.equal((await request(issuer, granted.access_token, template.code, [aKey()])).status, 200)
  const list = async (query: Record<string, string>) => {
    const all = { 'filter[templateId]': template.id, sort: 'createdAt', ...query }
    const { body } = await issuer.api('GET', `/credentials?${new URLSearchParams(all)}`)
    return body.data.map((one: Body) => one.reference)
  }
  assert.deepEqual(await list({ 'search[reference]': '2026-' }), ['2026-1', '2026-2'])
  assert.deepEqual(await list({ 'search[reference]': '2027-%' }), ['2027-%'])
  assert.deepEqual(await list({ 'search[reference]': '%' }), [])
  assert.deepEqual(await list({ 'search[reference]': '\u{10ffff}' }), ['\u{10ffff}\u{10ffff}x'])
  assert.deepEqual(await list({ 'filter[credentialStatus]': 'issued' }), ['2026-2'])
  assert.deepEqual(await list({ 'filter[credentialStatus]': 'revoked' }), [])
  const day = (days: number) => new Date(issuer.clock.at.getTime() + days * 86_400_000).toISOString()
  assert.deepEqual(await list({ 'filter[validBefore]': day(9) }), [])
  assert.deepEqual(await list({ 'filter[validBefore]': day(11) }), ['2026-2'])
  // Whether the wallet may accept the credential still, or its claims are erased.
  const { store, clock } = issuer.platform
  const later = new Date(clock.now().getTime() + 300_000_000)
  await store.single(issuer.tenant.id, (tx) => forgetClaims(tx, later, 1000))
  assert.deepEqual(await list({ 'filter[credentialStatus]': 'issued' }), ['2026-2'])
  assert.deepEqual(await list({ 'filter[validBefore]': day(11) }), ['2026-2'])
  const { body } = await issuer.api('GET', `/credentials/${taken.id}`)
  const { templateName, validUntil, issuedAt } = body.data
  const end = new Date(Math.floor(Date.parse(issuedAt) / 3_600_000) * 3_600_000 + 10 * 86_400_000).toISOString()
  assert.deepEqual([templateName, validUntil], ['Diploma', end])
  await issuer.api('POST', '/credentials/revoke', { ids: [taken.credentials[0].id] })
  assert.deepEqual(await list({ 'filter[credentialStatus]': 'revoked' }), ['2026-2'])
  assert.deepEqual(await list({ 'filter[credentialStatus]': 'issued' }), [])
})

test('an offer is offered again while its claims are kept: it ends later, and a token that was lost is revoked', async () => {
  const { template, issuance, code } = await anOffer(issuer, aTemplate(), { expiresInSeconds: 60 })
  const again = (id = issuance.id, body: object = { expiresInSeconds: 3600 }) =>
    issuer.api('POST', `/credentials/${id}/offer`, body)
  const { body: lost } = await redeem(issuer, code)
  const renewed = await again()
  assert.equal(renewed.status, 200)
  assert.equal(renewed.body.data.offerUri, issuance.offerUri)
  assert.equal(Date.parse(renewed.body.data.expiresAt) - issuer.clock.at.getTime(), 3_600_000)
  const refused = await request(issuer, lost.access_token, template.code, [aKey()])
  assert.deepEqual([refused.status, refused.body.error], [400, 'credential_request_denied'])
  const { body: granted } = await redeem(issuer, code)
  assert.equal((await request(issuer, granted.access_token, template.code, [aKey()])).status, 200)
  const closed = await again()
  assert.deepEqual([closed.status, closed.body.errors[0].code], [409, 'INVALID_STATE'])
  const ended = await anOffer(issuer)
  await issuer.api('DELETE', `/credentials/${ended.issuance.id}`)
  assert.equal((await again(ended.issuance.id)).status, 409)
  assert.equal((await again('01890000-0000-7000-8000-000000000000')).status, 404)
  assert.equal((await again(issuance.id, { expiresInSeconds: 1 })).status, 400)
})

test('of an offer that is renewed and a wallet that binds its key at the same moment one takes effect', async () => {
  for (let turn = 0; turn < 5; turn += 1) {
    const { template, issuance, code } = await anOffer(issuer, aTemplate())
    const { body } = await redeem(issuer, code)
    const [got, renewed] = await Promise.all([
      request(issuer, body.access_token, template.code, [aKey()]),
      issuer.api('POST', `/credentials/${issuance.id}/offer`, {}),
    ])
    assert.deepEqual([got.status === 200, renewed.status === 200].filter(Boolean).length, 1)
  }
})
