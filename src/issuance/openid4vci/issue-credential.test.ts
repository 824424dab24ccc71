import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TestDatabase } from '../../../test/support/database.ts'
import { checkReceivedSdJwtVc } from '../../protocols/sd-jwt-vc/check-sd-jwt-vc.ts'
import { parseSdJwt } from '../../protocols/sd-jwt-vc/sd-jwt.ts'
import { resolveIssuer } from '../../trust/issuers/resolve-issuer.ts'
import { checkStatus } from '../../trust/status-lists/check-status.ts'
import {
  aDatabase,
  aKey,
  aNonce,
  anIssuer,
  anOffer,
  aToken,
  type Body,
  type Issuer,
  noon,
  redeem,
  request,
  someClaims,
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

function payloadOf(credential: string): Body {
  return parseSdJwt(credential).jwt.payload
}
function slotOf(credential: string): { idx: number; uri: string } {
  return payloadOf(credential).status.status_list
}

test('[VCI-C12] a credential is what was offered, bound to the key, signed by the key in the DID document, and not revoked', async () => {
  const { token, template } = await aToken(issuer)
  const key = aKey()
  const answer = await request(issuer, token, template.code, [key])
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  assert.equal(answer.headers['cache-control'], 'no-store')
  const credential = answer.body.credentials[0].credential
  const { jwt } = parseSdJwt(credential)
  const signer = await resolveIssuer({ ...issuer.platform, tenantId: issuer.tenant.id }, jwt, noon)
  assert.equal(signer.issuer, issuer.platform.urls.did(issuer.tenant.slug))
  const agreed = { issuerKey: signer.key, now: noon, holderKey: key.publicJwk, vct: template.type }
  const checked = checkReceivedSdJwtVc(parseSdJwt(credential), agreed)
  assert.deepEqual(checked.findings, [])
  assert.partialDeepStrictEqual(checked.payload, someClaims)
  assert.equal(jwt.payload.degree, 'BSc')
  assert.equal(Object.hasOwn(jwt.payload, 'given_name'), false)
  assert.deepEqual(
    await checkStatus({ ...issuer.platform, tenantId: issuer.tenant.id }, jwt.payload.status, signer, noon),
    [],
  )
})

test('[VCI-C15] copies of a batch have their own keys, salts and status entries, and one rounded time', async () => {
  const { token, template } = await aToken(issuer, { batchSize: 3 })
  const keys = [aKey(), aKey(), aKey()]
  issuer.clock.at = new Date('2026-05-01T12:00:17.123Z')
  const { body, status } = await request(issuer, token, template.code, keys)
  issuer.clock.at = noon
  assert.equal(status, 200, JSON.stringify(body))
  const credentials: string[] = body.credentials.map((one: { credential: string }) => one.credential)
  assert.equal(credentials.length, 3)
  const bound = credentials.map((one) => payloadOf(one).cnf.jwk.x)
  assert.deepEqual(
    bound,
    keys.map((key) => key.publicJwk.x),
  )
  assert.equal(new Set(credentials.map((one) => slotOf(one).idx)).size, 3)
  assert.equal(
    new Set(credentials.flatMap((one) => parseSdJwt(one).disclosures)).size,
    credentials.length * parseSdJwt(credentials[0] ?? '').disclosures.length,
  )
  assert.deepEqual(new Set(credentials.map((one) => payloadOf(one).iat)), new Set([noon.getTime() / 1000]))
})

test('[VCI-C16] a lost answer is no lost credential: the same keys get the same content and status entry, until the token ends', async () => {
  const { token, template } = await aToken(issuer)
  const key = aKey()
  const first = await request(issuer, token, template.code, [key])
  issuer.clock.at = new Date(noon.getTime() + 299_000)
  const second = await request(issuer, token, template.code, [key])
  const [one, two] = [first, second].map(({ body }) => body.credentials[0].credential)
  assert.deepEqual(slotOf(one), slotOf(two))
  const { _sd: _, ...claims } = payloadOf(one)
  assert.partialDeepStrictEqual(payloadOf(two), claims)
  issuer.clock.at = new Date(noon.getTime() + 301_000)
  assert.equal((await request(issuer, token, template.code, [key])).status, 401)
  issuer.clock.at = noon
  const notification = { notification_id: first.body.notification_id, event: 'credential_accepted' }
  const headers = { authorization: `Bearer ${token}` }
  const reported = await issuer.open(`/issuers/${issuer.tenant.slug}/notification`, { json: notification, headers })
  assert.equal(reported.status, 204)
  const third = await request(issuer, token, template.code, [key])
  assert.deepEqual(slotOf(third.body.credentials[0].credential), slotOf(one), 'also after it was accepted')
})

test('the same batch of keys in another order gets the same entries, each key its own', async () => {
  const { token, template } = await aToken(issuer, { batchSize: 2 })
  const [a, b] = [aKey(), aKey()]
  const first = await request(issuer, token, template.code, [a, b])
  const second = await request(issuer, token, template.code, [b, a])
  assert.equal(second.status, 200, JSON.stringify(second.body))
  const entries = ({ body }: typeof first) =>
    body.credentials.map(({ credential }: { credential: string }) => [
      payloadOf(credential).cnf.jwk.x,
      slotOf(credential).idx,
    ])
  assert.deepEqual(entries(second), entries(first).reverse())
  assert.deepEqual(entries(first)[0][0], a.publicJwk.x)
})

test('other keys get nothing for the same token', async () => {
  const { token, template } = await aToken(issuer)
  assert.equal((await request(issuer, token, template.code, [aKey()])).status, 200)
  const { status, body } = await request(issuer, token, template.code, [aKey()])
  assert.deepEqual([status, body.error], [400, 'credential_request_denied'])
})

test('[SEC-6] a nonce is accepted once, and only at the tenant that made it', async () => {
  const [one, two] = [await aToken(issuer), await aToken(issuer)]
  const nonce = await aNonce(issuer)
  assert.equal((await request(issuer, one.token, one.template.code, [aKey()], { nonce })).status, 200)
  const again = await request(issuer, two.token, two.template.code, [aKey()], { nonce })
  assert.deepEqual([again.status, again.body.error], [400, 'invalid_nonce'])
  const other = await aNonce(issuer, await issuer.anotherTenant())
  const foreign = await request(issuer, two.token, two.template.code, [aKey()], { nonce: other })
  assert.equal(foreign.body.error, 'invalid_nonce')
  const fine = await request(issuer, two.token, two.template.code, [aKey()])
  assert.equal(fine.status, 200, 'a refused nonce spends nothing')
})

test('[SEC-11] the token of one tenant is no token at another', async () => {
  const { token, template } = await aToken(issuer)
  const tenant = await issuer.anotherTenant()
  const { status, headers } = await request(issuer, token, template.code, [aKey()], { tenant })
  assert.equal(status, 401)
  assert.match(headers['www-authenticate'] ?? '', /^Bearer .*error="invalid_token"/)
})

for (const [what, error, change] of [
  ['another configuration [VCI-C1]', 'unknown_credential_configuration', { credential_configuration_id: 'other' }],
  [
    'an identifier that the token response did not give',
    'unknown_credential_identifier',
    { credential_configuration_id: undefined, credential_identifier: 'x' },
  ],
  ['both ids [VCI-C1]', 'invalid_credential_request', { credential_identifier: 'x' }],
  ['no proofs [VCI-P5]', 'invalid_proof', { proofs: undefined }],
  ['a bad proof [VCI-P5]', 'invalid_proof', { proofs: { jwt: ['a.b.c'] } }],
] as const) {
  test(`a credential request with ${what} is refused`, async () => {
    const { token, template } = await aToken(issuer)
    const { status, body } = await request(issuer, token, template.code, [aKey()], { body: change })
    assert.deepEqual([status, body.error], [400, error])
  })
}

test('[VCI-C5] [VCI-C11] more proofs than any template of the issuer allows are refused; a smaller template gives fewer copies', async () => {
  const own = await anIssuer(db, 'http://localhost:8081')
  const alone = await aToken(own)
  const refused = await request(own, alone.token, alone.template.code, [aKey(), aKey()])
  assert.equal(refused.body.error, 'invalid_credential_request')
  await aToken(own, { batchSize: 2 })
  const { body } = await request(own, alone.token, alone.template.code, [aKey(), aKey()])
  assert.equal(body.credentials.length, 1)
  await own.server.close(0)
})

test('[VCI-T5] [VCI-T8] a bare token request gets no identifiers, and a token for the offered configuration only', async () => {
  const { code, template } = await anOffer(issuer)
  const { template: other } = await anOffer(issuer)
  const { body: granted } = await redeem(issuer, code)
  assert.deepEqual([granted.authorization_details, granted.scope], [undefined, undefined])
  const { status, body } = await request(issuer, granted.access_token, other.code, [aKey()])
  assert.deepEqual([status, body.error], [400, 'unknown_credential_configuration'])
  assert.equal((await request(issuer, granted.access_token, template.code, [aKey()])).status, 200)
})

test('[VCI-T4] a token with an identifier is redeemed by it or by its configuration, and by no other', async () => {
  const { code, template } = await anOffer(issuer)
  const details = (id: string) => ({
    authorization_details: JSON.stringify([{ type: 'openid_credential', credential_configuration_id: id }]),
  })
  assert.equal((await redeem(issuer, code, details('other'))).body.error, 'invalid_authorization_details')
  const { body: unread } = await redeem(issuer, code, { authorization_details: 'x' })
  assert.deepEqual(unread, {
    error: 'invalid_authorization_details',
    error_description: 'authorization_details is not a JSON array.',
  })
  const { body } = await redeem(issuer, code, details(template.code))
  const [
    {
      credential_identifiers: [identifier],
    },
  ] = body.authorization_details
  const byId = { credential_configuration_id: undefined, credential_identifier: identifier }
  const key = aKey()
  const { body: refused } = await request(issuer, body.access_token, 'other', [key])
  assert.equal(refused.error, 'unknown_credential_configuration')
  const byConfiguration = await request(issuer, body.access_token, template.code, [key])
  assert.equal(byConfiguration.status, 200, JSON.stringify(byConfiguration.body))
  const again = await request(issuer, body.access_token, '', [key], { body: byId })
  const [one, two] = [byConfiguration, again].map((answer) => slotOf(answer.body.credentials[0].credential))
  assert.deepEqual(one, two, 'it is the same credential')
})

test('an irrevocable credential has no status, and takes no entry of a list', async () => {
  const { token, template } = await aToken(issuer, { revocable: false })
  const { body } = await request(issuer, token, template.code, [aKey()])
  assert.equal(payloadOf(body.credentials[0].credential).status, undefined)
})

test('exp comes from validUntil, counted from the rounded time', async () => {
  const { token, template } = await aToken(issuer, { validUntil: { future: { years: 1 } }, validFrom: '2026-01-01' })
  const { body } = await request(issuer, token, template.code, [aKey()])
  const { exp, nbf } = payloadOf(body.credentials[0].credential)
  assert.equal(exp, Date.parse('2027-05-01T12:00:00Z') / 1000)
  assert.equal(nbf, Date.parse('2026-01-01T00:00:00Z') / 1000)
})

test('other keys are denied an irrevocable credential that is issued, without a look for entries', async () => {
  const { token, template } = await aToken(issuer, { revocable: false })
  assert.equal((await request(issuer, token, template.code, [aKey()])).status, 200)
  const answer = await request(issuer, token, template.code, [aKey()])
  assert.equal(answer.status, 400)
  assert.equal(answer.body.error, 'credential_request_denied')
})
