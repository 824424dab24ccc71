import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fromBase64url, fromPaddedBase64url, toBase64url } from './base64url.ts'

test('padding is read where it fills the last group, and nowhere else', () => {
  for (const text of ['', 'a', 'ab', 'abc', 'abcd']) {
    const padded = Buffer.from(text).toString('base64').replaceAll('+', '-').replaceAll('/', '_')
    for (const one of [padded, toBase64url(text)]) assert.equal(fromPaddedBase64url(one).toString(), text)
    if (padded.endsWith('=')) assert.throws(() => fromBase64url(padded), { code: 'encoding.invalid' })
  }
  for (const wrong of ['YQ=', 'YQ===', 'Y===', '====', 'YWI==', 'YR==', 'Y=Q=', 'YWJj=', 'YQ==\n'])
    assert.throws(() => fromPaddedBase64url(wrong), { code: 'encoding.invalid' }, wrong)
})
