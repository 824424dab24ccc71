import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { fault } from '../test-support/fault.ts'
import { foreignIssuer } from '../test-support/foreign-issuer.ts'
import { describes, elsewhere, huge, type Lie, says, sends, testLies } from '../test-support/lies.ts'
import { type Bench, openBench } from '../test-support/wallet-platform.ts'
import { acceptOffer } from './accept-offer.ts'

let bench: Bench
before(async () => {
  bench = await openBench()
})
after(() => bench.close())

/** Before the code is spent: the offer stays good. */
const beforehand: readonly Lie[] = [
  [
    'whose metadata names another issuer [W-M2]',
    'issuer_metadata.invalid',
    { reply: { issuer: says({ credential_issuer: 'http://127.0.0.1:1/club/a' }) } },
  ],
  [
    'whose metadata adds a slash to its name [W-M2]',
    'issuer_metadata.invalid',
    { reply: { issuer: (reply) => says({ credential_issuer: `${Object(reply.body).credential_issuer}/` })(reply) } },
  ],
  [
    'that offers a configuration which it does not describe [W-M4]',
    'issuer_metadata.invalid',
    {},
    { change: { credential_configuration_ids: ['other'] } },
  ],
  [
    'that offers one credential twice [W-O4]',
    'offer.malformed',
    {},
    { change: { credential_configuration_ids: ['membership', 'membership'] } },
  ],
  [
    'that offers only a format that is closed here',
    'offer.format',
    {},
    { change: { credential_configuration_ids: ['licence'] } },
  ],
  ['whose offer has no grant that we know [W-O4]', 'offer.malformed', {}, { change: { grants: { magic: {} } } }],
  [
    'whose offer wants the holder to sign in',
    'offer.authorization_required',
    {},
    { change: { grants: { authorization_code: {} } } },
  ],
  [
    'whose offer names an authorization server that it does not list [W-M5]',
    'issuer_metadata.invalid',
    { reply: { issuer: says({ authorization_servers: ['http://127.0.0.1:1/sso'] }) } },
  ],
  [
    'whose authorization server says that it is another [W-M6]',
    'issuer_metadata.invalid',
    { reply: { server: says({ issuer: 'http://127.0.0.1:1/sso' }) } },
  ],
  [
    'whose token endpoint is no https URL [W-M6]',
    'issuer_metadata.invalid',
    { reply: { server: says({ token_endpoint: 'http://issuer.example/t' }) } },
  ],
  ['whose metadata is HTML', 'upstream.media_type', { reply: { issuer: sends({ type: 'text/html' }) } }],
  [
    'whose metadata is no JSON',
    'issuer_metadata.invalid',
    { reply: { issuer: sends({ body: '{"credential_issuer":' }) } },
  ],
  [
    'whose metadata has a member twice [SEC-24]',
    'issuer_metadata.invalid',
    { reply: { issuer: sends({ body: '{"a":1,"a":2}' }) } },
  ],
  ['whose metadata is too large', 'upstream.too_large', { reply: { issuer: sends({ body: huge }) } }],
  ['whose metadata is elsewhere [W-O2]', 'issuer_metadata.invalid', { reply: { issuer: sends(elsewhere) } }],
  ['whose offer is elsewhere [W-O2]', 'offer.unusable', { reply: { offer: sends(elsewhere) } }],
  ['whose offer is gone', 'offer.unusable', { reply: { offer: sends({ status: 410, type: 'text/plain', body: '' }) } }],
  ['that fails', 'upstream.answer', { reply: { issuer: sends({ status: 500 }) } }],
  ['that is out of service', 'upstream.busy', { reply: { issuer: sends({ status: 503 }) } }],
  ['that limits requests', 'upstream.busy', { reply: { issuer: sends({ status: 429 }) } }],
  [
    'that demands encryption [W-C5]',
    'offer.unusable',
    { reply: { issuer: says({ credential_request_encryption: { encryption_required: true } }) } },
  ],
  [
    'that wants a proof by an algorithm which we do not have [W-C2]',
    'offer.unusable',
    {
      reply: {
        issuer: describes({ proof_types_supported: { jwt: { proof_signing_alg_values_supported: ['ES384'] } } }),
      },
    },
  ],
  [
    'that wants a proof of a type which we do not make [W-C2]',
    'offer.unusable',
    {
      reply: {
        issuer: describes({
          proof_types_supported: { di_vp: { proof_signing_alg_values_supported: ['ES256'] } },
        }),
      },
    },
  ],
]

