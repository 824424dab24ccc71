import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { VERIFIER_STATEMENT_FORMAT } from '../../protocols/openid4vp/verifier-statement.ts'
import { createTrustedEntity } from '../../trust/trusted-entities/trusted-entities.ts'
import { foreignVerifier, type Quirks } from '../test-support/foreign-verifier.ts'
import { type Bench, openBench } from '../test-support/wallet-platform.ts'
import { preparePresentation } from './prepare-presentation.ts'

const query = {
  credentials: [{ id: 'm', format: 'dc+sd-jwt', meta: { vct_values: ['https://types.example/membership'] } }],
}
const members = {
  client_name: 'Your Bank',
  purpose: 'To help you.',
  retention_seconds: 60,
  logo_uri: 'https://x.example/',
}
const statement = { format: VERIFIER_STATEMENT_FORMAT, data: members }
const other = { format: 'registration_cert', data: 'e30.e30.AA' }

let bench: Bench
before(async () => {
  bench = await openBench()
})
after(() => bench.close())

/** Prepares the request of a foreign verifier with these parameters. `known`: the organisation trusts it. */
async function prepared(more: object, { known = false, quirks = {} }: { known?: boolean; quirks?: Quirks } = {}) {
  const thandi = await bench.person()
  const shop = await foreignVerifier(query)
  const did = shop.clientId.replace('decentralized_identifier:', '')
  if (known)
    await createTrustedEntity(bench.platform, thandi, { name: 'Shop', dids: [{ did }], purposes: ['verifier'] })
  const unsignedId = `redirect_uri:${shop.responseUri}`
  const clientId = quirks.jwt === undefined ? shop.clientId : unsignedId
  shop.behave({ ...quirks, object: (object) => ({ ...object, client_id: clientId, ...more }) })
  const link = new URL(shop.link())
  link.searchParams.set('client_id', clientId)
  const { meta } = await preparePresentation(bench.platform, thandi, link.href).finally(() => shop.close())
  const { verifier, purpose, retentionSeconds, verifierInfo } = meta
  const { statedName, basis, name } = Object(verifier)
  return { statedName, purpose, retentionSeconds, verifierInfo, entity: basis.entity?.name, isDid: name === did }
}

for (const known of [false, true])
  test(`nothing that ${known ? 'a trusted' : 'an unknown'} verifier adds to client_metadata is shown (5.1)`, async () => {
    const client_metadata = { ...members, vp_formats_supported: { 'dc+sd-jwt': {} } }
    const { statedName, purpose, retentionSeconds, entity } = await prepared({ client_metadata }, { known })
    assert.deepEqual([statedName, purpose, retentionSeconds], [undefined, undefined, undefined])
    assert.equal(entity, known ? 'Shop' : undefined)
  })

test('what a verifier says of itself stands in its statement, beside its proved name, among any attestations', async () => {
  const { entity: _, ...shown } = await prepared({ verifier_info: [...Array(8).fill(other), statement] })
  assert.deepEqual(shown, {
    statedName: 'Your Bank',
    purpose: 'To help you.',
    retentionSeconds: 60,
    isDid: true,
    verifierInfo: Array(8).fill(other),
  })
})

test('the statement of a verifier that signs nothing, and one of another form, count for nothing', async () => {
  const unsigned: Quirks = {
    header: () => ({ alg: 'none', typ: 'oauth-authz-req+jwt' }),
    jwt: (jwt) => jwt.replace(/[^.]*$/, ''),
  }
  const nothing = { statedName: undefined, purpose: undefined, retentionSeconds: undefined }
  assert.partialDeepStrictEqual(await prepared({ verifier_info: [statement, other] }, { quirks: unsigned }), {
    ...nothing,
    verifierInfo: [other],
  })
  for (const data of ['text', [members], { client_name: 7, purpose: ['x'], retention_seconds: -1, logo_uri: 1 }])
    assert.partialDeepStrictEqual(await prepared({ verifier_info: [{ ...statement, data }] }), nothing)
})
