import assert from 'node:assert/strict'
import { createPrivateKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { CompactEncrypt, compactDecrypt, importJWK } from 'jose'
import { derivedKeyPair } from './derived-key-pair.ts'
import { decryptCompact, encryptCompact, jweEncs } from './jwe.ts'
import { generateKeyPair } from './jwk.ts'

const file = new URL('../../test/vectors/data/mdoc/session-transcript.json', import.meta.url)
const vector = JSON.parse(readFileSync(file, 'utf8')).encryptedResponse
const { publicJwk, privateKey } = generateKeyPair()
const content = JSON.stringify({ vp_token: { c0: ['Zoë'] } })
const utf8 = new TextEncoder()

async function byJose(header: object, text = content, parties: { apu?: string; apv?: string } = {}): Promise<string> {
  const bytes = (one?: string) => (one === undefined ? {} : utf8.encode(one))
  const jwe = new CompactEncrypt(utf8.encode(text)).setProtectedHeader({ alg: 'ECDH-ES', enc: 'A128GCM', ...header })
  const { apu, apv } = parties
  if (apu !== undefined && apv !== undefined)
    jwe.setKeyManagementParameters({ apu: bytes(apu) as Uint8Array, apv: bytes(apv) as Uint8Array })
  return jwe.encrypt(await importJWK({ ...publicJwk }, 'ECDH-ES'))
}

test('the encrypted response of OpenID4VP 8.3 is decrypted', () => {
  const key = createPrivateKey({ key: vector.privateJwk, format: 'jwk' })
  assert.deepEqual(JSON.parse(String(decryptCompact(vector.jwe, key))), vector.expectedPayload)
})

test('a derived key decrypts what was encrypted to its other derivation; another label or seed gives another key', () => {
  const seed = Buffer.alloc(32, 7)
  const jwe = encryptCompact(content, { jwk: derivedKeyPair(seed, 'one').publicJwk, enc: 'A256GCM' })
  assert.equal(String(decryptCompact(jwe, derivedKeyPair(seed, 'one').privateKey)), content)
  assert.equal(decryptCompact(jwe, derivedKeyPair(seed, 'two').privateKey), null)
  assert.equal(decryptCompact(jwe, derivedKeyPair(Buffer.alloc(32, 8), 'one').privateKey), null)
})

for (const enc of jweEncs) {
  test(`${enc}: jose decrypts what we encrypt, and we what jose encrypts, also with apu and apv`, async () => {
    const { plaintext, protectedHeader } = await compactDecrypt(
      encryptCompact(content, { jwk: publicJwk, kid: 'k', enc }),
      await importJWK(privateKey.export({ format: 'jwk' }), 'ECDH-ES'),
    )
    assert.equal(new TextDecoder().decode(plaintext), content)
    assert.partialDeepStrictEqual(protectedHeader, { alg: 'ECDH-ES', enc, kid: 'k' })
    for (const parties of [{}, { apu: 'wallet', apv: 'nonce' }])
      assert.equal(String(decryptCompact(await byJose({ enc }, content, parties), privateKey)), content)
  })
}

const good = await byJose({})
const replaced = (index: number, part: string) => good.split('.').with(index, part).join('.')
const headerWith = (change: object) => {
  const header = { ...JSON.parse(Buffer.from(good.split('.')[0] ?? '', 'base64url').toString()), ...change }
  return replaced(0, Buffer.from(JSON.stringify(header)).toString('base64url'))
}
for (const [what, jwe] of [
  ['a changed ciphertext', replaced(3, 'AAAA')],
  ['a changed tag', replaced(4, 'A'.repeat(22))],
  ['a short tag', replaced(4, 'AAAA')],
  ['an encrypted key', replaced(1, 'AAAA')],
  ['four parts', good.split('.').slice(0, 4).join('.')],
  ['another algorithm', headerWith({ alg: 'ECDH-ES+A128KW' })],
  ['another content encryption', headerWith({ enc: 'A128CBC-HS256' })],
  ['compression', headerWith({ zip: 'DEF' })],
  ['a critical extension', headerWith({ crit: ['x'] })],
  ['a point off the curve', headerWith({ epk: { ...publicJwk, y: publicJwk.x } })],
  ['no ephemeral key', headerWith({ epk: undefined })],
  ['something that is no JWE', 'x'],
] as const) {
  test(`a JWE with ${what} is not decrypted`, () => {
    assert.equal(decryptCompact(jwe, privateKey), null)
  })
}

test('a JWE for another key is not decrypted', () => {
  assert.equal(decryptCompact(good, generateKeyPair().privateKey), null)
})
