import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/support/fast-check.ts'
import { Fault } from '../../fault.ts'
import { checkCNonce, makeCNonce } from './c-nonce.ts'

const noon = new Date('2026-01-01T12:00:00Z')
const later = (seconds: number) => new Date(noon.getTime() + seconds * 1000)
const mine = Buffer.alloc(32, 1)
const theirs = Buffer.alloc(32, 2)
const nonce = makeCNonce(mine, noon)
const flipped = nonce.slice(0, 20) + (nonce[20] === 'A' ? 'B' : 'A') + nonce.slice(21)

test('a nonce is good for five minutes at the tenant that made it [VCI-N2]', () => {
  checkCNonce(mine, nonce, noon)
  checkCNonce(mine, nonce, later(300))
})

test('no two nonces are equal', () => {
  assert.notEqual(makeCNonce(mine, noon), nonce)
})

for (const [what, key, text, now] of [
  ['of another tenant', theirs, nonce, noon],
  ['301 s old', mine, nonce, later(301)],
  ['from the future', mine, nonce, later(-61)],
  ['with one character changed', mine, flipped, noon],
  ['cut short', mine, nonce.slice(0, -1), noon],
  ['with a second spelling', mine, `${nonce.slice(0, -1)}=`, noon],
  ['nobody made', mine, 'n', noon],
  ['empty', mine, '', noon],
] as const) {
  test(`a nonce ${what} is refused`, () => assert.throws(() => checkCNonce(key, text, now), { code: 'nonce.invalid' }))
}

test('no garbage is a nonce', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.string({ minLength: 54, maxLength: 54 }), fc.base64String()), (text) => {
      assert.throws(
        () => checkCNonce(mine, text, noon),
        (error) => error instanceof Fault && error.code === 'nonce.invalid',
      )
    }),
  )
})
