import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TestDatabase } from '../../../test/support/database.ts'
import { makeCNonce } from '../../protocols/openid4vci/c-nonce.ts'
import { buildJwtProof } from '../../protocols/openid4vci/jwt-proof.ts'
import {
  aDatabase,
  aKey,
  aNonce,
  anIssuer,
  anOffer,
  aToken,
  type Issuer,
  noon,
  redeem,
  request,
} from '../test-support/issuer.ts'
import { issuanceSchedules } from './jobs.ts'

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

/** Runs a function N milliseconds after noon, then sets the clock back to noon. */
async function at<T>(ms: number, act: () => Promise<T>): Promise<T> {
  issuer.clock.at = new Date(noon.getTime() + ms)
  try {
    return await act()
  } finally {
    issuer.clock.at = noon
  }
}

test('an offer is over at the very moment that it says, not before', async () => {
  const { issuance, code } = await anOffer(issuer, {}, { expiresInSeconds: 60 })
  const offerUri = new URL(issuance.offerUri).searchParams.get('credential_offer_uri') ?? ''
  assert.equal((await at(59_999, () => issuer.open(offerUri))).status, 200)
  assert.equal((await at(60_000, () => issuer.open(offerUri))).status, 404)
  assert.equal((await at(60_000, () => redeem(issuer, code))).body.error, 'invalid_grant')
  const late = await at(60_000, () => issuer.api('DELETE', `/credentials/${issuance.id}`))
  assert.deepEqual([late.status, late.body.errors[0].code], [409, 'INVALID_STATE'])
  assert.equal((await at(59_999, () => redeem(issuer, code))).status, 200)
})

test('[VCI-T7] an access token is over after 300 s to the millisecond; no other request revives it', async () => {
  const { token, template } = await aToken(issuer)
  const keys = [aKey()]
  const over = await at(300_000, () => request(issuer, token, template.code, keys))
  assert.deepEqual(
    [over.status, over.headers['www-authenticate']],
    [401, 'Bearer realm="chirograph", error="invalid_token"'],
  )
  assert.equal((await at(299_999, () => request(issuer, token, template.code, keys))).status, 200)
})

test('[VCI-N2] [SEC-80] a nonce lives for its time, and may come from a clock that is a minute ahead', async () => {
  const { token, template } = await aToken(issuer)
  const key = aKey()
  const macKey = await issuer.platform.sealing.derive(issuer.tenant.id, 'c-nonce')
  const made = (ms: number) => makeCNonce(macKey, new Date(noon.getTime() + ms))
  for (const [ms, status] of [
    [-300_001, 400],
    [60_001, 400],
    [-300_000, 200],
    [60_000, 200],
  ] as const) {
    const reply = await request(issuer, token, template.code, [key], { nonce: made(ms) })
    assert.equal(reply.status, status, `${ms}: ${JSON.stringify(reply.body)}`)
    if (status === 400) assert.equal(reply.body.error, 'invalid_nonce')
  }
})

test('[SEC-6] a spent nonce stays spent for as long as it could be used, also one from a clock that is ahead', async () => {
  const [first, second] = [await aToken(issuer), await anOffer(issuer)]
  const macKey = await issuer.platform.sealing.derive(issuer.tenant.id, 'c-nonce')
  const nonce = makeCNonce(macKey, new Date(noon.getTime() + 59_000))
  assert.equal((await request(issuer, first.token, first.template.code, [aKey()], { nonce })).status, 200)
  const again = await at(310_000, async () => {
    for (const one of issuanceSchedules) await one.run(issuer.platform, new AbortController().signal)
    const { body } = await redeem(issuer, second.code)
    return request(issuer, body.access_token, second.template.code, [aKey()], { nonce })
  })
  assert.equal(again.body.error, 'invalid_nonce')
})

test('[VCI-P7] a proof may be a minute ahead, and as old as it likes with a fresh nonce', async () => {
  const { token, template } = await aToken(issuer)
  const key = aKey()
  for (const [seconds, error] of [
    [61, 'invalid_proof'],
    [60, undefined],
    [-86_400, undefined],
  ] as const) {
    const about = {
      issuer: issuer.platform.urls.issuer(issuer.tenant.slug),
      nonce: await aNonce(issuer),
      clientId: null,
    }
    const jwt = [await buildJwtProof(about, key, new Date(noon.getTime() + seconds * 1000))]
    const { body } = await request(issuer, token, template.code, [], { body: { proofs: { jwt } } })
    assert.equal(body.error, error, `${seconds} s`)
  }
})

test('what was issued before the clock struck and fetched again after it says the same time', async () => {
  const { token, template } = await at(3_599_000, () => aToken(issuer, { validUntil: { future: { days: 1 } } }))
  const key = aKey()
  const times = async (ms: number) => {
    const { body } = await at(ms, () => request(issuer, token, template.code, [key]))
    const [, payload = ''] = body.credentials[0].credential.split('.')
    const { iat, exp } = JSON.parse(Buffer.from(payload, 'base64url').toString())
    return [iat, exp]
  }
  const first = await times(3_599_500)
  assert.deepEqual(first, [noon.getTime() / 1000, noon.getTime() / 1000 + 86_400])
  assert.deepEqual(await times(3_600_500), first)
})
