import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { removeCredential } from '../credentials/remove-credential.ts'
import { setConsent } from '../credentials/set-consent.ts'
import { fault } from '../test-support/fault.ts'
import { foreignVct } from '../test-support/foreign-signer.ts'
import { type ForeignVerifier, foreignVerifier, readByHand } from '../test-support/foreign-verifier.ts'
import { aMember, membership, presented, receive } from '../test-support/member.ts'
import { type Bench, openBench } from '../test-support/wallet-platform.ts'
import { answerPresentation } from './answer-presentation.ts'
import { getPresentation, listShared } from './get-presentation.ts'
import { expireDue } from './jobs.ts'
import { preparePresentation } from './prepare-presentation.ts'

let bench: Bench
const open: { close: () => Promise<void> }[] = []
before(async () => {
  bench = await openBench()
})
after(() => bench.close())
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()))
})

async function verifier(query: unknown = { credentials: [membership] }): Promise<ForeignVerifier> {
  const made = await foreignVerifier(query)
  open.push(made)
  return made
}

test('a foreign verifier receives the requested claims, bound to it and its request, and nothing else', async () => {
  const { thandi, credentialId } = await aMember(bench)
  const shop = await verifier()
  const { data, meta } = await preparePresentation(bench.platform, thandi, shop.link())
  assert.equal(data.status, 'pending')
  assert.equal(data.tenantId, thandi.tenantId)
  assert.deepEqual(data.selectedCredentials, [{ credentialId, matchedAttributes: ['member.number', 'clubs[]'] }])
  assert.partialDeepStrictEqual(meta.verifier, { clientId: shop.clientId, authenticated: true, trusted: false })
  assert.equal(shop.posted.length, 0)

  const answered = await answerPresentation(bench.platform, thandi, data.id, { status: 'answered' })
  assert.equal(answered.data.status, 'answered')
  assert.equal(answered.meta.redirectUri, `${new URL(shop.responseUri).origin}/done#1`)
  assert.equal(shop.posted[0]?.get('state'), 'st-1')
  const [presentation, ...others] = presented(shop)
  assert.equal(others.length, 0)
  const read = readByHand(presentation ?? '')
  assert.deepEqual(read.disclosed.map(([name]) => name).sort(), ['clubs', 'number'])
  assert.partialDeepStrictEqual(read, {
    typ: 'kb+jwt',
    aud: shop.clientId,
    nonce: shop.nonce,
    isSigned: true,
    isWhole: true,
  })
})

test('a credential whose time is over is not offered, and not sent if it was proposed before', async () => {
  const thandi = await bench.person()
  await receive(bench, thandi, 1, { payload: (payload) => ({ ...payload, exp: Number(payload.iat) + 100 }) })
  const shop = await verifier()
  const { data } = await preparePresentation(bench.platform, thandi, shop.link())
  assert.equal(data.selectedCredentials.length, 1)
  bench.later(110)
  const refused = await fault(answerPresentation(bench.platform, thandi, data.id, { status: 'answered' }))
  assert.equal(refused.code, 'credential.unmatched')
  const { data: again } = await preparePresentation(bench.platform, thandi, shop.link())
  assert.deepEqual(again.selectedCredentials, [])
  bench.later(-110)
  assert.equal(shop.posted.length, 0)
})

test('of concurrent answers one is sent, and the others are refused', async () => {
  const { thandi } = await aMember(bench)
  const shop = await verifier()
  const { data } = await preparePresentation(bench.platform, thandi, shop.link())
  const answers = Array.from({ length: 8 }, (_, i) =>
    answerPresentation(bench.platform, thandi, data.id, { status: i % 2 === 0 ? 'answered' : 'rejected' }).then(
      (done) => done.data.status,
      (error) => error.code,
    ),
  )
  const ended = await Promise.all(answers)
  assert.equal(ended.filter((one) => one === 'state.invalid').length, 7)
  assert.equal(shop.posted.length, 1)
  const final = await getPresentation(bench.platform, thandi, data.id)
  assert.ok(ended.includes(final.data.status))
})

test('final is final: neither answered nor rejected can be answered again', async () => {
  const { thandi } = await aMember(bench)
  const shop = await verifier()
  for (const status of ['answered', 'rejected'] as const) {
    const { data } = await preparePresentation(bench.platform, thandi, shop.link())
    await answerPresentation(bench.platform, thandi, data.id, { status })
    for (const again of ['answered', 'rejected'] as const) {
      const refused = await fault(answerPresentation(bench.platform, thandi, data.id, { status: again }))
      assert.equal(refused.code, 'state.invalid')
    }
    assert.equal((await getPresentation(bench.platform, thandi, data.id)).data.status, status)
  }
  assert.equal(shop.posted.length, 2)
})

