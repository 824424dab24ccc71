import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/support/fast-check.ts'
import { Fault } from '../../fault.ts'
import { buildRequestLink, readRequestLink } from './request-link.ts'

const production = { allowHttpLoopback: false }
const clientId = 'decentralized_identifier:did:web:verifier.example'
const requestUri = 'https://verifier.example/requests/1?x=1&y=2'
const client = `client_id=${encodeURIComponent(clientId)}`
const uri = `request_uri=${encodeURIComponent(requestUri)}`

test('a link that we build is read back', () => {
  assert.partialDeepStrictEqual(readRequestLink(buildRequestLink({ clientId, requestUri }), production), {
    kind: 'reference',
    requestUri,
    method: 'get',
  })
  assert.partialDeepStrictEqual(
    readRequestLink(buildRequestLink({ clientId, requestUri, method: 'post' }), production),
    { method: 'post' },
  )
})

const ofEcosystems = ['av://host', 'eudi-openid4vp://host', 'mdoc-openid4vp://', 'swiyu://', 'swiyu-verify://']
for (const scheme of ['haip-vp://', 'openid4vp:', 'https://wallet.example/open', ...ofEcosystems]) {
  test(`a request is accepted under ${scheme}`, () => {
    assert.equal(readRequestLink(`${scheme}?${client}&${uri}&later=1`, production).client.full, clientId)
  })
}

test('a parameter without a value is absent (RFC 6749 3.1)', () => {
  const link = readRequestLink(`openid4vp://?${client}&${uri}&request=&request_uri_method=&state=`, production)
  assert.partialDeepStrictEqual(link, { kind: 'reference', requestUri, method: 'get' })
})

test('objects in plain parameters are JSON texts [VP-R8]', () => {
  const query = encodeURIComponent(JSON.stringify({ credentials: [] }))
  const link = readRequestLink(
    `openid4vp://?client_id=redirect_uri:https://v.example/1&dcql_query=${query}&nonce=7`,
    production,
  )
  assert(link.kind === 'plain')
  assert.deepEqual([link.parameters.dcql_query, link.parameters.nonce], [{ credentials: [] }, '7'])
})

for (const [what, text, code] of [
  ['no URI', 'hello', 'presentation_request.invalid'],
  ['another scheme', `mailto:a?${client}&${uri}`, 'presentation_request.invalid'],
  ['a server of files', `ftp://wallet.example?${client}&${uri}`, 'presentation_request.invalid'],
  ['http', `http://wallet.example?${client}&${uri}`, 'presentation_request.invalid'],
  ['no client_id', `openid4vp://?${uri}`, 'presentation_request.invalid'],
  ['a client_id twice', `openid4vp://?${client}&${client}&${uri}`, 'presentation_request.invalid'],
  [
    'a request_uri over http [VP-U2]',
    `openid4vp://?${client}&request_uri=http://verifier.example`,
    'presentation_request.invalid',
  ],
  ['both request and request_uri', `openid4vp://?${client}&${uri}&request=a.b.c`, 'presentation_request.invalid'],
  [
    'an unknown method [VP-U1]',
    `openid4vp://?${client}&${uri}&request_uri_method=put`,
    'presentation_request.uri_method',
  ],
  [
    'a method in capitals [VP-U1]',
    `openid4vp://?${client}&${uri}&request_uri_method=POST`,
    'presentation_request.uri_method',
  ],
  [
    'a method without request_uri [VP-U1]',
    `openid4vp://?${client}&request_uri_method=get`,
    'presentation_request.invalid',
  ],
  ['a query that is no JSON [VP-R8]', `openid4vp://?${client}&dcql_query=x`, 'presentation_request.invalid'],
] as const) {
  test(`a link with ${what} is refused`, () => assert.throws(() => readRequestLink(text, production), { code }))
}

test('whatever comes as a link, it is read or refused', () => {
  const link = fc
    .dictionary(fc.constantFrom('client_id', 'request', 'request_uri', 'dcql_query'), fc.string())
    .map((all) => `openid4vp://?${new URLSearchParams(all)}`)
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.webUrl(), link), (text) => {
      try {
        readRequestLink(text, production)
      } catch (error) {
        assert(error instanceof Fault && error.code.startsWith('presentation_request.'))
      }
    }),
  )
})
