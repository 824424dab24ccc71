import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { applyBootstrap } from '../../directory/bootstrap/apply-bootstrap.ts'
import { checkRedirectUri, redirectPolicyOf } from '../templates/redirect-uris.ts'
import { membership } from '../test-support/holder.ts'
import { aPresentation, aRequest } from '../test-support/presentation-request.ts'
import { startVerifier, type Verifier } from '../test-support/verifier.ts'

let verifier: Verifier
before(async () => {
  verifier = await startVerifier()
})
after(() => verifier.close())

test('the redirect has a fresh response code, without which the result is not returned [VP-F2]', async () => {
  const redirectUri = 'https://shop.example/done?basket=1'
  const request = await aRequest(verifier, { request: { redirectUri } })
  const { body } = await request.answer({ c0: [await aPresentation(request, { binding: null })] })
  const back = new URL(body.redirect_uri)
  const code = back.searchParams.get('response_code') ?? ''
  assert.equal(back.searchParams.get('basket'), '1')
  assert(code.length >= 43)
  const read = async (query: string) => (await request.ask('GET', `/presentations/${request.id}${query}`)).status
  assert.deepEqual([await read(`?responseCode=${code}`), await read('?responseCode=guess')], [200, 404])
  assert.equal(await read(''), 403)
})

test('the list has no result of a request with a redirect URI, which is read without a code before its response', async () => {
  const request = await aRequest(verifier, { request: { redirectUri: 'https://shop.example/done' } })
  assert.equal((await request.result()).status, 'requested')
  const { body } = await request.answer({ c0: [await aPresentation(request)] })
  const [listed] = (await request.ask('GET', '/presentations')).body.data
  assert.deepEqual([listed.id, listed.status, listed.credentials], [request.id, 'verified', []])
  const code = new URL(body.redirect_uri).searchParams.get('response_code')
  const read = await request.ask('GET', `/presentations/${request.id}?responseCode=${code}`)
  assert.equal(read.body.data.credentials[0].isValid, true)
})

test('a result is returned only to the session in which the flow began [VP-F1]', async () => {
  const [session, other] = ['session-0123456789abcdef', 'session-of-another-browser']
  const redirectUri = 'https://shop.example/done'
  const request = await aRequest(verifier, { request: { redirectUri, browserSession: session } })
  const read = async (query: Record<string, string>) =>
    (await request.ask('GET', `/presentations/${request.id}?${new URLSearchParams(query)}`)).status
  assert.deepEqual(
    [await read({}), await read({ browserSession: session }), await read({ browserSession: other })],
    [200, 200, 404],
  )
  const { body } = await request.answer({ c0: [await aPresentation(request)] })
  const responseCode = new URL(body.redirect_uri).searchParams.get('response_code') ?? ''
  assert.deepEqual(
    [
      await read({ responseCode }),
      await read({ responseCode, browserSession: other }),
      await read({ browserSession: session }),
    ],
    [403, 404, 403],
  )
  assert.equal(await read({ responseCode, browserSession: session }), 200)
})

test('a cross-device flow may be bound to the session that shows the code [VP-F1, VP-F3]', async () => {
  const browserSession = 'session-0123456789abcdef'
  const request = await aRequest(verifier, { request: { browserSession } })
  await request.answer({ c0: [await aPresentation(request)] })
  const read = async (query: string) => (await request.ask('GET', `/presentations/${request.id}${query}`)).status
  assert.deepEqual(
    [await read(''), await read('?browserSession=x'), await read(`?browserSession=${browserSession}`)],
    [403, 404, 200],
  )
  const [listed] = (await request.ask('GET', '/presentations')).body.data
  assert.deepEqual([listed.status, listed.credentials], ['verified', []])
})

test('a redirect URI outside the list of the tenant is refused [SEC-54]', async () => {
  const backend = await verifier.aTenant()
  const settings = { redirectUris: ['https://shop.example/done', 'https://app.example'] }
  await applyBootstrap(verifier.platform, { tenants: [{ slug: backend.slug, name: 'Acme', settings }] })
  const credentials = [{ type: membership, attributes: {} }]
  const template = (redirectUri: string) => ({
    name: 'T',
    description: '',
    credentials,
    verifierConfig: { redirectUri },
  })
  const made = await backend.ask('POST', '/templates/presentations', template('https://app.example/x'))
  assert.equal(made.status, 201)
  for (const [redirectUri, isAllowed] of [
    ['https://shop.example/done', true],
    ['https://shop.example/done?basket=1', true],
    ['https://shop.example/done/1', true],
    ['https://app.example/anything', true],
    ['https://shop.example/donely', false],
    ['https://shop.example/', false],
    ['https://shop.example/done/../x', false],
    ['https://shop.example:444/done', false],
    ['https://app.example.evil.example/', false],
    ['https://app.example@evil.example/', false],
    ['http://127.0.0.1/done', false],
  ] as const) {
    const created = await backend.ask('POST', '/presentations/request', {
      presentationTemplateId: made.body.data.id,
      redirectUri,
    })
    const kept = await backend.ask('POST', '/templates/presentations', template(redirectUri))
    assert.deepEqual(
      [redirectUri, created.status, kept.status],
      [redirectUri, ...(isAllowed ? [200, 201] : [400, 400])],
    )
    if (isAllowed) continue
    assert.equal(created.body.errors[0].source.pointer, '/redirectUri')
    assert.equal(kept.body.errors[0].source.pointer, '/verifierConfig/redirectUri')
  }
})

test('in production a tenant without a list may use no redirect URI', async () => {
  const { platform } = verifier
  const { tenantId } = await verifier.aTenant()
  const at = async (isDevelopment: boolean) =>
    checkRedirectUri(
      'https://shop.example/done',
      '/redirectUri',
      await redirectPolicyOf({ ...platform, config: { ...platform.config, isDevelopment } }, tenantId),
    ).length
  assert.deepEqual([await at(true), await at(false)], [0, 1])
})
