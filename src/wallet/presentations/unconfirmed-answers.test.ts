import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { lossyStore } from '../../../test/support/lossy-database.ts'
import type { Caller } from '../../caller.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { listHistory } from '../history/list-history.ts'
import { fault } from '../test-support/fault.ts'
import { type ForeignVerifier, foreignVerifier } from '../test-support/foreign-verifier.ts'
import { aMember, membership } from '../test-support/member.ts'
import { type Bench, openBench } from '../test-support/wallet-platform.ts'
import { answerPresentation } from './answer-presentation.ts'
import { getPresentation } from './get-presentation.ts'
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

/** Longer than a call may take to send an answer. */
const DEAD_SECONDS = 16

async function prepared(person?: Caller) {
  const thandi = person ?? (await aMember(bench)).thandi
  const shop = await foreignVerifier({ credentials: [membership] })
  open.push(shop)
  const { data } = await preparePresentation(bench.platform, thandi, shop.link())
  return { thandi, shop, id: data.id }
}

/** The platform that loses a statement, or the answer of the database to it. */
function losing(statement: string, what: 'request' | 'answer' = 'answer', times = 1): Platform {
  const { store, lose } = lossyStore(bench.platform.store)
  void lose(what, { statement, times })
  return { ...bench.platform, store }
}

/** The platform on which the answer of the verifier to a post is lost. */
function unheard(error: Fault = new Fault('upstream.timeout')): Platform {
  const fetch: Platform['fetch'] = async (tenantId, url, request) => {
    const answer = await bench.platform.fetch(tenantId, url, request)
    if (url.endsWith('/answers')) throw error
    return answer
  }
  return { ...bench.platform, fetch }
}

async function actionsOf({ tenantId }: Caller, id: string): Promise<unknown[]> {
  const entries = await bench.rows(tenantId, 'audit_entry')
  return entries.filter((one) => one.subject_id === id).map((one) => one.action)
}

const bodies = ({ posted }: ForeignVerifier) => posted.map(String)
const statusOf = async (who: Caller, id: string) => (await getPresentation(bench.platform, who, id)).data.status
const answered = { status: 'answered' as const }

for (const [name, isRepeated] of [
  ['wallet.find_presentation', true],
  ['wallet.list_presentable', true],
  ['wallet.take_copies', true],
  ['wallet.begin_answer', false],
  ['wallet.end_answer', false],
] as const) {
  test(`an answer is sent once and is answered although the database answer to ${name} is lost`, async () => {
    const { thandi, shop, id } = await prepared()
    const first = answerPresentation(losing(name), thandi, id, answered)
    if (isRepeated) {
      await assert.rejects(first, /connection lost/)
      await answerPresentation(bench.platform, thandi, id, answered)
    } else assert.equal((await first).data.status, 'answered')
    assert.equal(await statusOf(thandi, id), 'answered')
    assert.equal(shop.posted.length, 1)
    assert.deepEqual(await actionsOf(thandi, id), ['wallet_presentation.prepared', 'wallet_presentation.answered'])
  })
}

for (const name of ['wallet.end_answer', 'wallet.show_rejection']) {
  test(`a refusal is rejected and recorded once although the database answer to ${name} is lost`, async () => {
    const { thandi, shop, id } = await prepared()
    const { data } = await answerPresentation(losing(name), thandi, id, { status: 'rejected' })
    assert.equal(data.status, 'rejected')
    assert.equal(shop.posted.length, 1)
    assert.deepEqual(await actionsOf(thandi, id), ['wallet_presentation.prepared', 'wallet_presentation.rejected'])
  })
}

test('an outage of the database while an answer is sent ends nothing: the same call again ends it within seconds', async () => {
  const { thandi, shop, id } = await prepared()
  await assert.rejects(answerPresentation(losing('wallet.end_answer', 'request', 99), thandi, id, answered))
  assert.equal(shop.posted.length, 1)
  const { data, meta } = await getPresentation(bench.platform, thandi, id)
  assert.equal(data.status, 'pending')
  assert.partialDeepStrictEqual(meta.error, { code: 'presentation.unconfirmed' })
  assert.equal((await fault(answerPresentation(bench.platform, thandi, id, answered))).code, 'state.invalid')
  bench.later(DEAD_SECONDS)
  assert.equal((await answerPresentation(bench.platform, thandi, id, answered)).data.status, 'answered')
  bench.later(-DEAD_SECONDS)
  const [first, second] = bodies(shop)
  assert.equal(first, second)
  assert.deepEqual(await actionsOf(thandi, id), ['wallet_presentation.prepared', 'wallet_presentation.answered'])
})

test('a call that died before it sent blocks nothing for longer than seconds, and its answer is the one that is sent', async () => {
  const { thandi, shop, id } = await prepared()
  await assert.rejects(answerPresentation(losing('wallet.begin_answer', 'answer', 99), thandi, id, answered))
  assert.equal(shop.posted.length, 0)
  bench.later(DEAD_SECONDS)
  assert.equal((await answerPresentation(bench.platform, thandi, id, answered)).data.status, 'answered')
  bench.later(-DEAD_SECONDS)
  assert.equal(shop.posted.length, 1)
})

