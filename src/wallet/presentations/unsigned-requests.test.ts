import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { fault } from '../test-support/fault.ts'
import { foreignVerifier, type Quirks } from '../test-support/foreign-verifier.ts'
import { type Bench, openBench } from '../test-support/wallet-platform.ts'
import { preparePresentation } from './prepare-presentation.ts'

const query = {
  credentials: [{ id: 'm', format: 'dc+sd-jwt', meta: { vct_values: ['https://types.example/membership'] } }],
}

let bench: Bench
before(async () => {
  bench = await openBench()
})
after(() => bench.close())

const unsigned = { alg: 'none', typ: 'oauth-authz-req+jwt' }
const bare = (jwt: string) => jwt.replace(/[^.]*$/, '')

/** Prepares an unsigned request by reference. */
async function prepared(quirks: Quirks, extra = '') {
  const thandi = await bench.person()
  const shop = await foreignVerifier(query)
  const clientId = `redirect_uri:${shop.responseUri}`
  const object = (one: Record<string, unknown>) => ({ ...one, client_id: clientId })
  const change = quirks.object ?? ((one: Record<string, unknown>) => one)
  shop.behave({ header: () => unsigned, jwt: bare, ...quirks, object: (one) => change(object(one)) })
  const link = new URL(shop.link(extra))
  link.searchParams.set('client_id', clientId)
  const { meta } = await preparePresentation(bench.platform, thandi, link.href).finally(() => shop.close())
  return meta
}

test('an unsigned request object is accepted for the prefix redirect_uri, also with a nonce of the wallet', async () => {
  for (const extra of ['', '&request_uri_method=post'])
    assert.partialDeepStrictEqual((await prepared({}, extra)).verifier, { authenticated: false, trusted: false })
})

const object = (more: object): Quirks => ({ object: (one) => ({ ...one, ...more }) })
for (const [what, quirks, extra] of [
  ['that is signed', { header: () => ({ ...unsigned, alg: 'ES256' }), jwt: (jwt: string) => jwt }, ''],
  ['that says it is signed', { header: () => ({ ...unsigned, alg: 'ES256' }) }, ''],
  ['with a signature that it does not name', { jwt: (jwt: string) => jwt }, ''],
  ['of another type [VP-R4]', { header: () => ({ ...unsigned, typ: 'JWT' }) }, ''],
  ['with a critical extension', { header: () => ({ ...unsigned, crit: ['exp'] }) }, ''],
  ['for another client than the link [VP-R5]', object({ client_id: 'redirect_uri:https://victim.example' }), ''],
  ['whose response goes elsewhere [VP-S3]', object({ response_uri: 'https://victim.example' }), ''],
  ['that has expired', object({ exp: 1_600_000_000 }), ''],
  ['without the nonce of the wallet [VP-U2]', object({ wallet_nonce: undefined }), '&request_uri_method=post'],
] as const) {
  test(`an unsigned request object ${what} is refused`, async () => {
    assert.equal((await fault(prepared(quirks, extra))).code, 'presentation_request.invalid')
  })
}

test('a request object without signature is refused for every other prefix', async () => {
  const thandi = await bench.person()
  const shop = await foreignVerifier(query)
  shop.behave({ header: (header) => ({ ...header, alg: 'none' }), jwt: bare })
  const refused = await fault(preparePresentation(bench.platform, thandi, shop.link()))
  await shop.close()
  assert.equal(refused.code, 'presentation_request.invalid')
})

test('what a verifier attests about itself is shown, bounded and without members of other types [VP-R10]', async () => {
  const entries = [
    { format: 'registration_cert', data: 'e30.e30.AA' },
    { format: 'policy', data: { uri: 'https://policies.example' } },
    { format: 7, data: 'x' },
    { format: 'long', data: 'x'.repeat(20_000) },
    'text',
  ]
  const meta = await prepared(object({ verifier_info: entries }))
  assert.deepEqual(meta.verifierInfo, [
    { format: 'registration_cert', data: 'e30.e30.AA' },
    { format: 'policy', data: '{"uri":"https://policies.example"}' },
  ])
  const many = await prepared(object({ verifier_info: Array(9).fill(entries[0]) }))
  assert.equal((many.verifierInfo as unknown[]).length, 8)
})
