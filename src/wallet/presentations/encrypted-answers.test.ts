import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { compactDecrypt, exportJWK, generateKeyPair } from 'jose'
import { fault } from '../test-support/fault.ts'
import { foreignVerifier } from '../test-support/foreign-verifier.ts'
import { type Bench, openBench } from '../test-support/wallet-platform.ts'
import { answerPresentation } from './answer-presentation.ts'
import { preparePresentation } from './prepare-presentation.ts'

const query = {
  credentials: [{ id: 'm', format: 'dc+sd-jwt', meta: { vct_values: ['https://types.example/membership'] } }],
}
const { publicKey, privateKey } = await generateKeyPair('ECDH-ES', { crv: 'P-256', extractable: true })
const usable = { ...(await exportJWK(publicKey)), kid: 'good', use: 'enc', alg: 'ECDH-ES' }
const metadata = (keys: object[], more: object = {}) => ({ client_metadata: { jwks: { keys }, ...more } })

let bench: Bench
before(async () => {
  bench = await openBench()
})
after(() => bench.close())

for (const [what, keys, encs, enc] of [
  ['an unusable key beside it', [{ ...usable, use: 'sig' }, { ...usable, kty: 'RSA' }, usable], ['A128GCM'], 'A128GCM'],
  ['both content encryptions', [usable], ['A128GCM', 'A256GCM'], 'A256GCM'],
  ['no list of content encryptions', [usable], undefined, 'A128GCM'],
] as const) {
  test(`the wallet encrypts its response to a verifier with ${what} [VP-S6, VP-R9]`, async () => {
    const thandi = await bench.person()
    const shop = await foreignVerifier(query)
    const supported = encs === undefined ? {} : { encrypted_response_enc_values_supported: encs }
    shop.behave({
      object: (object) => ({ ...object, response_mode: 'direct_post.jwt', ...metadata([...keys], supported) }),
    })
    const { data } = await preparePresentation(bench.platform, thandi, shop.link())
    await answerPresentation(bench.platform, thandi, data.id, { status: 'rejected' })
    await shop.close()
    assert.deepEqual([...(shop.posted[0]?.keys() ?? [])], ['response'])
    const { plaintext, protectedHeader } = await compactDecrypt(shop.posted[0]?.get('response') ?? '', privateKey)
    assert.partialDeepStrictEqual(protectedHeader, { alg: 'ECDH-ES', enc, kid: 'good' })
    assert.partialDeepStrictEqual(JSON.parse(new TextDecoder().decode(plaintext)), { error: 'access_denied' })
  })
}

for (const [what, change] of [
  ['without keys', {}],
  ['with a key for signatures', metadata([{ ...usable, use: 'sig' }])],
  ['with a key for another algorithm', metadata([{ ...usable, alg: 'ECDH-ES+A128KW' }])],
  ['with a key without alg', metadata([{ ...usable, alg: undefined }])],
  ['with a point off the curve', metadata([{ ...usable, y: usable.x }])],
  ['with a private key', metadata([{ ...usable, d: usable.x }])],
  [
    'with other content encryptions',
    metadata([usable], { encrypted_response_enc_values_supported: ['A128CBC-HS256'] }),
  ],
] as const) {
  test(`a request for an encrypted response ${what} is refused, and nothing is sent`, async () => {
    const thandi = await bench.person()
    const shop = await foreignVerifier(query)
    shop.behave({
      object: (object) => ({ ...object, response_mode: 'direct_post.jwt', client_metadata: {}, ...change }),
    })
    const refused = await fault(preparePresentation(bench.platform, thandi, shop.link()))
    await shop.close()
    assert.deepEqual([refused.code, shop.posted.length], ['presentation_request.invalid', 0])
  })
}

test('the audience of a request object may be the address that it was fetched from, and no other address [VP-R6]', async () => {
  const thandi = await bench.person()
  const shop = await foreignVerifier(query)
  const address = new URL(shop.link()).searchParams.get('request_uri') ?? ''
  shop.behave({ object: (object) => ({ ...object, aud: address }) })
  await preparePresentation(bench.platform, thandi, shop.link())
  shop.behave({ object: (object) => ({ ...object, aud: `${address}/x` }) })
  const refused = await fault(preparePresentation(bench.platform, thandi, shop.link()))
  await shop.close()
  assert.equal(refused.code, 'presentation_request.invalid')
})
