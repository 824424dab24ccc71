// Copies of a batch are presented once each, and replaced before the last one was.
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import type { Caller, UserId } from '../../caller.ts'
import { newId } from '../../store/row-id.ts'
import { removeCredential } from '../credentials/remove-credential.ts'
import { setConsent } from '../credentials/set-consent.ts'
import { createSession } from '../issuance-sessions/create-session.ts'
import { finishSession } from '../issuance-sessions/finish-session.ts'
import { getSession } from '../issuance-sessions/show-session.ts'
import { acceptOffer } from '../offers/accept-offer.ts'
import { answerPresentation } from '../presentations/answer-presentation.ts'
import { preparePresentation } from '../presentations/prepare-presentation.ts'
import type { CodeOptions } from '../test-support/code-server.ts'
import { fault } from '../test-support/fault.ts'
import { type ForeignIssuer, foreignIssuer, type Options } from '../test-support/foreign-issuer.ts'
import { type ForeignVerifier, foreignVerifier, readByHand } from '../test-support/foreign-verifier.ts'
import { gate } from '../test-support/gate.ts'
import { says, sends } from '../test-support/lies.ts'
import { membership, presented } from '../test-support/member.ts'
import { type Bench, openBench } from '../test-support/wallet-platform.ts'
import { deleteLateRefills } from './jobs.ts'
import { refillCopiesJob } from './refill-copies.ts'

type Person = Caller & { readonly userId: UserId }
type Member = { readonly thandi: Person; readonly credentialId: string }

const COPIES = 4
let bench: Bench
let issuer: ForeignIssuer
let shop: ForeignVerifier
before(async () => {
  bench = await openBench()
})
after(() => bench.close())
afterEach(() => Promise.all([issuer.close(), shop.close()]))

/** A person with an accepted batch from an issuer with refresh tokens. */
async function aMember(code: CodeOptions = {}, options: Options = { batchSize: COPIES }): Promise<Member> {
  issuer = await foreignIssuer({ code: { renews: true, dpop: true, ...code }, ...options })
  shop = await foreignVerifier({ credentials: [membership] })
  const thandi = await bench.person()
  const id = newId()
  await createSession(bench.platform, thandi, { credentialOffer: issuer.offerUri }, id)
  const { authorizationUrl } = await getSession(bench.platform, thandi, id)
  const by = { actor: thandi.actor, actingClientId: null, ip: '127.0.0.1', requestId: 'r' }
  const outcome = await finishSession(bench.platform, { ...thandi, by }, issuer.code.authorize(authorizationUrl ?? ''))
  assert.equal(outcome.kind, 'completed')
  const [credentialId = ''] = (await getSession(bench.platform, thandi, id)).credentialIds
  await setConsent(bench.platform, thandi, credentialId, 'accepted')
  return { thandi, credentialId }
}

/** Presents the credential. @returns the public key of the copy that was sent */
async function present({ thandi }: Member): Promise<string> {
  const { data } = await preparePresentation(bench.platform, thandi, shop.link())
  await answerPresentation(bench.platform, thandi, data.id, { status: 'answered' })
  const [presentation = ''] = presented(shop, shop.posted.length - 1)
  const { isSigned, isWhole } = readByHand(presentation)
  assert.ok(isSigned && isWhole)
  const { cnf } = JSON.parse(Buffer.from(presentation.split('.')[1] ?? '', 'base64url').toString())
  return cnf.jwk.x
}

async function presentTimes(member: Member, times: number): Promise<string[]> {
  const keys: string[] = []
  for (let turn = 0; turn < times; turn += 1) keys.push(await present(member))
  return keys
}

async function refillJobs({ thandi }: Member) {
  return (await bench.rows(thandi.tenantId, 'job')).filter(({ name }) => name === refillCopiesJob.name)
}

async function runJob(member: Member): Promise<void> {
  const [row] = await refillJobs(member)
  assert.ok(row, 'there is a job')
  const { tenantId } = member.thandi
  const about = { id: 'j', tenantId, attempt: 1 }
  await refillCopiesJob.run(bench.platform, { credentialId: member.credentialId }, new AbortController().signal, about)
}

