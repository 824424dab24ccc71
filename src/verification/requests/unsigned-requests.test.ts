import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { readRequestLink } from '../../protocols/openid4vp/request-link.ts'
import { VERIFIER_STATEMENT_FORMAT } from '../../protocols/openid4vp/verifier-statement.ts'
import { aPresentation, aRequest, part } from '../test-support/presentation-request.ts'
import { send, startVerifier, type Verifier } from '../test-support/verifier.ts'

let verifier: Verifier
before(async () => {
  verifier = await startVerifier()
})
after(() => verifier.close())

test('a request with the prefix redirect_uri is not signed, and its client is the address of the response (5.9.3)', async () => {
  const template = { verifierConfig: { clientIdPrefix: 'redirect_uri' } }
  const request = await aRequest(verifier, { template })
  assert.equal(request.aud, `redirect_uri:${request.object.response_uri}`)
  const { body } = await send(request.requestUri)
  assert.deepEqual(part(body, 0), { alg: 'none', typ: 'oauth-authz-req+jwt' })
  // Nothing would bind a statement about the verifier to it.
  assert.equal(request.object.verifier_info, undefined)
  assert.equal(body.split('.')[2], '')
  await request.answer({ c0: [await aPresentation(request)] })
  assert.equal((await request.result()).status, 'verified')
})

test('a request with the prefix redirect_uri stands in its link by value, by reference beside it (5.9.3)', async () => {
  const template = { verifierConfig: { clientIdPrefix: 'redirect_uri' } }
  const { object, opened, ...request } = await aRequest(verifier, { template })
  const { aud: _, iat: __, exp: ___, ...asked } = object
  const link = readRequestLink(opened.authorizationRequestUri, { allowHttpLoopback: true })
  assert.equal(link.kind === 'plain' && link.client.full, object.client_id)
  assert.deepEqual(link.kind === 'plain' && link.parameters, asked)
  const reference = readRequestLink(opened.authorizationRequestReferenceUri, { allowHttpLoopback: true })
  assert.equal(reference.kind === 'reference' && reference.requestUri, request.requestUri)
  const { search } = new URL(opened.authorizationRequestQrUri)
  assert.equal(search, new URL(opened.authorizationRequestUri).search)
  const picture = await fetch(opened.authorizationRequestQrUri)
  assert.equal(picture.status, 200)
  assert.equal((await request.result()).authorizationRequestUri, opened.authorizationRequestUri)
  await request.answer({ c0: [await aPresentation(request)] })
  const answered = await request.result()
  assert.deepEqual([answered.status, answered.authorizationRequestReferenceUri], ['verified', undefined])
})

test('the links of a request have the scheme that its template names', async () => {
  for (const scheme of ['eudi-openid4vp', 'haip-vp'])
    for (const more of [{}, { clientIdPrefix: 'redirect_uri' }]) {
      const request = await aRequest(verifier, { template: { verifierConfig: { scheme, ...more } } })
      const { authorizationRequestUri, authorizationRequestReferenceUri = '' } = await request.result()
      assert.equal(new URL(authorizationRequestUri).protocol, `${scheme}:`)
      assert.match(authorizationRequestReferenceUri, new RegExp('clientIdPrefix' in more ? `^${scheme}://` : '^$'))
    }
  const { ask } = await verifier.aTenant()
  const credentials = [{ type: 'https://types.example/a', attributes: {} }]
  const body = { name: 'n', description: '', credentials, verifierConfig: { scheme: 'javascript' } }
  const refused = await ask('POST', '/templates/presentations', body)
  assert.equal(refused.body.errors[0].source.pointer, '/verifierConfig/scheme')
})

test('a request by value that fits in no QR code is shown by reference', async () => {
  const attributes = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`attribute_${at}`, { type: 'string' }]))
  const template = { verifierConfig: { clientIdPrefix: 'redirect_uri' } }
  const { opened } = await aRequest(verifier, { template, credential: { attributes } })
  assert.ok(opened.authorizationRequestUri.length > 3000)
  assert.equal((await fetch(opened.authorizationRequestQrUri)).status, 200)
})

for (const signer of [{ signer: 'certificate' }, { signer: 'did:web' }, { keyType: 'P-256' }]) {
  test(`a template with the prefix redirect_uri and ${JSON.stringify(signer)} is refused`, async () => {
    const { ask } = await verifier.aTenant()
    const verifierConfig = { clientIdPrefix: 'redirect_uri', ...signer }
    const credentials = [{ type: 'https://types.example/a', attributes: {} }]
    const body = { name: 'n', description: '', credentials, verifierConfig }
    const refused = await ask('POST', '/templates/presentations', body)
    assert.equal(refused.body.errors[0].source.pointer, '/verifierConfig/clientIdPrefix')
  })
}

test('attestations about the verifier are part of the request, for the credentials that they name [VP-R10]', async () => {
  const verifierInfo = [
    { format: 'registration_cert', data: 'e30.e30.AA', credentials: ['card'] },
    { format: 'policy', data: { uri: 'https://policies.example' } },
  ]
  const { object, ask } = await aRequest(verifier, { template: { verifierConfig: { verifierInfo } } })
  const [statement, ...attestations] = object.verifier_info as { format: string; data: object }[]
  assert.equal(statement?.format, VERIFIER_STATEMENT_FORMAT)
  assert.deepEqual(Object.keys(statement.data), ['client_name', 'retention_seconds'])
  assert.deepEqual(attestations, [
    { format: 'registration_cert', data: 'e30.e30.AA', credential_ids: ['c0'] },
    { format: 'policy', data: { uri: 'https://policies.example' } },
  ])
  const credentials = [{ type: 'https://types.example/a', attributes: {} }]
  const unknown = { verifierInfo: [{ format: 'f', data: 'd', credentials: ['other'] }] }
  const body = { name: 'n', description: '', credentials, verifierConfig: unknown }
  const refused = await ask('POST', '/templates/presentations', body)
  assert.equal(refused.body.errors[0].source.pointer, '/verifierConfig/verifierInfo/0/credentials/0')
})
