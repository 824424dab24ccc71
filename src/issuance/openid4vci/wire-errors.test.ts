import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TestDatabase } from '../../../test/support/database.ts'
import { aDatabase, anIssuer, anOffer, aToken, type Issuer, someClaims } from '../test-support/issuer.ts'

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

const json = 'application/json'
async function post(endpoint: string, body: string, headers: Record<string, string>) {
  const path = `/issuers/${issuer.tenant.slug}/${endpoint}`
  const answer = await issuer.server.dispatch({ method: 'POST', path, headers, body })
  return { status: answer.status, headers: answer.headers, error: JSON.parse(answer.body.toString()).error }
}

for (const [endpoint, error] of [
  // [VCI-E1] The credential endpoint decrypts requests.
  ['credential', 'invalid_encryption_parameters'],
  ['notification', 'invalid_notification_request'],
] as const) {
  test(`[VCI-C3] [VCI-X3] an unreadable encrypted request at the ${endpoint} endpoint is ${error}`, async () => {
    const headers = { 'content-type': 'application/jwt', authorization: `Bearer ${(await aToken(issuer)).token}` }
    const reply = await post(endpoint, 'a.b.c.d.e', headers)
    assert.deepEqual([reply.status, reply.error, reply.headers['cache-control']], [400, error, 'no-store'])
  })
}

for (const [endpoint, error] of [
  ['credential', 'invalid_credential_request'],
  ['notification', 'invalid_notification_request'],
] as const) {
  for (const [what, body, type] of [
    ['malformed JSON', '{', json],
    ['a member twice', '{"proofs":{},"proofs":{}}', json],
    ['nesting without end', '['.repeat(5000) + ']'.repeat(5000), json],
    ['no object', '[]', json],
    ['a text', '"x"', json],
    ['nothing', '', json],
    ['a form', 'a=b', 'application/x-www-form-urlencoded'],
  ] as const) {
    test(`[VCI-C3] [VCI-X3] ${what} at the ${endpoint} endpoint is ${error}`, async () => {
      const { token } = await aToken(issuer)
      const reply = await post(endpoint, body, { 'content-type': type, authorization: `Bearer ${token}` })
      assert.deepEqual([reply.status, reply.error, reply.headers['cache-control']], [400, error, 'no-store'])
    })
  }

  for (const [what, authorization, challenge] of [
    ['no token', undefined, 'Bearer realm="chirograph"'],
    ['another scheme', 'Basic eDp5', 'Bearer realm="chirograph"'],
    ['an unknown token bound to a key', 'DPoP x', 'Bearer realm="chirograph", error="invalid_token"'],
    ['an unknown token', 'Bearer x', 'Bearer realm="chirograph", error="invalid_token"'],
    ['an empty token', 'Bearer ', 'Bearer realm="chirograph", error="invalid_token"'],
  ] as const) {
    test(`[RFC 6750 3] ${what} at the ${endpoint} endpoint is 401 with the challenge that fits`, async () => {
      const headers = { 'content-type': json, ...(authorization !== undefined && { authorization }) }
      const body = JSON.stringify({ notification_id: 'x', event: 'credential_accepted' })
      const reply = await post(endpoint, body, headers)
      assert.deepEqual([reply.status, reply.headers['www-authenticate']], [401, challenge])
    })
  }

  for (const [what, body, type] of [
    ['malformed JSON', '{', json],
    ['more values than are read', `[${'0,'.repeat(30_000)}0]`, json],
    ['more bytes than are read', ' '.repeat(2 ** 21), json],
    ['a form', 'a=b', 'application/x-www-form-urlencoded'],
  ] as const) {
    test(`[RFC 6750 3.1] ${what} without a token at the ${endpoint} endpoint is 401: the body is not read`, async () => {
      const reply = await post(endpoint, body, { 'content-type': type })
      assert.deepEqual([reply.status, reply.headers['www-authenticate']], [401, 'Bearer realm="chirograph"'])
    })
  }

  test(`[VCI-C4] a token in the query or the body of the ${endpoint} endpoint is none`, async () => {
    const { token } = await aToken(issuer)
    const body = JSON.stringify({ access_token: token, notification_id: 'x', event: 'credential_accepted' })
    assert.equal((await post(`${endpoint}?access_token=${token}`, body, { 'content-type': json })).status, 401)
  })
}

test('[RFC 6749 3.2] a token request with a parameter twice is refused, an empty one counts as left out, unknown ones as nothing', async () => {
  const { code } = await anOffer(issuer)
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  const grant = 'grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Apre-authorized_code'
  const good = `${grant}&pre-authorized_code=${code}&tx_code=&later=1&scope=x&client_id=wallet`
  assert.equal((await post('token', `${good}&later=2`, type)).error, 'invalid_request')
  assert.equal((await post('token', `${good}&tx_code=1`, type)).error, 'invalid_request')
  assert.equal((await post('token', 'grant_type=', type)).error, 'invalid_request')
  assert.equal((await post('token', good, type)).status, 200)
})

test('[VCI-T6] [VCI-N1] [VCI-C14] what a POST hands out is not stored, and what it refuses neither', async () => {
  const { code } = await anOffer(issuer)
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  const grant = 'grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Apre-authorized_code'
  const granted = await post('token', `${grant}&pre-authorized_code=${code}`, type)
  const refused = await post('token', `${grant}&pre-authorized_code=${code}`, type)
  const nonce = await post('nonce', '', {})
  assert.deepEqual([granted.status, refused.status, nonce.status], [200, 400, 200])
  for (const { headers } of [granted, refused, nonce]) {
    assert.deepEqual([headers['cache-control'], headers['content-type']], ['no-store', json])
  }
  // [VCI-N3]
  assert.ok((nonce.headers['dpop-nonce'] ?? '').length > 16)
})

test('[VCI-M4] [VCI-M5] metadata is JSON in all languages unless the signed form is asked for, and says what it depends on', async () => {
  const path = `/.well-known/openid-credential-issuer/issuers/${issuer.tenant.slug}`
  const plain = await issuer.open(path)
  const asked = await issuer.open(path, { headers: { accept: 'text/html, */*;q=0', 'accept-language': 'x-y' } })
  assert.deepEqual(asked.body, plain.body)
  for (const { status, headers } of [plain, asked]) {
    assert.deepEqual(
      [status, headers['content-type'], headers.vary?.toLowerCase()],
      [200, json, 'accept, accept-language'],
    )
  }
  assert.equal((await issuer.open(`/issuers/${issuer.tenant.slug}/.well-known/openid-credential-issuer`)).status, 404)
})

test('a text that no column keeps is refused, wherever it stands', async () => {
  const { template } = await anOffer(issuer)
  const ask = { credentialTemplateId: template.id, attributes: someClaims }
  for (const [body, pointer] of [
    [{ ...ask, reference: 'a\0' }, '/reference'],
    [{ ...ask, attributes: { ...someClaims, given_name: '\ud800' } }, '/attributes/given_name'],
  ] as const) {
    const { status, body: refusal } = await issuer.api('POST', '/credentials/issuance', body)
    assert.deepEqual([status, refusal.errors[0].source.pointer], [400, pointer])
  }
  const listed = await issuer.api('GET', `/credentials?${new URLSearchParams({ 'filter[reference]': 'a\0' })}`)
  assert.deepEqual([listed.status, listed.body.errors[0].source.parameter], [400, 'filter[reference]'])
})
