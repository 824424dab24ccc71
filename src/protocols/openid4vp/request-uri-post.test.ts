import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildRequestUriForm, canEncrypt } from './request-uri-post.ts'

test('the wallet posts its nonce and its metadata as a form [VP-U2, VP-P2]', () => {
  const form = new URLSearchParams(buildRequestUriForm('w-1&a', { prefix: 'x509_hash' }))
  assert.equal(form.get('wallet_nonce'), 'w-1&a')
  const metadata = form.get('wallet_metadata') ?? ''
  assert.equal(canEncrypt(metadata), true)
  const { vp_formats_supported: formats, client_id_prefixes_supported: prefixes, ...rest } = JSON.parse(metadata)
  assert.deepEqual(Object.keys(formats), ['dc+sd-jwt', 'mso_mdoc'])
  assert.ok(prefixes.includes('x509_hash') && prefixes.includes('decentralized_identifier'))
  assert.deepEqual(rest, {
    response_types_supported: ['vp_token'],
    response_modes_supported: ['direct_post', 'direct_post.jwt'],
    authorization_encryption_alg_values_supported: ['ECDH-ES'],
    authorization_encryption_enc_values_supported: ['A256GCM', 'A128GCM'],
    request_object_signing_alg_values_supported: ['ES256', 'EdDSA', 'Ed25519'],
  })
})

test('the wallet names no signing algorithms where the prefix precludes a signature [VP-U4]', () => {
  const form = new URLSearchParams(buildRequestUriForm('w-1', { prefix: 'redirect_uri' }))
  const metadata = JSON.parse(form.get('wallet_metadata') ?? '')
  assert.equal(Object.hasOwn(metadata, 'request_object_signing_alg_values_supported'), false)
})

const encrypted = ['direct_post', 'direct_post.jwt']
const alg = ['RSA-OAEP-256', 'ECDH-ES']
const posted: readonly (readonly [object | string | undefined, boolean])[] = [
  [undefined, false],
  ['', false],
  ['{', false],
  ['[]', false],
  ['{}', false],
  [{ response_modes_supported: 'direct_post.jwt' }, false],
  [{ response_modes_supported: encrypted }, false],
  [{ response_modes_supported: ['direct_post.jwt'] }, true],
  [{ response_modes_supported: encrypted, authorization_encryption_alg_values_supported: alg }, true],
  [{ response_modes_supported: encrypted, authorization_encryption_alg_values_supported: ['RSA-OAEP-256'] }, false],
  [{ response_modes_supported: ['direct_post'], authorization_encryption_alg_values_supported: alg }, false],
  ...['A128GCM', 'A256GCM', 'A128CBC-HS256'].map((enc): (typeof posted)[number] => [
    {
      response_modes_supported: encrypted,
      authorization_encryption_alg_values_supported: alg,
      authorization_encryption_enc_values_supported: [enc],
    },
    enc !== 'A128CBC-HS256',
  ]),
]
for (const [metadata, expected] of posted) {
  const text = typeof metadata === 'object' ? JSON.stringify(metadata) : metadata
  test(`the wallet metadata ${text} ask for ${expected ? 'an encrypted' : 'a plain'} response`, () => {
    assert.equal(canEncrypt(text), expected)
  })
}
