import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hmacSha256 } from './digest.ts'

test('HMAC-SHA-256 of RFC 4231, test cases 1 and 2', () => {
  const one = hmacSha256(Buffer.alloc(20, 0x0b), 'Hi There')
  assert.equal(one.toString('hex'), 'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7')
  const two = hmacSha256(Buffer.from('Jefe'), 'what do ya want ', 'for nothing?')
  assert.equal(two.toString('hex'), '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843')
})

test('a key longer than a block counts by its hash, as the RFC says (test case 6)', () => {
  const mac = hmacSha256(Buffer.alloc(131, 0xaa), 'Test Using Larger Than Block-Size Key - Hash Key First')
  assert.equal(mac.toString('hex'), '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54')
})
