// What the wallet does where an authorization server refuses it as a client.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { fault } from '../test-support/fault.ts'
import { provedKey } from '../test-support/foreign-signer.ts'
import { issuerOfTest } from '../test-support/issuer-of-test.ts'
import { refusedWithout, says } from '../test-support/lies.ts'
import { type Bench, openBench } from '../test-support/wallet-platform.ts'
import { acceptOffer } from './accept-offer.ts'

let bench: Bench
before(async () => {
  bench = await openBench()
})
after(() => bench.close())
const { started, callsTo, identifier } = issuerOfTest()

/** Proofs of a client that is named name it too. */
const keysOf = async ({ jwt = [] }: Record<string, readonly string[]>) =>
  Promise.all(jwt.map((proof) => provedKey(proof, identifier(), true)))
const ATTESTATION = 'oauth-client-attestation'

const aToken = { status: 200, body: { access_token: 'the-token', token_type: 'bearer' } }

for (const error of ['invalid_client', 'invalid_client_attestation', 'use_attestation_challenge'])
  test(`a server that answers ${error} to a wallet without attestation gets one, once [W-A3]`, async () => {
    const { offerUri, lie } = await started({ keysOf })
    lie({ reply: { token: refusedWithout(ATTESTATION, error, aToken) } })
    const got = await acceptOffer(bench.platform, await bench.person(), { credentialOffer: offerUri })
    assert.equal(got.credentials.length, 1)
    assert.equal(callsTo('token'), 2)
  })

test('a server that refuses the attestation too is not asked again; the fault names what it refused', async () => {
  const { offerUri, lie } = await started()
  lie({ reply: { token: refusedWithout('authorization', 'invalid_client') } })
  const refused = await fault(acceptOffer(bench.platform, await bench.person(), { credentialOffer: offerUri }))
  assert.equal(refused.code, 'offer.unusable')
  assert.match(refused.detail ?? '', /authentication of this wallet: invalid_client/)
  assert.deepEqual(refused.meta?.upstream, { status: 401, error: 'invalid_client' })
  assert.equal(callsTo('token'), 2)
})

test('where the code is spent by the refusal, that refusal is told and not that the code is unknown', async () => {
  const { offerUri, lie } = await started()
  lie({ reply: { token: refusedWithout(ATTESTATION, 'invalid_client') } })
  const refused = await fault(acceptOffer(bench.platform, await bench.person(), { credentialOffer: offerUri }))
  assert.match(refused.detail ?? '', /invalid_client/)
})

for (const [place, error, feature] of [
  ['token', 'invalid_request', /Its error code: invalid_request/],
  ['credential', 'invalid_encryption_parameters', /encryption of the message: invalid_encryption_parameters/],
  ['credential', 'invalid_proof', /key proof of this wallet: invalid_proof/],
] as const)
  test(`the refusal ${error} of an issuer is told with what it is about`, async () => {
    const { offerUri, lie } = await started()
    lie({ reply: { [place]: () => ({ status: 400, type: 'application/json', body: { error } }) } })
    const refused = await fault(acceptOffer(bench.platform, await bench.person(), { credentialOffer: offerUri }))
    assert.match(refused.detail ?? '', feature)
  })

for (const methods of [['private_key_jwt'], ['private_key_jwt', 'tls_client_auth']])
  test(`a server for registered clients only (${methods}) is told before the code is redeemed [W-A3]`, async () => {
    const { offerUri, lie } = await started()
    const takes = { token_endpoint_auth_methods_supported: methods }
    lie({ reply: { server: says({ ...takes, 'pre-authorized_grant_anonymous_access_supported': false }) } })
    const refused = await fault(acceptOffer(bench.platform, await bench.person(), { credentialOffer: offerUri }))
    assert.equal(refused.code, 'offer.unusable')
    assert.match(refused.detail ?? '', /private_key_jwt/)
    assert.equal(callsTo('token'), 0)
    // anonymous access needs no registration
    lie({ reply: { server: says(takes) } })
    const got = await acceptOffer(bench.platform, await bench.person(), { credentialOffer: offerUri })
    assert.equal(got.credentials.length, 1)
  })

for (const methods of [['private_key_jwt', 'client_secret_basic'], []])
  test(`a server that does not list the public clients that it takes is asked all the same (${methods})`, async () => {
    const { offerUri, lie } = await started({ keysOf })
    const takes = { token_endpoint_auth_methods_supported: methods }
    lie({ reply: { server: says({ ...takes, 'pre-authorized_grant_anonymous_access_supported': false }) } })
    const got = await acceptOffer(bench.platform, await bench.person(), { credentialOffer: offerUri })
    assert.equal(got.credentials.length, 1)
  })