for (const [what, error] of [
  ['timed out', new Fault('upstream.timeout')],
  ['broke off', new Fault('upstream.unreachable')],
  ['was not understood', new Error('a defect of ours')],
] as const) {
  test(`an answer whose confirmation ${what} stays pending and says so; the same call again sends the same`, async () => {
    const { thandi, shop, id } = await prepared()
    const away = unheard(error as Fault)
    await assert.rejects(answerPresentation(away, thandi, id, answered))
    for (const repeated of [away, away]) await assert.rejects(answerPresentation(repeated, thandi, id, answered))
    const { data, meta } = await getPresentation(bench.platform, thandi, id)
    assert.equal(data.status, 'pending')
    assert.partialDeepStrictEqual(meta.error, { code: 'presentation.unconfirmed' })
    const ended = await answerPresentation(bench.platform, thandi, id, answered)
    assert.deepEqual([ended.data.status, ended.meta.error], ['answered', undefined])
    assert.equal(new Set(bodies(shop)).size, 1)
    assert.equal(shop.posted.length, 4)
  })
}

for (const answer of [{ status: 500, body: '' }, { status: 502, body: '' }, { body: 'x'.repeat(70_000) }]) {
  test(`a verifier that answers ${answer.status ?? 'too much'} may have the answer, so the presentation does not fail`, async () => {
    const { thandi, shop, id } = await prepared()
    shop.behave({ answer })
    const refused = await fault(answerPresentation(bench.platform, thandi, id, answered))
    assert.match(refused.code, /^upstream\.(answer|too_large)$/)
    assert.equal(await statusOf(thandi, id), 'pending')
    shop.behave({})
    assert.equal((await answerPresentation(bench.platform, thandi, id, answered)).data.status, 'answered')
  })
}

test('a verifier that refuses the repetition may have the answer: it failed, and error and history say so', async () => {
  const { thandi, shop, id } = await prepared()
  await assert.rejects(answerPresentation(unheard(), thandi, id, answered))
  shop.behave({ answer: { status: 400, body: '{"error":"invalid_request"}' } })
  const refused = await fault(answerPresentation(bench.platform, thandi, id, answered))
  assert.equal(refused.code, 'presentation.unconfirmed')
  const { data, meta } = await getPresentation(bench.platform, thandi, id)
  assert.equal(data.status, 'failed')
  assert.equal(data.selectedCredentials.length, 1)
  assert.partialDeepStrictEqual(meta.error, { code: 'presentation.unconfirmed' })
  const list = {
    size: 9,
    after: null,
    before: null,
    sort: { field: 'createdAt', descending: true },
    readDescending: true,
  }
  const lines = await listHistory(bench.platform, thandi, {}, list)
  assert.equal(lines.find((one) => one.id === id)?.presentation?.disclosed, 'unknown')
})

test('an answer that was sent can be neither refused nor changed, and expires as one that the verifier may have', async () => {
  const { thandi, shop, id } = await prepared()
  await assert.rejects(answerPresentation(unheard(), thandi, id, answered))
  for (const other of [
    { status: 'rejected' as const },
    { ...answered, selectedCredentials: [{ credentialId: '0198c5f4-0000-7000-8000-000000000000' }] },
  ]) {
    assert.equal((await fault(answerPresentation(bench.platform, thandi, id, other))).code, 'state.invalid')
  }
  assert.equal(shop.posted.length, 1)
  bench.later(310)
  await expireDue(bench.platform, new AbortController().signal)
  bench.later(-310)
  const { data, meta } = await getPresentation(bench.platform, thandi, id)
  assert.equal(data.status, 'failed')
  assert.partialDeepStrictEqual(meta.error, { code: 'presentation.unconfirmed' })
  const [row] = await bench.rows(thandi.tenantId, 'wallet_presentation')
  assert.deepEqual([row?.sealed_request, row?.sealed_answer], [null, null])
})

test('the sweep leaves an answer alone while a call is sending it, and ends it after the lease', async () => {
  const { thandi, id } = await prepared()
  bench.later(295)
  await assert.rejects(answerPresentation(losing('wallet.end_answer', 'request', 99), thandi, id, answered))
  const swept: string[] = []
  for (const seconds of [10, 10]) {
    bench.later(seconds)
    await expireDue(bench.platform, new AbortController().signal)
    const [row] = await bench.rows(thandi.tenantId, 'wallet_presentation')
    swept.push(String(row?.status))
  }
  bench.later(-315)
  assert.deepEqual(swept, ['pending', 'failed'])
})

test('of repetitions that come together one is sent', async () => {
  const { thandi, shop, id } = await prepared()
  await assert.rejects(answerPresentation(unheard(), thandi, id, answered))
  const calls = Array.from({ length: 8 }, () =>
    answerPresentation(bench.platform, thandi, id, answered).then(
      ({ data }) => data.status,
      (error) => error.code,
    ),
  )
  const ended = (await Promise.all(calls)).sort()
  assert.deepEqual(ended, ['answered', ...Array(7).fill('state.invalid')])
  assert.equal(shop.posted.length, 2)
})

test('a verifier that is gone leaves an answer to be repeated, and does not keep a refusal from standing', async () => {
  for (const [status, ends, code] of [
    ['answered', 'pending', 'presentation.unconfirmed'],
    ['rejected', 'rejected', 'upstream.unreachable'],
  ] as const) {
    const { thandi, shop, id } = await prepared()
    await shop.close()
    const call = answerPresentation(bench.platform, thandi, id, { status })
    if (status === 'answered') assert.equal((await fault(call)).code, 'upstream.unreachable')
    else assert.partialDeepStrictEqual((await call).meta.error, { code })
    const { data, meta } = await getPresentation(bench.platform, thandi, id)
    assert.equal(data.status, ends)
    assert.partialDeepStrictEqual(meta.error, { code })
  }
})
