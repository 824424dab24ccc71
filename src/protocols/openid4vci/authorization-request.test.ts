import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fault } from '../../fault.ts'
import { buildAuthorizationRequest, readAuthorizationResponse } from './authorization-request.ts'

const ask = {
  clientId: 'https://wallet.example',
  redirectUri: 'https://wallet.example/cb',
  state: 's',
  codeChallenge: 'c',
  issuerState: null,
  credentialIssuer: 'https://issuer.example/a',
  hasServers: false,
  dpopJkt: null,
}
const server = { issuer: 'https://as.example', sendsIss: true }

for (const [what, change, configurations, expected] of [
  [
    'one scope for two credentials is sent once',
    {},
    [
      { id: 'a', scope: 'x' },
      { id: 'b', scope: 'x' },
    ],
    { scope: 'x' },
  ],
  [
    'scopes are joined',
    {},
    [
      { id: 'a', scope: 'x' },
      { id: 'b', scope: 'y' },
    ],
    { scope: 'x y' },
  ],
  [
    'with listed servers a scope is for the issuer',
    { hasServers: true },
    [{ id: 'a', scope: 'x' }],
    { scope: 'x', resource: 'https://issuer.example/a' },
  ],
  [
    'a credential without scope is named in authorization_details, with all others',
    {},
    [
      { id: 'a', scope: 'x' },
      { id: 'b', scope: null },
    ],
    {
      authorization_details: JSON.stringify([
        { type: 'openid_credential', credential_configuration_id: 'a' },
        { type: 'openid_credential', credential_configuration_id: 'b' },
      ]),
    },
  ],
  [
    'issuer_state and the DPoP key are sent if there are any',
    { issuerState: 'of the offer', dpopJkt: 'j' },
    [{ id: 'a', scope: 'x' }],
    { scope: 'x', issuer_state: 'of the offer', dpop_jkt: 'j' },
  ],
] as const) {
  test(`${what} [W-A1]`, () => {
    const common = {
      response_type: 'code',
      client_id: 'https://wallet.example',
      redirect_uri: 'https://wallet.example/cb',
      state: 's',
      code_challenge: 'c',
      code_challenge_method: 'S256',
    }
    const request = buildAuthorizationRequest({ ...ask, ...change }, configurations)
    assert.deepEqual(Object.fromEntries(request), { ...common, ...expected })
  })
}

test('a response is a code or an error of the server that was asked; its text is made printable [W-A2]', () => {
  const iss = 'iss=https%3A%2F%2Fas.example'
  const read = (query: string, sendsIss = true) =>
    readAuthorizationResponse(new URLSearchParams(query), { ...server, sendsIss })
  assert.deepEqual(read(`code=c&${iss}`), { code: 'c' })
  assert.deepEqual(read('code=c', false), { code: 'c' })
  const error = { error: 'access_denied', description: 'no? way' }
  assert.deepEqual(read(`error=access_denied&error_description=no%00%20way&${iss}`), error)
  for (const query of [
    'code=c',
    'code=c&iss=https%3A%2F%2Fas.example%2F',
    'code=c&iss=',
    `code=c&code=d&${iss}`,
    `code=&${iss}`,
    `code=${'x'.repeat(4097)}&${iss}`,
    `code=c&error=e&${iss}`,
    iss,
    '',
  ]) {
    assert.throws(
      () => read(query),
      (error) => error instanceof Fault && error.code === 'authorization_response.invalid',
      query,
    )
  }
  assert.throws(() => read('code=c&iss=https%3A%2F%2Felse.example', false))
})
