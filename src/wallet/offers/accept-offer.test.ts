import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Store } from '../../store/store.ts'
import { getCredential } from '../credentials/get-credential.ts'
import { removeCredential } from '../credentials/remove-credential.ts'
import { setConsent } from '../credentials/set-consent.ts'
import { fault } from '../test-support/fault.ts'
import { serverMetadataOf } from '../test-support/foreign-documents.ts'
import type { Reply } from '../test-support/foreign-issuer.ts'
import { issuerOfTest } from '../test-support/issuer-of-test.ts'
import { describes, says, sends } from '../test-support/lies.ts'
import { type Bench, openBench } from '../test-support/wallet-platform.ts'
import { acceptOffer } from './accept-offer.ts'
import { resolveOffer } from './resolve-offer.ts'

let bench: Bench
before(async () => {
  bench = await openBench()
})
after(() => bench.close())
const { started, callsTo } = issuerOfTest()

for (const identity of ['did:jwk', 'jwt-vc-issuer'] as const) {
  test(`a credential of a foreign issuer known by ${identity} is received, shown and kept as pending [W-C3]`, async () => {
    const { offerUri, issuer: name } = await started({ identity })
    const thandi = await bench.person()
    const { credentials } = await acceptOffer(bench.platform, thandi, { credentialOffer: offerUri })
    const [credential, ...others] = credentials
    assert.ok(credential)
    assert.equal(others.length, 0)
    assert.deepEqual(credential.claims, {
      member: { number: 'M-1', since: 2019 },
      given_name: 'Zoë',
      clubs: ['chess', 'go'],
      jti: 'x',
    })
    assert.equal(credential.status, 'pending')
    assert.equal(credential.format, 'vc+sd-jwt')
    assert.equal(credential.vct, 'https://types.example/membership')
    assert.equal(identity === 'did:jwk' ? credential.iss?.startsWith('did:jwk:') : credential.iss === name, true)
    assert.deepEqual(await getCredential(bench.platform, thandi, credential.id), credential)
  })
}

test('a missing mandatory claim is listed in the reply [W-R5]', async () => {
  const claims = [
    { path: ['given_name'], mandatory: true },
    { path: ['member', 'until'], mandatory: true },
    { path: ['member', 'level'] },
  ]
  const { offer, lie } = await started()
  lie({ reply: { issuer: describes({ credential_metadata: { claims } }) } })
  const thandi = await bench.person()
  const { credentials, incomplete } = await acceptOffer(bench.platform, thandi, {
    credentialOffer: JSON.stringify(offer()),
  })
  assert.deepEqual(incomplete, [{ credentialId: credentials[0]?.id, lacks: [['member', 'until']] }])
})

test('[W-C6] a batch is fetched with one request, one new key a copy, and shown as one credential', async () => {
  const { offer, proved } = await started({ batchSize: 25 })
  const thandi = await bench.person()
  const { credentials: got } = await acceptOffer(bench.platform, thandi, { credentialOffer: JSON.stringify(offer()) })
  assert.equal(got.length, 1)
  assert.equal(callsTo('credential'), 1)
  assert.equal(callsTo('nonce'), 1)
  assert.equal(proved.length, 10)
  assert.equal(new Set(proved.map((key) => key.x)).size, 10)
  const copies = await bench.rows(thandi.tenantId, 'wallet_credential_copy')
  assert.equal(copies.length, 10)
})

test('an authorization server that describes itself as an OpenID Provider only is found', async () => {
  const { offerUri, server, lie } = await started()
  const missing = sends({ status: 404, body: { error: 'not_found' } })
  lie({ reply: { server: missing, configuration: sends({ status: 200, body: serverMetadataOf(server) }) } })
  const { credentials } = await acceptOffer(bench.platform, await bench.person(), { credentialOffer: offerUri })
  assert.equal(credentials.length, 1)
  lie({ reply: { server: missing } })
  const thandi = await bench.person()
  const refused = await fault(acceptOffer(bench.platform, thandi, { credentialOffer: offerUri }))
  assert.equal(refused.code, 'issuer_metadata.invalid')
})

