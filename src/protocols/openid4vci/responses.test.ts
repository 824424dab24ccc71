import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/support/fast-check.ts'
import { Fault } from '../../fault.ts'
import { buildCredentialResponse, readCredentialResponse } from './credential-response.ts'
import { readErrorResponse, readTokenResponse } from './token-response.ts'

const credentials = [{ credential: 'a~' }]
const deferred = { transaction_id: 't', interval: 5 }
const token = { access_token: 'at', token_type: 'bearer', expires_in: 300 }
const details = (more: object) => ({ authorization_details: [{ type: 'openid_credential', ...more }] })

test('what an issuer builds is read back [W-R1]', () => {
  assert.deepEqual(readCredentialResponse(buildCredentialResponse(['a~', 'b~'], 'n'), 2), {
    kind: 'issued',
    credentials: ['a~', 'b~'],
    notificationId: 'n',
  })
})

test('a deferred answer is read [W-R1]', () => {
  assert.deepEqual(readCredentialResponse({ ...deferred, later: 1 }, 1), {
    kind: 'deferred',
    transactionId: 't',
    intervalSeconds: 5,
  })
})

for (const [what, change, intervalSeconds] of [
  ['names no interval', { interval: undefined }, 60],
  ['names an interval that is no positive number', { interval: '5' }, 60],
  ['names an interval of 0', { interval: 0 }, 60],
  ['names an interval beyond all measure', { interval: 1e300 }, 30 * 86_400],
  ['has a notification before there is a credential', { notification_id: 'n' }, 5],
] as const) {
  test(`a deferred answer is read though it ${what}: the code is spent [W-R1]`, () => {
    const read = readCredentialResponse({ ...deferred, ...change }, 1)
    assert.deepEqual(read, { kind: 'deferred', transactionId: 't', intervalSeconds })
  })
}

for (const [what, body] of [
  ['no object', 'a~'],
  ['neither credentials nor transaction', {}],
  ['both', { credentials, ...deferred }],
  ['no credential in the list', { credentials: [] }],
  ['more credentials than keys', { credentials: [...credentials, { credential: 'b~' }] }],
  ['a bare string as element', { credentials: ['a~'] }],
  ['an object as credential', { credentials: [{ credential: {} }] }],
  ['a transaction that is no string', { transaction_id: 1, interval: 5 }],
  ['the top-level credential of a draft (0.4)', { credential: 'a~' }],
] as const) {
  test(`a credential response with ${what} is refused [W-R1]`, () => {
    assert.throws(() => readCredentialResponse(body, 1), { code: 'issuer_answer.invalid' })
  })
}

test('a token response without details leads to the configuration id [W-A4]', () => {
  assert.deepEqual(readTokenResponse({ ...token, c_nonce: 'draft', later: 1 }, false), {
    accessToken: 'at',
    tokenType: 'Bearer',
    expiresInSeconds: 300,
    refreshToken: null,
    credentialIdentifiers: null,
  })
})

test('identifiers of a token response are kept by configuration [W-A4]', () => {
  const body = { ...token, ...details({ credential_configuration_id: 'c', credential_identifiers: ['i'] }) }
  assert.deepEqual(readTokenResponse(body, false).credentialIdentifiers, new Map([['c', ['i']]]))
})

for (const [what, more] of [
  ['no identifiers', {}],
  ['an empty list of identifiers', { credential_identifiers: [] }],
] as const) {
  test(`details with ${what} lead to the configuration id [W-A4]`, () => {
    const body = { ...token, ...details({ credential_configuration_id: 'c', ...more }) }
    assert.deepEqual(readTokenResponse(body, false).credentialIdentifiers, new Map([['c', [null]]]))
  })
}

for (const [what, body, dpop] of [
  ['no token', { token_type: 'Bearer' }, false],
  ['no type (RFC 6749 5.1)', { access_token: 'at' }, false],
  ['Bearer where DPoP was asked for [W-A5]', token, true],
  ['DPoP where none was asked for', { ...token, token_type: 'DPoP' }, false],
  ['details that are no list', { ...token, authorization_details: {} }, false],
  ['details of no configuration', { ...token, ...details({ format: 'dc+sd-jwt' }) }, false],
  [
    'identifiers that are no strings',
    { ...token, ...details({ credential_configuration_id: 'c', credential_identifiers: [1] }) },
    false,
  ],
  ['no object', [], false],
] as const) {
  test(`a token response with ${what} is refused`, () => {
    assert.throws(() => readTokenResponse(body, dpop), { code: 'issuer_answer.invalid' })
  })
}

test('an error body is cut to what may be logged', () => {
  assert.deepEqual(readErrorResponse({ error: 'invalid_grant', error_description: 'no\nway' }), {
    error: 'invalid_grant',
    description: 'no?way',
    requestEnd: null,
    triesLeft: null,
  })
  assert.equal(readErrorResponse({ message: 'x' }), null)
})

test('whatever an issuer answers, it is read or refused', () => {
  const shaped = fc.dictionary(
    fc.constantFrom('credentials', 'transaction_id', 'interval', 'access_token', 'token_type', 'authorization_details'),
    fc.jsonValue(),
  )
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), shaped), (body) => {
      readErrorResponse(body)
      for (const read of [() => readCredentialResponse(body, 1), () => readTokenResponse(body, false)]) {
        try {
          read()
        } catch (error) {
          assert(error instanceof Fault && error.code === 'issuer_answer.invalid')
        }
      }
    }),
  )
})
