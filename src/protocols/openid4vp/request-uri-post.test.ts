import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildRequestUriForm, readWalletNonce } from './request-uri-post.ts'

test('the nonce that a wallet posts is read; none is none [VP-U2]', () => {
  assert.equal(readWalletNonce(Object.fromEntries(new URLSearchParams(buildRequestUriForm('w-1')))), 'w-1')
  assert.equal(readWalletNonce({ wallet_metadata: '{}' }), null)
})

for (const wallet_nonce of ['', 'a b', 'ñ', 'x'.repeat(513), 7]) {
  test(`a wallet nonce ${JSON.stringify(wallet_nonce).slice(0, 20)} is refused`, () => {
    assert.throws(() => readWalletNonce({ wallet_nonce }), { code: 'request.invalid' })
  })
}
