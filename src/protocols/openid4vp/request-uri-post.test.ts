import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildRequestUriForm, canEncrypt } from './request-uri-post.ts'

test('the wallet posts its nonce as a form [VP-U2]', () => {
  const form = new URLSearchParams(buildRequestUriForm('w-1&a'))
  assert.equal(form.get('wallet_nonce'), 'w-1&a')
  assert.equal(canEncrypt(form.get('wallet_metadata') ?? ''), true)
})

for (const metadata of [undefined, '', '{', '[]', '{}', '{"response_modes_supported":"direct_post.jwt"}']) {
  test(`the wallet metadata ${metadata} do not say that the wallet encrypts`, () => {
    assert.equal(canEncrypt(metadata), false)
  })
}
