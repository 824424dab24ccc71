import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import type { FaultCode } from '../../fault.ts'
import { fault } from '../test-support/fault.ts'
import { type ForeignVerifier, foreignVerifier, type Quirks } from '../test-support/foreign-verifier.ts'
import { type Bench, openBench } from '../test-support/wallet-platform.ts'
import { preparePresentation } from './prepare-presentation.ts'

const query = {
  credentials: [{ id: 'm', format: 'dc+sd-jwt', meta: { vct_values: ['https://types.example/membership'] } }],
}

let bench: Bench
let shop: ForeignVerifier | null = null
before(async () => {
  bench = await openBench()
})
after(() => bench.close())
afterEach(async () => {
  await shop?.close()
  shop = null
})

async function verifier(): Promise<ForeignVerifier> {
  shop = await foreignVerifier(query)
  return shop
}

test('a nonce of the wallet is posted to the request_uri and must be in the request object', async () => {
  const thandi = await bench.person()
  const shop = await verifier()
  await preparePresentation(bench.platform, thandi, shop.link('&request_uri_method=post'))
  assert.equal(shop.fetched[0]?.method, 'POST')
  assert.match(shop.fetched[0]?.form.get('wallet_nonce') ?? '', /^[\w-]{22}$/)
  shop.behave({ object: (object) => ({ ...object, wallet_nonce: 'other' }) })
  const refused = await fault(preparePresentation(bench.platform, thandi, shop.link('&request_uri_method=post')))
  assert.equal(refused.code, 'presentation_request.invalid')
})

test('a request object may have the general media type of a JWT; its own type says what it is', async () => {
  const thandi = await bench.person()
  const shop = await verifier()
  shop.behave({ serve: { type: 'application/jwt' } })
  const { data } = await preparePresentation(bench.platform, thandi, shop.link())
  assert.equal(data.status, 'pending')
})

type Row = readonly [what: string, code: FaultCode, quirks: Quirks]
const withObject = (change: Record<string, unknown>): Quirks => ({ object: (object) => ({ ...object, ...change }) })
const refusals: readonly Row[] = [
  [
    'that is not signed by its key',
    'presentation_request.invalid',
    { jwt: (jwt) => jwt.replace(/\.[^.]{8}([^.]*)$/, '.AAAAAAAA$1') },
  ],
  [
    'without the type of a request object [VP-R4]',
    'presentation_request.invalid',
    { header: (header) => ({ ...header, typ: 'JWT' }) },
  ],
  ['that names no key', 'presentation_request.invalid', { header: ({ kid: _, ...header }) => header }],
  [
    'that names a key of another',
    'presentation_request.invalid',
    { header: (header) => ({ ...header, kid: 'did:jwk:e30#0' }) },
  ],
  [
    'whose object names another client than the link [VP-R5]',
    'presentation_request.invalid',
    withObject({ client_id: 'decentralized_identifier:did:web:a.example' }),
  ],
  [
    'whose answer would go to plain http',
    'presentation_request.invalid',
    withObject({ response_uri: 'http://shop.example/answers' }),
  ],
  ['that is served as JSON', 'upstream.media_type', { serve: { type: 'application/json' } }],
  [
    'that is elsewhere [VP-U3]',
    'presentation_request.invalid',
    { serve: { status: 302, location: 'http://127.0.0.1:9/' } },
  ],
  ['that is gone', 'presentation_request.invalid', { serve: { status: 404 } }],
  ['that has expired', 'presentation_request.invalid', withObject({ exp: 1_600_000_000 })],
  ['for another audience [VP-R6]', 'presentation_request.invalid', withObject({ aud: 'https://other.example' })],
  [
    'that wants a redirect too [VP-S2]',
    'presentation_request.invalid',
    withObject({ redirect_uri: 'https://shop.example' }),
  ],
  [
    'with a mode that we do not have [VP-S8]',
    'presentation_request.invalid',
    withObject({ response_mode: 'direct_post.jwt' }),
  ],
  ['without a nonce [VP-R1]', 'presentation_request.invalid', withObject({ nonce: undefined })],
  ['with transaction data [VP-T6]', 'presentation_request.transaction_data', withObject({ transaction_data: ['e30'] })],
  ['with a query that is none', 'dcql.invalid', withObject({ dcql_query: { credentials: [] } })],
  [
    'for formats that we do not have',
    'presentation_request.formats',
    withObject({ client_metadata: { vp_formats_supported: { ldp_vc: {} } } }),
  ],
]
for (const [what, code, quirks] of refusals) {
  test(`a request ${what} is refused with ${code}, and nothing is sent to its response_uri`, async () => {
    const thandi = await bench.person()
    const shop = await verifier()
    shop.behave(quirks)
    const refused = await fault(preparePresentation(bench.platform, thandi, shop.link()))
    assert.equal(refused.code, code, refused.detail ?? '')
    assert.equal(shop.posted.length, 0)
    assert.deepEqual(await bench.rows(thandi.tenantId, 'wallet_presentation'), [])
  })
}

test('violations of the query point into the body of the caller', async () => {
  const thandi = await bench.person()
  const shop = await verifier()
  shop.behave(withObject({ dcql_query: { credentials: [{ id: 'a', format: 'dc+sd-jwt' }] } }))
  const { violations } = await fault(preparePresentation(bench.platform, thandi, shop.link()))
  const [violation, ...others] = violations ?? []
  assert.equal(others.length, 0)
  assert.equal(violation?.pointer, '/presentationRequest')
  assert.match(violation?.detail ?? '', /^The DCQL query of the verifier is not valid at \/credentials\/0\/meta: /)
})

test('an unsigned request is accepted as such, and an invalid one is reported to no verifier', async () => {
  const thandi = await bench.person()
  const shop = await verifier()
  const link = (change: Record<string, string>) => {
    const members = { response_type: 'vp_token', response_mode: 'direct_post', nonce: 'nonce-0123456789abcdef' }
    const where = { client_id: `redirect_uri:${shop.responseUri}`, response_uri: shop.responseUri }
    const all = { ...members, ...where, dcql_query: JSON.stringify(query), ...change }
    return `openid4vp://?${new URLSearchParams(all)}`
  }
  const { meta } = await preparePresentation(bench.platform, thandi, link({}))
  assert.partialDeepStrictEqual(meta.verifier, { authenticated: false, name: new URL(shop.responseUri).host })
  for (const change of [{ nonce: '' }, { response_uri: 'https://victim.example/' }, { dcql_query: '{}' }]) {
    assert.match(
      (await fault(preparePresentation(bench.platform, thandi, link(change)))).code,
      /^(presentation_request|dcql)\.invalid$/,
    )
  }
  assert.equal(shop.posted.length, 0)
})

test('unknown prefixes of a client id are refused before anything is fetched', async () => {
  const thandi = await bench.person()
  for (const clientId of ['origin:https://shop.example', 'openid_federation:https://shop.example', 'shop', 'magic:x']) {
    const link = `openid4vp://?client_id=${encodeURIComponent(clientId)}&request_uri=${encodeURIComponent('http://127.0.0.1:9/')}`
    const refused = await fault(preparePresentation(bench.platform, thandi, link))
    assert.match(refused.code, /^presentation_request\.(invalid|client)$/)
  }
})