/** After the code was spent: whatever came is thrown away. */
const afterwards: readonly Lie[] = [
  [
    'that refuses the code',
    'offer.unusable',
    { reply: { token: sends({ status: 400, body: { error: 'invalid_grant' } }) } },
  ],
  [
    'whose token is of a type that was not requested',
    'issuer_answer.invalid',
    { reply: { token: says({ token_type: 'mac' }) } },
  ],
  ['whose token endpoint redirects', 'offer.unusable', { reply: { token: sends(elsewhere) } }],
  [
    'whose token answer is no JSON by its type',
    'upstream.media_type',
    { reply: { token: sends({ type: 'text/plain' }) } },
  ],
  [
    'whose token answer has no token',
    'issuer_answer.invalid',
    { reply: { token: sends({ body: { token_type: 'bearer' } }) } },
  ],
  [
    'whose token is for another credential',
    'issuer_answer.invalid',
    {
      reply: {
        token: says({
          authorization_details: [
            { type: 'openid_credential', credential_configuration_id: 'other', credential_identifiers: ['x'] },
          ],
        }),
      },
    },
  ],
  ['that gives no nonce', 'issuer_answer.invalid', { reply: { nonce: sends({ body: {} }) } }],
  [
    'that never takes a nonce',
    'offer.unusable',
    { reply: { credential: sends({ status: 400, body: { error: 'invalid_nonce' } }) } },
  ],
  [
    'that sends more credentials than keys were proved [W-R1]',
    'issuer_answer.invalid',
    {
      reply: {
        credential: (reply) =>
          says({ credentials: [...Object(reply.body).credentials, ...Object(reply.body).credentials] })(reply),
      },
    },
  ],
  [
    'that sends no credentials [W-R1]',
    'issuer_answer.invalid',
    { reply: { credential: sends({ body: { credentials: [] } }) } },
  ],
  [
    'that sends credentials and a transaction id [W-R1]',
    'issuer_answer.invalid',
    { reply: { credential: says({ transaction_id: 't', interval: 5 }) } },
  ],
  [
    'that sends an object as credential',
    'issuer_answer.invalid',
    { reply: { credential: says({ credentials: [{ credential: {} }] }) } },
  ],
  [
    'that sends more than 1 MiB for one copy',
    'upstream.too_large',
    { reply: { credential: sends({ body: 'x'.repeat(2 ** 20 + 1) }) } },
  ],
  [
    'that sends half a million values',
    'issuer_answer.invalid',
    { reply: { credential: sends({ body: `[${'0,'.repeat(500_000)}0]` }) } },
  ],
  ['that sends too much', 'upstream.too_large', { reply: { credential: sends({ body: huge }) } }],
  [
    'that encrypts a response which was to be plain [W-C5]',
    'issuer_answer.invalid',
    { reply: { credential: sends({ type: 'application/jwt' }) } },
  ],
  ['whose credential endpoint redirects', 'offer.unusable', { reply: { credential: sends(elsewhere) } }],
]

testLies(beforehand, false, () => bench)
testLies(afterwards, true, () => bench)

test('an issuer out of reach has another code than one that lies', async () => {
  const issuer = await foreignIssuer()
  await issuer.close()
  const refused = await fault(acceptOffer(bench.platform, await bench.person(), { credentialOffer: issuer.offerUri }))
  assert.equal(refused.code, 'upstream.unreachable')
})
