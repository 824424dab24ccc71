import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { deflateRawSync } from 'node:zlib'
import { CompactEncrypt, compactDecrypt, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose'
import type { TestDatabase } from '../../../test/support/database.ts'
import { decryptCompact, encryptCompact } from '../../crypto/jwe.ts'
import { generateKeyPair as pairOf } from '../../crypto/jwk.ts'
import { buildJwtProof } from '../../protocols/openid4vci/jwt-proof.ts'
import { readAccessToken } from '../offers/access-token.ts'
import { aDatabase, aKey, aNonce, anIssuer, aToken, type Issuer, type Reply } from '../test-support/issuer.ts'
import { issueCredential } from './issue-credential.ts'

// The wallet encrypts and decrypts with jose.
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

async function metadata() {
  return (await issuer.open(`/.well-known/openid-credential-issuer/issuers/${issuer.tenant.slug}`)).body
}

async function aWallet() {
  const { publicKey, privateKey } = await generateKeyPair('ECDH-ES', { crv: 'P-256', extractable: true })
  return { jwk: { ...(await exportJWK(publicKey)), alg: 'ECDH-ES', use: 'enc', kid: 'mine' } as JWK, privateKey }
}

async function aRequest(more: object = {}) {
  const made = await aToken(issuer)
  const about = { issuer: issuer.platform.urls.issuer(issuer.tenant.slug), nonce: await aNonce(issuer), clientId: null }
  const proofs = { jwt: [await buildJwtProof(about, aKey(), issuer.clock.at)] }
  return { token: made.token, body: { credential_configuration_id: made.template.code, proofs, ...more } }
}

async function encrypted(plain: Buffer, header: object = {}, key?: JWK): Promise<string> {
  const [published] = (await metadata()).credential_request_encryption.jwks.keys
  const to = await importJWK(key ?? published, 'ECDH-ES')
  return new CompactEncrypt(plain)
    .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM', kid: published.kid, ...header })
    .encrypt(to)
}

function sent(token: string, jwe: string): Promise<Reply> {
  const path = `/issuers/${issuer.tenant.slug}/credential`
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/jwt' }
  return issuer.server.dispatch({ method: 'POST', path, headers, body: jwe }).then(({ status, headers: got, body }) => {
    const text = body.toString()
    return { status, headers: got, body: got['content-type'] === 'application/json' ? JSON.parse(text) : text }
  })
}

for (const enc of ['A128GCM', 'A256GCM']) {
  test(`[VCI-E1] [VCI-E4] [VCI-C13] a request encrypted with ${enc} gets a response encrypted to the key in it`, async () => {
    const { jwk, privateKey } = await aWallet()
    const { token, body } = await aRequest({ credential_response_encryption: { jwk, enc } })
    const answer = await sent(token, await encrypted(Buffer.from(JSON.stringify(body)), { enc }))
    assert.deepEqual(
      [answer.status, answer.headers['content-type']],
      [200, 'application/jwt'],
      JSON.stringify(answer.body),
    )
    const { plaintext, protectedHeader } = await compactDecrypt(answer.body, privateKey)
    assert.partialDeepStrictEqual(protectedHeader, { alg: 'ECDH-ES', enc, kid: 'mine' })
    const { credentials } = JSON.parse(Buffer.from(plaintext).toString())
    assert.equal(typeof credentials[0].credential, 'string')
  })
}

test('a response is compressed where the wallet asks for it, and only then', async () => {
  const { jwk, privateKey } = await aWallet()
  const wish = { jwk, enc: 'A256GCM', zip: 'DEF' }
  const { token, body } = await aRequest({ credential_response_encryption: wish })
  const answer = await sent(token, await encrypted(Buffer.from(JSON.stringify(body))))
  const [head = ''] = String(answer.body).split('.')
  assert.equal(JSON.parse(Buffer.from(head, 'base64url').toString()).zip, 'DEF')
  const content = decryptCompact(answer.body, await nodeKey(privateKey), 100_000)
  assert.equal(JSON.parse(String(content)).credentials.length, 1)
})

async function nodeKey(key: CryptoKey) {
  const { KeyObject } = await import('node:crypto')
  return KeyObject.from(key)
}

test('an encrypted request without a key gets a plain response', async () => {
  const { token, body } = await aRequest()
  const answer = await sent(token, await encrypted(Buffer.from(JSON.stringify(body))))
  assert.deepEqual([answer.status, answer.body.credentials?.length], [200, 1])
})

test('[VCI-E1] a request to the key of the week before is read, to one before that it is refused', async () => {
  const { token, body } = await aRequest()
  const start = issuer.clock.at
  const jwe = await encrypted(Buffer.from(JSON.stringify(body)))
  const errorIn = async (weeks: number) => {
    issuer.clock.at = new Date(start.getTime() + weeks * 7 * 86_400_000)
    const again = await aRequest()
    const answer = await sent(again.token, jwe)
    issuer.clock.at = start
    return answer.body.error
  }
  // Its nonce is old by then, which is only seen in a request that was decrypted.
  assert.equal(await errorIn(1), 'unknown_credential_configuration')
  assert.equal(await errorIn(2), 'invalid_encryption_parameters')
  assert.equal((await sent(token, jwe)).status, 200)
})

const good = { enc: 'A256GCM' }
for (const [what, wish] of [
  ['no object', 'A256GCM'],
  ['no key', good],
  ['an unsupported enc', { enc: 'A128CBC-HS256', jwk: {} }],
  ['no enc', { jwk: {} }],
  ['an unsupported zip', { ...good, zip: 'GZIP', jwk: {} }],
  ['a key without alg', { ...good, jwk: { ...pairOf().publicJwk } }],
  ['a key of another alg', { ...good, jwk: { ...pairOf().publicJwk, alg: 'ECDH-ES+A128KW' } }],
  ['a signing key', { ...good, jwk: { ...pairOf().publicJwk, alg: 'ECDH-ES', use: 'sig' } }],
  ['a private key', { ...good, jwk: { ...pairOf().privateKey.export({ format: 'jwk' }), alg: 'ECDH-ES' } }],
  ['a point off the curve', { ...good, jwk: { ...pairOf().publicJwk, x: 'A'.repeat(43), alg: 'ECDH-ES' } }],
] as const) {
  test(`a wish for encryption with ${what} is refused in plain JSON`, async () => {
    const { token, body } = await aRequest({ credential_response_encryption: wish })
    const { status, body: refused } = await sent(token, await encrypted(Buffer.from(JSON.stringify(body))))
    assert.deepEqual([status, refused.error], [400, 'invalid_encryption_parameters'])
  })
}

for (const [what, jwe, error = 'invalid_encryption_parameters'] of [
  ['is no JWE', async () => 'a.b.c'],
  ['is empty', async () => ''],
  ['has another kid', () => encrypted(Buffer.from('{}'), { kid: 'other' })],
  ['is to another key under our kid', () => encrypted(Buffer.from('{}'), {}, { ...pairOf().publicJwk })],
  ['has an encrypted key', async () => (await encrypted(Buffer.from('{}'))).replace('..', '.AAAA.')],
  ['has a changed tag', async () => `${(await encrypted(Buffer.from('{}'))).slice(0, -22)}${'A'.repeat(22)}`],
  ['is not JSON inside', () => encrypted(Buffer.from('[')), 'invalid_credential_request'],
] as const satisfies readonly (readonly [string, () => Promise<string>, string?])[]) {
  test(`an encrypted request that ${what} is refused`, async () => {
    const { token } = await aToken(issuer)
    const { status, body } = await sent(token, await jwe())
    assert.deepEqual([status, body.error], [400, error], JSON.stringify(body))
  })
}

test('[VCI-E3] a compressed content is inflated up to its limit, and not at all without one', () => {
  const { publicJwk: jwk, privateKey } = pairOf()
  const bomb = encryptCompact('0'.repeat(100_001), { jwk, enc: 'A128GCM', zip: 'DEF' })
  assert.ok(bomb.length < 1000 && deflateRawSync('0').length > 0)
  assert.equal(decryptCompact(bomb, privateKey, 100_001)?.length, 100_001)
  assert.equal(decryptCompact(bomb, privateKey, 100_000), null)
  assert.equal(decryptCompact(bomb, privateKey), null)
})

test('[VCI-E3] a compressed request is read; one that inflates to 8 MiB is refused', async () => {
  const [published] = (await metadata()).credential_request_encryption.jwks.keys
  const { kty, crv, x, y, kid } = published
  const { token, body } = await aRequest()
  const to = { jwk: { kty, crv, x, y }, kid, enc: 'A256GCM', zip: 'DEF' } as const
  const huge = JSON.stringify({ ...body, padding: ' '.repeat(8 * 1024 * 1024) })
  assert.equal((await sent(token, encryptCompact(huge, to))).body.error, 'invalid_encryption_parameters')
  assert.equal((await sent(token, encryptCompact(JSON.stringify(body), to))).status, 200)
})

test('[VCI-M7] the metadata has both blocks, with the key of requests', async () => {
  const { credential_request_encryption: requests, credential_response_encryption: responses } = await metadata()
  const [{ x, y, kid, ...key }] = requests.jwks.keys
  assert.deepEqual(key, { kty: 'EC', crv: 'P-256', use: 'enc', alg: 'ECDH-ES' })
  assert.equal(
    [x, y, kid].every((one) => one.length === 43),
    true,
  )
  const same = {
    enc_values_supported: ['A256GCM', 'A128GCM'],
    zip_values_supported: ['DEF'],
    encryption_required: false,
  }
  assert.deepEqual({ ...requests, jwks: null }, { jwks: null, ...same })
  assert.deepEqual(responses, { alg_values_supported: ['ECDH-ES'], ...same })
})

test('[VCI-E2] a tenant that requires encryption refuses a plain request, and one without a key for the response', async () => {
  const { id, slug } = issuer.tenant
  const strict = { id, slug, name: '', settings: { credentialEncryption: 'required' }, catalogVersion: 0 }
  const { token, body } = await aRequest()
  const granted = await readAccessToken(issuer.platform.sealing, id, token)
  const refused = { code: 'credential_encryption.unsupported' }
  const from = { ip: '192.0.2.1', requestId: 'r' }
  await assert.rejects(issueCredential(issuer.platform, strict, { granted, body, isJwe: false }, from), refused)
  const jwe = await encrypted(Buffer.from(JSON.stringify(body)))
  await assert.rejects(issueCredential(issuer.platform, strict, { granted, body: jwe, isJwe: true }, from), refused)
})

test('[SEC-8] a wish for encryption in a plain request is refused', async () => {
  const { jwk } = await aWallet()
  const { token, body } = await aRequest({ credential_response_encryption: { jwk, enc: 'A256GCM' } })
  const headers = { authorization: `Bearer ${token}` }
  const answer = await issuer.open(`/issuers/${issuer.tenant.slug}/credential`, { json: body, headers })
  assert.deepEqual([answer.status, answer.body.error], [400, 'invalid_encryption_parameters'])
})