test('a refusal sends access_denied to the verifier and nothing more', async () => {
  const { thandi } = await aMember(bench)
  const shop = await verifier()
  const { data } = await preparePresentation(bench.platform, thandi, shop.link())
  const { data: rejected } = await answerPresentation(bench.platform, thandi, data.id, { status: 'rejected' })
  assert.equal(rejected.status, 'rejected')
  assert.deepEqual(Object.fromEntries(shop.posted[0] ?? []), { error: 'access_denied', state: 'st-1' })
})

test('only accepted credentials are presented: pending and rejected ones match nothing', async () => {
  const { thandi, credentialId } = await aMember(bench)
  const shop = await verifier()
  for (const status of ['pending', 'rejected'] as const) {
    await setConsent(bench.platform, thandi, credentialId, status)
    const { data, meta } = await preparePresentation(bench.platform, thandi, shop.link())
    assert.deepEqual(data.selectedCredentials, [])
    assert.deepEqual(meta.unmatched, [{ queryId: 'm', types: [foreignVct] }])
    const refused = await fault(answerPresentation(bench.platform, thandi, data.id, { status: 'answered' }))
    assert.equal(refused.code, 'credential.unmatched')
  }
  assert.equal(shop.posted.length, 0)
})

test('a consent that is withdrawn between proposal and answer is respected, for selected and proposed credentials', async () => {
  const { thandi, credentialId } = await aMember(bench)
  const shop = await verifier()
  const { data } = await preparePresentation(bench.platform, thandi, shop.link())
  await setConsent(bench.platform, thandi, credentialId, 'rejected')
  for (const ask of [{}, { selectedCredentials: [{ credentialId }] }]) {
    const answer = answerPresentation(bench.platform, thandi, data.id, { status: 'answered', ...ask })
    assert.equal((await fault(answer)).code, 'credential.unmatched')
  }
  assert.equal(shop.posted.length, 0)
})

test("another user's credential cannot be named, not even one that would answer", async () => {
  const { thandi } = await aMember(bench)
  const pieter = await bench.person(thandi.tenantId)
  const theirs = await receive(bench, pieter)
  const shop = await verifier()
  const { data } = await preparePresentation(bench.platform, thandi, shop.link())
  const ask = { status: 'answered' as const, selectedCredentials: [{ credentialId: theirs }] }
  assert.equal((await fault(answerPresentation(bench.platform, thandi, data.id, ask))).code, 'credential.unmatched')
  assert.equal(shop.posted.length, 0)
})

test('a credential that is removed between proposal and answer is not sent, and the request stays pending', async () => {
  const { thandi, credentialId } = await aMember(bench)
  const shop = await verifier()
  const { data } = await preparePresentation(bench.platform, thandi, shop.link())
  await removeCredential(bench.platform, thandi, credentialId)
  const refused = await fault(answerPresentation(bench.platform, thandi, data.id, { status: 'answered' }))
  assert.equal(refused.code, 'credential.unmatched')
  assert.equal((await getPresentation(bench.platform, thandi, data.id)).data.status, 'pending')
  assert.equal(shop.posted.length, 0)
})

test('the holder may select another credential of the alternatives, but not one that was not requested', async () => {
  const { thandi, credentialId: older } = await aMember(bench)
  const newer = await receive(bench, thandi)
  const shop = await verifier()
  const { data, meta } = await preparePresentation(bench.platform, thandi, shop.link())
  assert.equal(data.selectedCredentials[0]?.credentialId, newer)
  const [alternative] = meta.alternatives as { credentials: { credentialId: string }[] }[]
  assert.deepEqual(
    alternative?.credentials.map((one) => one.credentialId),
    [newer, older],
  )
  const both = [{ credentialId: newer }, { credentialId: older }]
  const twice = [{ credentialId: newer }, { credentialId: newer }]
  for (const selectedCredentials of [both, twice, [{ credentialId: older, matchedAttributes: ['clubs[]'] }]]) {
    const ask = { status: 'answered' as const, selectedCredentials }
    assert.equal((await fault(answerPresentation(bench.platform, thandi, data.id, ask))).code, 'request.invalid')
  }
  const ask = { status: 'answered' as const, selectedCredentials: [{ credentialId: older }] }
  const { data: answered } = await answerPresentation(bench.platform, thandi, data.id, ask)
  assert.equal(answered.selectedCredentials[0]?.credentialId, older)
})

test('several credentials are presented where the verifier accepts several and the holder selects them', async () => {
  const { thandi, credentialId } = await aMember(bench)
  const other = await receive(bench, thandi)
  const shop = await verifier({ credentials: [{ ...membership, multiple: true }] })
  const { data } = await preparePresentation(bench.platform, thandi, shop.link())
  const twice = { status: 'answered' as const, selectedCredentials: [{ credentialId }, { credentialId }] }
  assert.equal((await fault(answerPresentation(bench.platform, thandi, data.id, twice))).code, 'request.invalid')
  const ask = { status: 'answered' as const, selectedCredentials: [{ credentialId }, { credentialId: other }] }
  await answerPresentation(bench.platform, thandi, data.id, ask)
  assert.equal(presented(shop).length, 2)
})