const requests = () => issuer.calls.filter(({ place }) => place === 'credential').length
const rowsOf = ({ thandi }: Member, table: string) => bench.rows(thandi.tenantId, table)
async function copiesOf(member: Member) {
  const rows = await rowsOf(member, 'wallet_credential_copy')
  return { ids: rows.map(({ id }) => id), used: rows.filter(({ used_at: at }) => at !== null).length }
}

test('each copy is presented once: before the last one, a job replaces all by new ones, for new keys, and does so again', async () => {
  const member = await aMember()
  const before = await copiesOf(member)
  const seen = await presentTimes(member, COPIES - 2)
  assert.deepEqual(await refillJobs(member), [], 'half of the copies are unused')
  seen.push(await present(member))
  assert.equal((await refillJobs(member)).length, 1)
  issuer.code.expireTokens()
  await runJob(member)
  const now = await copiesOf(member)
  assert.deepEqual([now.ids.length, now.used], [COPIES, 0])
  assert.ok(now.ids.every((id) => !before.ids.includes(id)))
  seen.push(...(await presentTimes(member, COPIES)))
  assert.equal(new Set(seen).size, 2 * COPIES - 1, 'no key was presented twice')
  assert.equal((await refillJobs(member)).length, 2, 'the next refill is enqueued, once')
  issuer.code.expireTokens()
  await runJob(member)
  seen.push(await present(member))
  assert.equal(new Set(seen).size, 2 * COPIES)
  const actions = (await rowsOf(member, 'audit_entry')).map(({ action }) => action)
  assert.equal(actions.filter((one) => one === 'wallet_credential.refilled').length, 2)
})

test('the notification of the new copies replaces that of the old ones, whose token the issuer accepts no more', async () => {
  const member = await aMember()
  issuer.lie({ reply: { credential: says({ notification_id: 'news-of-the-refill' }) } })
  await presentTimes(member, COPIES - 1)
  const [first] = await rowsOf(member, 'wallet_notification')
  await runJob(member)
  const [second, ...others] = await rowsOf(member, 'wallet_notification')
  assert.equal(others.length, 0)
  assert.notEqual(second?.id, first?.id)
  assert.equal(second?.told, null)
  const { payload } = (await rowsOf(member, 'job')).at(-1) ?? {}
  assert.deepEqual(payload, { notificationId: second?.id })
})

test('of parallel runs one asks the issuer', async () => {
  const member = await aMember()
  await presentTimes(member, COPIES - 1)
  const slow = gate()
  const asked = requests()
  issuer.lie({ reply: { credential: async (reply) => slow.passed.then(() => reply) } })
  const first = runJob(member)
  await slow.reached(() => requests() > asked)
  for (let turn = 0; turn < 3; turn += 1) assert.equal((await fault(runJob(member))).code, 'state.invalid')
  slow.open()
  await first
  await runJob(member)
  assert.deepEqual(await copiesOf(member).then(({ used }) => used), 0)
})

test('after a lost answer the same keys are proved again, and the copies in the wallet are presented meanwhile', async () => {
  const member = await aMember()
  await presentTimes(member, COPIES - 1)
  const known = issuer.proved.length
  issuer.lie({ reply: { credential: sends({ status: 503, body: '' }) } })
  assert.match((await fault(runJob(member))).code, /^upstream\./)
  const { ids } = await copiesOf(member)
  await presentTimes(member, 2)
  assert.equal((await refillJobs(member)).length, 1, 'the enqueued job stays')
  issuer.lie({})
  await runJob(member)
  const [first, second] = [known, known + COPIES].map((at) => issuer.proved.slice(at, at + COPIES).map(({ x }) => x))
  assert.deepEqual(first, second)
  assert.ok((await copiesOf(member)).ids.every((id) => !ids.includes(id)))
})

