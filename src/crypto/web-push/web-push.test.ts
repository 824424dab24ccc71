import assert from 'node:assert/strict'
import { createECDH } from 'node:crypto'
import { test } from 'node:test'
import { importJWK, jwtVerify } from 'jose'
import { encryptPushMessage, isPushPoint } from './encrypt-message.ts'
import { generateVapidKey, vapidHeader, vapidKeyOf } from './vapid.ts'

const bytes = (text: string) => Buffer.from(text, 'base64url')
/** RFC 8291, appendix A. */
const vector = {
  plaintext: 'When I grow up, I want to be a watermelon',
  sender: bytes('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw'),
  p256dh: bytes('BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4'),
  auth: bytes('BTBZMqHH6r4Tts7J_aSIgg'),
  salt: bytes('DGv6ra1nlYgDCS1FRnbzlw'),
  body:
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPT' +
    'pK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
}

test('a message is encrypted as in the published example', () => {
  const sender = createECDH('prime256v1')
  sender.setPrivateKey(vector.sender)
  const random = { sender, salt: vector.salt }
  const sealed = encryptPushMessage(Buffer.from(vector.plaintext), vector, { paddedBytes: 0, random })
  assert.equal(sealed.toString('base64url'), vector.body)
})

test('messages have one length whatever they say, two of the same text share no byte string, and one that is too long is refused', () => {
  const [one, other, same] = ['a', 'x'.repeat(200), 'a'].map((text) => encryptPushMessage(Buffer.from(text), vector))
  assert.deepEqual([one?.length, other?.length], [359, 359])
  assert.notDeepEqual(one, same)
  assert.equal(encryptPushMessage(Buffer.alloc(3993), vector).length, 4096)
  assert.throws(() => encryptPushMessage(Buffer.alloc(3994), vector), RangeError)
})

test('only an uncompressed point on the curve is a key of a browser', () => {
  const off = Buffer.from(vector.p256dh)
  off[64] = (off[64] ?? 0) ^ 1
  const compressed = createECDH('prime256v1').generateKeys(null, 'compressed')
  for (const bad of [off, compressed, Buffer.alloc(65), Buffer.alloc(0), vector.p256dh.subarray(0, 64)])
    assert.equal(isPushPoint(bad), false)
  assert.equal(isPushPoint(vector.p256dh), true)
})

test('the header is a JWT for the origin of the endpoint, for half a day, by the key that browsers are given', async () => {
  const key = vapidKeyOf(generateVapidKey())
  const now = new Date()
  const about = { endpoint: 'https://push.example:8443/w/secret', subject: 'mailto:admin@example.org' }
  const [, token = '', publicKey = ''] = /^vapid t=([^,]+), k=(\S+)$/.exec(await vapidHeader(key, about, now)) ?? []
  assert.equal(publicKey, key.publicKey)
  const point = bytes(publicKey)
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((one) => one.toString('base64url'))
  const jwk = { kty: 'EC', crv: 'P-256', x: x ?? '', y: y ?? '' }
  const audience = 'https://push.example:8443'
  const { payload, protectedHeader } = await jwtVerify(token, await importJWK(jwk, 'ES256'), { audience })
  assert.deepEqual([protectedHeader.alg, payload.sub], ['ES256', 'mailto:admin@example.org'])
  assert.equal(payload.exp, Math.floor(now.getTime() / 1000) + 43_200)
  assert.ok(!token.includes('secret'))
})