test('an issuer that writes a batch size of 1 has no batches', async () => {
  const { offerUri, proved } = await started({ batchSize: 1 })
  const { credentials } = await acceptOffer(bench.platform, await bench.person(), { credentialOffer: offerUri })
  assert.deepEqual([credentials.length, proved.length], [1, 1])
})

test('claims, credential, key and token are sealed', async () => {
  const { offerUri } = await started({ identity: 'jwt-vc-issuer' })
  const thandi = await bench.person()
  await acceptOffer(bench.platform, thandi, { credentialOffer: offerUri })
  for (const table of ['wallet_credential', 'wallet_credential_copy', 'wallet_notification', 'audit_entry']) {
    const text = JSON.stringify(await bench.rows(thandi.tenantId, table), (_name, value) =>
      value?.type === 'Buffer' ? Buffer.from(value.data).toString('latin1') : value,
    )
    for (const secret of ['Zoë', 'M-1', 'chess', 'the-token', 'news-1', 'eyJ'])
      assert.ok(!text.includes(secret), `${table}: ${secret}`)
  }
})

test('a preview names the issuer [SEC-2], consumes nothing and does not repeat the code', async () => {
  const { offerUri, issuer: name } = await started({ txCode: '4711' })
  const preview = await resolveOffer(bench.platform, await bench.person(), offerUri)
  assert.equal(preview.credentialIssuer, name)
  assert.deepEqual(preview.txCode, { inputMode: 'numeric', length: 4, description: 'By mail' })
  assert.equal(preview.credentials[0]?.vct, 'https://types.example/membership')
  assert.equal(callsTo('token') + callsTo('nonce') + callsTo('credential'), 0)
  assert.ok(!JSON.stringify(preview).includes('the-code'))
})

test('the languages of the caller are sent to the issuer of a preview, and nothing that is no list of languages', async () => {
  const { offerUri, calls } = await started()
  const thandi = await bench.person()
  await resolveOffer(bench.platform, thandi, offerUri, 'fr-CA, en;q=0.5')
  await resolveOffer(bench.platform, thandi, offerUri, 'fr\u0001')
  const languages = calls.filter(({ place }) => place === 'issuer').map(({ headers }) => headers['accept-language'])
  assert.deepEqual(languages, ['fr-CA, en;q=0.5', undefined])
})

test('a missing transaction code is refused before anything is consumed [W-A3]', async () => {
  const { offerUri } = await started({ txCode: '4711' })
  const thandi = await bench.person()
  const refused = await fault(acceptOffer(bench.platform, thandi, { credentialOffer: offerUri }))
  assert.equal(refused.code, 'offer.tx_code_required')
  assert.deepEqual(refused.meta?.txCode, { inputMode: 'numeric', length: 4, description: 'By mail' })
  assert.equal(callsTo('token'), 0)
  const wrong = await fault(acceptOffer(bench.platform, thandi, { credentialOffer: offerUri, txCode: '0000' }))
  assert.equal(wrong.code, 'offer.unusable')
  assert.match(wrong.detail ?? '', /transaction code may be wrong/)
  // the text of another issuer is data in `meta.upstream`, not a sentence of this server
  assert.doesNotMatch(wrong.detail ?? '', /such/)
  const { credentials: got } = await acceptOffer(bench.platform, thandi, { credentialOffer: offerUri, txCode: '4711' })
  assert.equal(got.length, 1)
})

for (const [txCode, detail] of [
  ['abcd', /digits only/],
  ['471', /has 4 digits/],
  ['47110', /has 4 digits/],
  ['４７１１', /digits only/],
  ['', /digits only/],
] as const) {
  test(`a transaction code that cannot be right, like "${txCode}", is not sent: it would cost a try`, async () => {
    const { offerUri } = await started({ txCode: '4711' })
    const refused = await fault(
      acceptOffer(bench.platform, await bench.person(), { credentialOffer: offerUri, txCode }),
    )
    assert.equal(refused.code, 'offer.tx_code_required')
    assert.match(refused.detail ?? '', detail)
    assert.deepEqual(refused.meta?.txCode, { inputMode: 'numeric', length: 4, description: 'By mail' })
    assert.equal(callsTo('token'), 0)
  })
}