/** What the wallet does not take: the tokens and keys of the refill are deleted, and it asks no more. */
const refusals: readonly (readonly [string, () => Parameters<ForeignIssuer['lie']>[0]])[] = [
  [
    'an issuer that gives other keys nothing',
    () => ({ reply: { credential: sends({ status: 400, body: { error: 'credential_request_denied' } }) } }),
  ],
  [
    'an issuer whose server refuses the refresh token',
    () => ({ reply: { token: sends({ status: 400, body: { error: 'invalid_grant' } }) } }),
  ],
  ['copies with other claims', () => ({ payload: (payload) => ({ ...payload, level: 'gold' }) })],
  ['copies of another type', () => ({ payload: (payload) => ({ ...payload, vct: 'https://types.example/other' }) })],
  [
    'copies for the keys of another holder',
    () => ({ payload: (payload) => ({ ...payload, cnf: { jwk: { kty: 'EC' } } }) }),
  ],
  [
    'an issuer that defers them',
    () => ({
      reply: {
        credential: () => ({ status: 202, type: 'application/json', body: { transaction_id: 'tx-1', interval: 5 } }),
      },
    }),
  ],
]
for (const [what, lies] of refusals) {
  test(`${what}: nothing is left behind, and the least recently used copy is presented again`, async () => {
    const member = await aMember()
    const seen = await presentTimes(member, COPIES - 1)
    const before = await copiesOf(member)
    issuer.code.expireTokens()
    issuer.lie(lies())
    await runJob(member)
    assert.deepEqual(await rowsOf(member, 'wallet_refill'), [])
    assert.deepEqual(await rowsOf(member, 'wallet_deferred'), [])
    assert.deepEqual((await copiesOf(member)).ids.toSorted(), before.ids.toSorted())
    const asked = issuer.calls.length
    seen.push(await present(member))
    assert.equal(await present(member), seen[0])
    assert.equal((await refillJobs(member)).length, 1)
    await runJob(member)
    assert.equal(issuer.calls.length, asked)
  })
}

test('a credential that its holder removed or rejected is not refilled, and its tokens go with it', async () => {
  const member = await aMember()
  await presentTimes(member, COPIES - 1)
  const asked = requests()
  await setConsent(bench.platform, member.thandi, member.credentialId, 'rejected')
  await runJob(member)
  await removeCredential(bench.platform, member.thandi, member.credentialId)
  assert.deepEqual(await rowsOf(member, 'wallet_refill'), [])
  await runJob(member)
  assert.equal(requests(), asked)
})

test('nothing is kept for a single copy, or an access token of minutes without a refresh token; late rows are deleted', async () => {
  assert.deepEqual(await rowsOf(await aMember({}, {}), 'wallet_refill'), [])
  await Promise.all([issuer.close(), shop.close()])
  assert.deepEqual(await rowsOf(await aMember({ renews: false }), 'wallet_refill'), [])
  await Promise.all([issuer.close(), shop.close()])
  const member = await aMember()
  assert.equal((await rowsOf(member, 'wallet_refill')).length, 1)
  bench.later(7200)
  await deleteLateRefills(bench.platform, new AbortController().signal)
  assert.deepEqual(await rowsOf(member, 'wallet_refill'), [], 'the credential has expired')
  bench.later(-7200)
})

test('an access token that lives for hours is enough, also of a pre-authorized code', async () => {
  issuer = await foreignIssuer({ batchSize: COPIES })
  shop = await foreignVerifier({ credentials: [membership] })
  issuer.lie({ reply: { token: says({ expires_in: 7200 }) } })
  const thandi = await bench.person()
  const { credentials } = await acceptOffer(bench.platform, thandi, { credentialOffer: issuer.offerUri })
  const credentialId = credentials[0]?.id ?? ''
  await setConsent(bench.platform, thandi, credentialId, 'accepted')
  const member = { thandi, credentialId }
  const seen = await presentTimes(member, COPIES - 1)
  await runJob(member)
  seen.push(...(await presentTimes(member, COPIES)))
  assert.equal(new Set(seen).size, 2 * COPIES - 1)
})
