import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/support/fast-check.ts'
import { Fault } from '../../fault.ts'
import { buildErrorResponse, buildResponse, readRedirect, readResponse } from './response.ts'

const formOf = (body: string) => Object.fromEntries(new URLSearchParams(body))

test('a member without a value is absent (RFC 6749 3.1)', () => {
  const none = { error: '', error_description: '', response: '', state: '' }
  assert.partialDeepStrictEqual(readResponse({ ...none, vp_token: '{"q":["a~"]}' }), { kind: 'presented', state: null })
  const refused = readResponse({ ...none, vp_token: '', error: 'access_denied', state: 's' })
  assert.deepEqual(refused, { kind: 'refused', error: 'access_denied', description: null, state: 's' })
})

test('an answer that the wallet builds is read by the verifier [VP-S2]', () => {
  const vpToken = new Map([['one', ['a~b']]])
  assert.deepEqual(readResponse(formOf(buildResponse(vpToken, 's', null))), { kind: 'presented', vpToken, state: 's' })
})

test('a refusal that the wallet builds is read by the verifier [VP-S2]', () => {
  const body = formOf(buildErrorResponse('access_denied', null, null))
  assert.deepEqual(readResponse(body), { kind: 'refused', error: 'access_denied', description: null, state: null })
})

for (const [what, form] of [
  ['neither vp_token nor error', { state: 's' }],
  ['both', { vp_token: '{"one":["a"]}', error: 'x' }],
  ['a token that is no JSON [VP-S1]', { vp_token: 'a~b' }],
  ['a token that is an array [VP-S1]', { vp_token: '["a"]' }],
  ['an empty token [VP-S1]', { vp_token: '{}' }],
  ['an id twice', { vp_token: '{"one":["a"],"one":["b"]}' }],
  ['a string instead of an array [VP-S1]', { vp_token: '{"one":"a"}' }],
  ['an empty array [VP-S1]', { vp_token: '{"one":[]}' }],
  ['an object as presentation', { vp_token: '{"one":[{}]}' }],
  ['51 presentations [SEC-41]', { vp_token: JSON.stringify({ several: Array(51).fill('a') }) }],
  ['an encrypted response that is no text', { response: {} }],
  ['an error code with a line break', { error: 'a\nb' }],
] as const) {
  test(`a response with ${what} is refused`, () => {
    assert.throws(() => readResponse(form), { code: 'presentation_response.invalid' })
  })
}

for (const [answer, expected] of [
  [{ redirect_uri: 'https://verifier.example/done#code' }, 'https://verifier.example/done#code'],
  [{ redirect_uri: 'org.example.app:/done' }, 'org.example.app:/done'],
  [{ redirect_uri: 'javascript:alert(1)' }, null],
  [{ redirect_uri: 'data:text/html,x' }, null],
  [{ redirect_uri: 7 }, null],
  [{}, null],
  ['https://verifier.example', null],
] as const) {
  test(`the redirect of ${JSON.stringify(answer)} is ${expected} [VP-S4]`, () =>
    assert.equal(readRedirect(answer), expected))
}

test('whatever comes as a response, it is read or refused', () => {
  const form = fc.dictionary(
    fc.constantFrom('vp_token', 'state', 'error', 'error_description'),
    fc.oneof(fc.string(), fc.json()),
  )
  fc.assert(
    fc.property(form, (one) => {
      try {
        readResponse(one)
      } catch (error) {
        assert(error instanceof Fault && error.code === 'presentation_response.invalid')
      }
    }),
  )
})
