import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildRequestUriForm } from './request-uri-post.ts'

test('the wallet posts its nonce as a form [VP-U2]', () => {
  assert.equal(buildRequestUriForm('w-1&a'), 'wallet_nonce=w-1%26a')
})
