import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TestDatabase } from '../../../test/support/database.ts'
import { buildJwtProof } from '../../protocols/openid4vci/jwt-proof.ts'
import { parseSdJwt } from '../../protocols/sd-jwt-vc/sd-jwt.ts'
import {
  aDatabase,
  aKey,
  aNonce,
  anIssuer,
  anOffer,
  aToken,
  type Body,
  type Issuer,
  redeem,
  request,
  type Tenant,
} from '../test-support/issuer.ts'

let db: TestDatabase
let issuer: Issuer
let other: Tenant
before(async () => {
  db = await aDatabase()
  issuer = await anIssuer(db)
  other = await issuer.anotherTenant()
})
after(async () => {
  await issuer.server.close(0)
  await db.close()
})

/** The same address at the other tenant. */
function elsewhere(address: string): string {
  return address.replace(`/issuers/${issuer.tenant.slug}`, `/issuers/${other.slug}`)
}

test('[SEC-11] [SEC-70] the offer, picture and code of one tenant are unknown at another, and stay good', async () => {
  const { issuance, code } = await anOffer(issuer)
  const offerUri = new URL(issuance.offerUri).searchParams.get('credential_offer_uri') ?? ''
  assert.equal((await issuer.open(elsewhere(offerUri))).status, 404)
  const qr = new URL(elsewhere(issuance.offerQrUri))
  assert.equal((await issuer.open(qr.href)).status, 404)
  qr.searchParams.set('credential_offer_uri', elsewhere(offerUri))
  assert.equal((await issuer.open(qr.href)).status, 404)
  assert.equal((await redeem(issuer, code, {}, other)).body.error, 'invalid_grant')
  assert.equal((await redeem(issuer, code)).status, 200)
})

test('[SEC-4] guesses of a transaction code at another tenant count nowhere', async () => {
  const { issuance, code } = await anOffer(issuer, { txCode: {} })
  for (let tries = 1; tries <= 6; tries += 1) await redeem(issuer, code, { tx_code: '000000' }, other)
  assert.equal((await redeem(issuer, code, { tx_code: issuance.txCode })).status, 200)
})

test('[SEC-11] token, nonce and proof of one tenant do nothing at another', async () => {
  const { token, template } = await aToken(issuer)
  const at = `/issuers/${other.slug}`
  const headers = { authorization: `Bearer ${token}` }
  assert.equal((await request(issuer, token, template.code, [aKey()], { tenant: other })).status, 401)
  const report = { notification_id: 'x', event: 'credential_accepted' }
  assert.equal((await issuer.open(`${at}/notification`, { json: report, headers })).status, 401)
  const nonce = await aNonce(issuer, other)
  assert.equal((await request(issuer, token, template.code, [aKey()], { nonce })).body.error, 'invalid_nonce')
  // a proof for the other issuer, with a nonce of ours
  const foreign = await aToken(issuer)
  const mixed = await proofsFor(other, await aNonce(issuer))
  const reply = await request(issuer, foreign.token, foreign.template.code, [], { body: { proofs: { jwt: mixed } } })
  assert.equal(reply.body.error, 'invalid_proof')
})

async function proofsFor(tenant: Tenant, nonce: string): Promise<string[]> {
  const about = { issuer: issuer.platform.urls.issuer(tenant.slug), nonce, clientId: null }
  return [await buildJwtProof(about, aKey(), issuer.clock.at)]
}

test('[SEC-70] issuances, types and status lists of one tenant are unknown at another', async () => {
  const { token, template, issuance } = await aToken(issuer)
  const { body } = await request(issuer, token, template.code, [aKey()])
  const { status } = parseSdJwt(body.credentials[0].credential).jwt.payload as Body
  assert.equal((await issuer.open(status.status_list.uri)).status, 200)
  assert.equal((await issuer.open(elsewhere(status.status_list.uri))).status, 404)
  assert.equal((await issuer.open(template.type)).status, 200)
  assert.equal((await issuer.open(elsewhere(template.type))).status, 404)
  for (const path of [`/credentials/${issuance.id}`, `/credentials/issuance/${issuance.id}`]) {
    const unknown = path.replace(issuance.id, '01a1fb1e-7800-75e8-b40c-2286438b25f9')
    for (const method of ['GET', 'DELETE']) {
      const [foreign, none] = [await issuer.api(method, path, undefined, other), await issuer.api(method, unknown)]
      assert.deepEqual([foreign.status, none.status], [404, 404])
      assert.deepEqual({ ...foreign.body.errors[0], id: '' }, { ...none.body.errors[0], id: '' })
    }
  }
  const listed = await issuer.api('GET', '/credentials', undefined, other)
  assert.deepEqual(listed.body.data, [])
  const byTemplate = `/credentials?${new URLSearchParams({ 'filter[templateId]': template.id })}`
  assert.deepEqual((await issuer.api('GET', byTemplate, undefined, other)).body.data, [])
})

test('[SEC-72] each tenant signs with keys of its own, one for each use, and its DID document offers no other', async () => {
  const documents = await Promise.all(
    [issuer.tenant, other].map(async ({ slug }) => (await issuer.open(`/issuers/${slug}/did.json`)).body),
  )
  const keys = documents.flatMap(({ verificationMethod }) => verificationMethod.map((one: Body) => one.publicKeyJwk.x))
  assert(keys.length >= 2)
  assert.equal(new Set(keys).size, keys.length)
  assert.ok(
    documents.every(({ verificationMethod }) => verificationMethod.every((one: Body) => !('d' in one.publicKeyJwk))),
  )
})