for (const [what, code, tx_code, entered] of [
  ['digits in groups', '4711', { length: 4 }, ' 47-11 '],
  ['text with a hyphen of its own', 'AB-12', { input_mode: 'text', length: 5 }, 'AB-12'],
  ['text in groups', 'ABCD', { input_mode: 'text', length: 4 }, 'AB CD'],
  ['text of no stated length', 'AB 1-2', { input_mode: 'text' }, 'AB 1-2'],
] as const) {
  test(`a transaction code is sent as the issuer knows it: ${what} [W-A3]`, async () => {
    const { offer, calls } = await started({ txCode: code })
    const { grants } = Object(offer())
    const [[grant, members]] = Object.entries<object>(grants) as [[string, object]]
    const credentialOffer = JSON.stringify(offer({ grants: { [grant]: { ...members, tx_code } } }))
    await acceptOffer(bench.platform, await bench.person(), { credentialOffer, txCode: entered })
    const [sent] = calls.filter(({ place }) => place === 'token')
    assert.equal(new URLSearchParams(sent?.body).get('tx_code'), code)
  })
}

test('an offer is redeemed once; the second time the error of the issuer is passed on, cut and printable', async () => {
  const { offerUri } = await started()
  const thandi = await bench.person()
  await acceptOffer(bench.platform, thandi, { credentialOffer: offerUri })
  const refused = await fault(acceptOffer(bench.platform, thandi, { credentialOffer: offerUri }))
  assert.equal(refused.code, 'offer.unusable')
  assert.deepEqual(refused.meta?.upstream, { status: 400, error: 'invalid_grant', errorDescription: 'no "such" code?' })
})

