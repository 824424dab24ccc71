import assert from 'node:assert/strict'
import { test } from 'node:test'
import { presentParameters, readAuthorizationRequest } from './authorization-request.ts'
import { challengeOf, isCodeChallenge } from './pkce.ts'
import { isRegisteredRedirect, withParameters } from './redirect-uri.ts'

const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
const good = { response_type: 'code', scope: 'openid  a a', code_challenge: challenge, code_challenge_method: 'S256' }

test('[RFC 7636 B] the challenge of the specification', () => {
  assert.equal(challengeOf('dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'), challenge)
  assert.equal(isCodeChallenge(challenge), true)
})

for (const verifier of ['', 'short', 'x'.repeat(42), 'x'.repeat(129), `${'x'.repeat(42)}+`, `${'x'.repeat(42)}é`]) {
  test(`[RFC 7636 4.1] a verifier of ${verifier.length} characters ending in "${verifier.at(-1) ?? ''}" has no challenge`, () => {
    assert.equal(challengeOf(verifier), null)
  })
}

test('a request is read: scopes once, lists split, absent members null', () => {
  assert.deepEqual(readAuthorizationRequest({ ...good, prompt: 'login consent', max_age: '0', acr_values: 'x y' }), {
    scopes: ['openid', 'a'],
    challenge,
    nonce: null,
    prompts: ['login', 'consent'],
    maxAgeSeconds: 0,
    acrValues: ['x', 'y'],
    loginHint: null,
    idTokenHint: null,
    dpopJkt: null,
  })
})

for (const [what, change, code] of [
  ['more than fifty scopes', { scope: Array.from({ length: 51 }, (_, n) => `s${n}`).join(' ') }, 'scope.invalid'],
  ['a max_age with a sign', { max_age: '+1' }, 'request.invalid'],
  ['a max_age with a fraction', { max_age: '1.5' }, 'request.invalid'],
  ['a max_age that is too long', { max_age: '9999999999' }, 'request.invalid'],
  ['a method in lower case', { code_challenge_method: 's256' }, 'request.invalid'],
  ['response_mode=form_post', { response_mode: 'form_post' }, 'request.invalid'],
] as const) {
  test(`a request with ${what} is refused`, () => {
    assert.throws(() => readAuthorizationRequest({ ...good, ...change }), { code })
  })
}

test('[RFC 6749 3.1] parameters without a value count as omitted; long ones and NUL are refused', () => {
  assert.deepEqual(presentParameters({ a: '', b: 'x', c: undefined }), { b: 'x' })
  for (const long of ['id_token_hint', 'state'])
    assert.equal(presentParameters({ [long]: 'x'.repeat(8192) })[long]?.length, 8192)
  for (const wrong of [{ a: 'x'.repeat(2049) }, { state: 'x'.repeat(8193) }, { a: 'x\0' }]) {
    assert.throws(() => presentParameters(wrong), { code: 'request.invalid' })
  }
})

const registered = ['https://rp.example/cb?a=1', 'http://127.0.0.1/cb', 'http://[::1]:80/cb', 'com.example.app:/cb']
for (const [uri, isRight] of [
  ['https://rp.example/cb?a=1', true],
  ['https://rp.example/cb', false],
  ['https://rp.example/cb?a=1&b=2', false],
  ['https://RP.example/cb?a=1', false],
  ['https://rp.example:443/cb?a=1', false],
  ['https://rp.example/x/../cb?a=1', false],
  ['https://rp.example/cb?a=1#', false],
  ['https://rp.example@evil.example/cb?a=1', false],
  ['com.example.app:/cb', true],
  ['com.example.app:/cb/x', false],
  ['http://127.0.0.1:49152/cb', true],
  ['http://127.0.0.1/cb', true],
  ['http://127.0.0.1:49152/cb/', false],
  ['http://127.0.0.1:49152/cb?x=1', false],
  ['http://127.0.0.1:x@evil.example/cb', false],
  ['http://127.0.0.1.evil.example/cb', false],
  ['https://127.0.0.1:1/cb', false],
  ['http://[::1]:49152/cb', true],
  ['http://localhost:49152/cb', false],
] as const) {
  test(`[RFC 9700 2.1] ${uri} is ${isRight ? '' : 'not '}registered`, () => {
    assert.equal(isRegisteredRedirect(registered, uri), isRight)
  })
}

test('a response keeps the redirect URI as it was registered', () => {
  assert.equal(
    withParameters('https://rp.example/cb?a=1', { code: 'x y', state: undefined }),
    'https://rp.example/cb?a=1&code=x+y',
  )
  assert.equal(withParameters('com.example.app:/cb', { error: 'e' }), 'com.example.app:/cb?error=e')
})
