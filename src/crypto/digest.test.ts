import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { hmacSha256 } from './digest.ts'
import { randomBytes } from './random.ts'

test('HMAC-SHA-256 of RFC 4231, test cases 1 and 2', () => {
  const one = hmacSha256(Buffer.alloc(20, 0x0b), 'Hi There')
  assert.equal(one.toString('hex'), 'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7')
  const two = hmacSha256(Buffer.from('Jefe'), 'what do ya want ', 'for nothing?')
  assert.equal(two.toString('hex'), '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843')
})

test('the HMAC is that of the crypto library for every key and message', () => {
  const part = fc.oneof(fc.uint8Array({ maxLength: 1200 }), fc.string({ unit: 'binary', maxLength: 400 }))
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), fc.array(part, { maxLength: 4 }), (key, parts) => {
      const expected = createHmac('sha256', key)
      for (const one of parts) expected.update(one)
      assert.deepEqual(hmacSha256(key, ...parts), expected.digest())
      // again, with what the first time left behind
      assert.deepEqual(hmacSha256(key, 'x'), createHmac('sha256', key).update('x').digest())
    }),
  )
})

test('a key longer than a block is refused', () => {
  assert.throws(() => hmacSha256(Buffer.alloc(65), ''), RangeError)
})

test('no random byte is given out twice, and what was given stays as it was', () => {
  const given = Array.from({ length: 2000 }, () => randomBytes(16))
  const copies = given.map((one) => one.toString('hex'))
  randomBytes(200)
  assert.equal(new Set(copies).size, copies.length)
  assert.deepEqual(
    given.map((one) => one.toString('hex')),
    copies,
  )
  assert.equal(
    given.some((one) => one.every((byte) => byte === 0)),
    false,
  )
})