test('whenever the faster of two calls ends, the slower one hears that its holder has the credential or gets it', async () => {
  for (let nth = 2; ; nth += 1) {
    const { offerUri: credentialOffer, lie, close } = await started()
    const [asked, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const answerLate = async (reply: Reply) => {
      asked.resolve()
      await held.promise
      return reply
    }
    lie({ reply: { credential: answerLate } })
    const thandi = await bench.person()
    let faster: ReturnType<typeof acceptOffer> | null = null
    let reads = 0
    // The slower call finds no order; then the faster one redeems the offer, and ends before the nth read.
    const single: Store['single'] = async (tenantId, work) => {
      reads += 1
      if (reads === nth) {
        held.resolve()
        await faster
      }
      const found = await bench.platform.store.single(tenantId, work)
      if (reads === 1) {
        faster = acceptOffer(bench.platform, thandi, { credentialOffer })
        await asked.promise
      }
      return found
    }
    const slower = { ...bench.platform, store: { ...bench.platform.store, single } }
    const { code, meta } = await fault(acceptOffer(slower, thandi, { credentialOffer }))
    held.resolve()
    const kept = (await bench.rows(thandi.tenantId, 'wallet_credential')).map(({ id }) => id)
    await faster
    await close()
    assert.equal(code, 'offer.unusable')
    if (meta?.isBeingRedeemed !== true) assert.deepEqual(meta?.takenCredentials, kept, `it ends before read ${nth}`)
    if (reads < nth) return assert.ok(nth > 4, 'the slower call read too little')
  }
})

test('a client without a user is refused with a hint to token exchange', async () => {
  const refused = await fault(
    acceptOffer(bench.platform, { ...(await bench.person()), userId: null }, { credentialOffer: '{}' }),
  )
  assert.equal(refused.code, 'holder.missing')
  assert.match(refused.detail ?? '', /token exchange/)
})

test('a nonce that the issuer does not take is replaced once [W-C1]', async () => {
  const { offerUri, lie } = await started()
  lie({
    reply: {
      credential: (reply, { n }) => (n === 1 ? { ...reply, status: 400, body: { error: 'invalid_nonce' } } : reply),
    },
  })
  const { credentials: got } = await acceptOffer(bench.platform, await bench.person(), { credentialOffer: offerUri })
  assert.equal(got.length, 1)
  assert.equal(callsTo('nonce'), 2)
  assert.equal(callsTo('credential'), 2)
})

test('a token whose details name no identifiers is used with the configuration id [W-A4]', async () => {
  const { offerUri, lie, calls } = await started()
  const details = { type: 'openid_credential', credential_configuration_id: 'membership' }
  lie({ reply: { token: says({ authorization_details: [details] }) } })
  const { credentials: got } = await acceptOffer(bench.platform, await bench.person(), { credentialOffer: offerUri })
  assert.equal(got.length, 1)
  const request = JSON.parse(calls.find(({ place }) => place === 'credential')?.body ?? '')
  assert.deepEqual(Object.keys(request).sort(), ['credential_configuration_id', 'proofs'])
})

test('metadata are found where the drafts had them, and must name the issuer there too [W-M1, W-M2]', async () => {
  const { offerUri, lie, calls } = await started()
  let metadata: Reply = { status: 500, type: '', body: '' }
  const issuer = (honest: Reply) => {
    metadata = honest
    return { ...honest, status: 404, body: { error: 'not_found' } }
  }
  const thandi = await bench.person()
  const accept = () => acceptOffer(bench.platform, thandi, { credentialOffer: offerUri })
  lie({ reply: { issuer, olderIssuer: () => says({ credential_issuer: 'http://127.0.0.1:1/a' })(metadata) } })
  assert.equal((await fault(accept())).code, 'issuer_metadata.invalid')
  lie({ reply: { issuer, olderIssuer: () => metadata } })
  assert.equal((await accept()).credentials.length, 1)
  assert.deepEqual(calls.map(({ place }) => place).slice(-6, -4), ['issuer', 'olderIssuer'])
})

test('of two datasets one is refused: nothing is stored, and the issuer is notified of the other [W-C4, W-R9]', async () => {
  const { offerUri, lie, calls } = await started()
  const details = { type: 'openid_credential', credential_configuration_id: 'membership' }
  lie({
    reply: {
      token: says({ authorization_details: [{ ...details, credential_identifiers: ['one', 'two'] }] }),
      credential: (reply, { n }) => (n === 2 ? { ...reply, status: 400, body: { error: 'no' } } : reply),
    },
  })
  const thandi = await bench.person()
  assert.equal((await fault(acceptOffer(bench.platform, thandi, { credentialOffer: offerUri }))).code, 'offer.unusable')
  for (const table of ['wallet_credential', 'wallet_deferred', 'job']) {
    assert.deepEqual(await bench.rows(thandi.tenantId, table), [])
  }
  const notifications = calls.filter(({ place }) => place === 'notification').map(({ body }) => JSON.parse(body))
  assert.deepEqual(notifications, [{ notification_id: 'news-1', event: 'credential_failure' }])
})

test("another user's credential does not exist, neither in the tenant nor in another", async () => {
  const { offerUri } = await started()
  const thandi = await bench.person()
  const { credentials } = await acceptOffer(bench.platform, thandi, { credentialOffer: offerUri })
  const [credential] = credentials
  const id = credential?.id ?? ''
  for (const stranger of [await bench.person(thandi.tenantId), await bench.person()]) {
    assert.equal((await fault(getCredential(bench.platform, stranger, id))).code, 'resource.unknown')
    assert.equal((await fault(setConsent(bench.platform, stranger, id, 'accepted'))).code, 'resource.unknown')
    assert.equal((await fault(removeCredential(bench.platform, stranger, id))).code, 'resource.unknown')
  }
  assert.equal((await getCredential(bench.platform, thandi, id)).status, 'pending')
})