test('an answer that the verifier refuses makes the presentation fail for good', async () => {
  const { thandi } = await aMember(bench)
  for (const [answer, code] of [
    [{ status: 400, body: '{"error":"invalid_request"}' }, 'presentation.undelivered'],
    [{ status: 302, body: '' }, 'presentation.undelivered'],
  ] as const) {
    const shop = await verifier()
    const { data } = await preparePresentation(bench.platform, thandi, shop.link())
    shop.behave({ answer })
    const refused = await fault(answerPresentation(bench.platform, thandi, data.id, { status: 'answered' }))
    assert.equal(refused.code, code)
    const after = await getPresentation(bench.platform, thandi, data.id)
    assert.equal(after.data.status, 'failed')
    assert.partialDeepStrictEqual(after.meta.error, { code })
    const again = await fault(answerPresentation(bench.platform, thandi, data.id, { status: 'answered' }))
    assert.equal(again.code, 'state.invalid')
  }
})

test('a verifier that wants the answer later gets it later: the presentation stays pending, as it was', async () => {
  const { thandi, credentialId: older } = await aMember(bench)
  await receive(bench, thandi)
  const shop = await verifier()
  const { data } = await preparePresentation(bench.platform, thandi, shop.link())
  const named = { status: 'answered' as const, selectedCredentials: [{ credentialId: older }] }
  const { updatedAt: _, ...asked } = data
  for (const status of [503, 429]) {
    shop.behave({ answer: { status, body: '{"error":"temporarily_unavailable"}' } })
    const refused = await fault(answerPresentation(bench.platform, thandi, data.id, named))
    assert.equal(refused.code, 'presentation.postponed')
    assert.deepEqual(refused.meta?.upstream, { status, error: 'temporarily_unavailable' })
    const { updatedAt: __, ...pending } = (await getPresentation(bench.platform, thandi, data.id)).data
    assert.deepEqual(pending, asked)
  }
  shop.behave({})
  const { data: answered } = await answerPresentation(bench.platform, thandi, data.id, { status: 'answered' })
  assert.equal(answered.status, 'answered')
  assert.equal(shop.posted.length, 3)
})

test('a verifier that does not answer with JSON has the answer all the same, and there is no redirect', async () => {
  const { thandi } = await aMember(bench)
  const shop = await verifier()
  for (const answer of [
    { type: 'text/html', body: '<p>' },
    { body: '{"redirect_uri":"javascript:alert(1)"}' },
    { status: 204, type: 'text/plain', body: '' },
  ]) {
    const { data } = await preparePresentation(bench.platform, thandi, shop.link())
    shop.behave({ answer })
    const { data: answered, meta } = await answerPresentation(bench.platform, thandi, data.id, { status: 'answered' })
    assert.equal(answered.status, 'answered')
    assert.equal(meta.redirectUri, undefined)
  }
})

test("another user's presentation does not exist", async () => {
  const { thandi } = await aMember(bench)
  const shop = await verifier()
  const { data } = await preparePresentation(bench.platform, thandi, shop.link())
  for (const stranger of [await bench.person(thandi.tenantId), await bench.person()]) {
    assert.equal((await fault(getPresentation(bench.platform, stranger, data.id))).code, 'resource.unknown')
    const answer = answerPresentation(bench.platform, stranger, data.id, { status: 'answered' })
    assert.equal((await fault(answer)).code, 'resource.unknown')
  }
})

test('an unanswered presentation has expired, before and after the sweep, and its request is deleted', async () => {
  const { thandi } = await aMember(bench)
  const shop = await verifier()
  const { data } = await preparePresentation(bench.platform, thandi, shop.link())
  bench.later(301)
  const list = {
    size: 25,
    after: null,
    before: null,
    sort: { field: 'createdAt', descending: true },
    readDescending: true,
  }
  for (let swept = 0; swept < 2; swept += 1) {
    assert.equal((await getPresentation(bench.platform, thandi, data.id)).data.status, 'expired')
    assert.equal((await listShared(bench.platform, thandi, 'expired', list)).length, 1)
    assert.equal((await listShared(bench.platform, thandi, 'pending', list)).length, 0)
    const refused = await fault(answerPresentation(bench.platform, thandi, data.id, { status: 'answered' }))
    assert.equal(refused.code, 'state.invalid')
    await expireDue(bench.platform, new AbortController().signal)
  }
  const [row] = await bench.rows(thandi.tenantId, 'wallet_presentation')
  assert.equal(row?.sealed_request, null)
  bench.later(-301)
})
