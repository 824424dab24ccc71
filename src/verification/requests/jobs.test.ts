import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newLease } from '../../store/lease.ts'
import { sql } from '../../store/store.ts'
import { type Backend, startVerifier, type Verifier } from '../test-support/verifier.ts'
import { completeOnce } from './complete-request.ts'
import { verificationSchedules } from './jobs.ts'
import { claimRequest } from './response-claim-store.ts'

let verifier: Verifier
before(async () => {
  verifier = await startVerifier()
})
after(() => verifier.close())

const listAudit = sql(
  'test.verification-audit',
  'select action, event_type, actor_kind from audit_entry where tenant_id = $1 and subject_id = $2 order by id',
)
const readSecrets = sql(
  'test.verification-row',
  'select state, result, error::text as error from presentation_request where tenant_id = $1 and id = $2',
)

async function aRequest({ ask }: Backend, more: object = {}): Promise<string> {
  const credentials = [{ type: 'v', attributes: { a: {} } }]
  const template = { name: 'T', description: '', credentials, ...more }
  const made = await ask('POST', '/templates/presentations', template)
  const opened = await ask('POST', '/presentations/request', { presentationTemplateId: made.body.data.id })
  return opened.body.data.id
}

async function run(name: string): Promise<void> {
  const schedule = verificationSchedules.find((one) => one.name === name)
  assert(schedule)
  await schedule.run(verifier.platform, new AbortController().signal)
}

async function claim({ tenantId }: Backend, id: string, now: Date) {
  const { store } = verifier
  const [row] = await store.single(tenantId, (tx) => tx.rows<{ state: string }>(readSecrets, [tenantId, id]))
  return store.single(tenantId, (tx) => claimRequest(tx, id, row?.state ?? '', now, newLease(now, 60_000), 'accepted'))
}

const entryOf = (id: string) =>
  ({
    action: 'openid4vc.verification.verified',
    subject: { kind: 'presentation_request', id },
    by: 'system',
  }) as const
const completion = { status: 'verified', error: null, result: Buffer.from('sealed'), responseCodeHash: null } as const

test('an unanswered request expires with an event, and is shown as expired before the schedule runs', async () => {
  const backend = await verifier.aTenant()
  const id = await aRequest(backend, { verifierConfig: { expiresInSeconds: 30 } })
  verifier.wait(31)
  const status = async () => (await backend.ask('GET', `/presentations/${id}`)).body.data.status
  assert.equal(await status(), 'expired')
  await run('verification.expire-requests')
  await run('verification.expire-requests')
  assert.equal(await status(), 'expired')
  const rows = await verifier.store.single(backend.tenantId, (tx) => tx.rows(listAudit, [backend.tenantId, id]))
  assert.deepEqual(rows, [
    {
      action: 'openid4vc.verification.requested',
      event_type: 'openid4vc.verification.requested',
      actor_kind: 'client',
    },
    { action: 'openid4vc.verification.expired', event_type: 'openid4vc.verification.expired', actor_kind: 'system' },
  ])
})

test('a claim expires with its lease; then the next response is accepted, and the first one writes nothing', async () => {
  const backend = await verifier.aTenant()
  const id = await aRequest(backend)
  const now = verifier.platform.clock.now()
  const at = (seconds: number) => new Date(now.getTime() + seconds * 1000)
  const first = await claim(backend, id, at(0))
  assert(first)
  assert.equal(await claim(backend, id, at(59)), null)
  const second = await claim(backend, id, at(60))
  assert(second)
  const complete = (request: typeof first) =>
    completeOnce(verifier, backend.tenantId, request, { ...completion, resultUntil: at(3600) }, entryOf(id), at(61))
  const outcomes = [await complete(first), await complete(second), await complete(second), await complete(first)]
  // repeated after a lost database answer, a completion returns the same
  assert.deepEqual(outcomes, [false, true, true, false])
})

test('claiming the response of a request changes neither its ETag nor its updatedAt; completing it changes both', async () => {
  const backend = await verifier.aTenant()
  const id = await aRequest(backend)
  const shown = async () => {
    const { status, headers, body } = await backend.ask('GET', `/presentations/${id}`)
    assert.equal(status, 200)
    return { etag: headers.get('etag') ?? '', updatedAt: body.data.updatedAt, status: body.data.status }
  }
  const before = await shown()
  assert.match(before.etag, /^"[\w-]+"$/)
  verifier.wait(5)
  const now = verifier.platform.clock.now()
  const request = await claim(backend, id, now)
  assert(request)
  assert.deepEqual(await shown(), before)
  verifier.wait(5)
  const done = { ...completion, result: null, resultUntil: null }
  assert(await completeOnce(verifier, backend.tenantId, request, done, entryOf(id), verifier.platform.clock.now()))
  const after = await shown()
  assert.equal(after.status, 'verified')
  assert.notEqual(after.etag, before.etag)
  assert(after.updatedAt > before.updatedAt)
})

test('a request whose response is being checked is not expired', async () => {
  const backend = await verifier.aTenant()
  const id = await aRequest(backend, { verifierConfig: { expiresInSeconds: 30 } })
  verifier.wait(29)
  const request = await claim(backend, id, verifier.platform.clock.now())
  assert(request)
  verifier.wait(5)
  await run('verification.expire-requests')
  const done = { ...completion, resultUntil: new Date() }
  const isCompleted = await completeOnce(verifier, backend.tenantId, request, done, entryOf(id), new Date())
  assert(isCompleted)
})

test('results are cleared after their retention time', async () => {
  const backend = await verifier.aTenant()
  const id = await aRequest(backend)
  const now = verifier.platform.clock.now()
  const request = await claim(backend, id, now)
  assert(request)
  assert.equal(request.retentionSeconds, 30 * 86_400)
  const resultUntil = new Date(now.getTime() + 60_000)
  await completeOnce(verifier, backend.tenantId, request, { ...completion, resultUntil }, entryOf(id), now)
  const result = async () => {
    const rows = await verifier.store.single(backend.tenantId, (tx) =>
      tx.rows<{ result: Buffer | null }>(readSecrets, [backend.tenantId, id]),
    )
    return rows[0]?.result ?? null
  }
  await run('verification.clear-results')
  assert.notEqual(await result(), null)
  verifier.wait(61)
  await run('verification.clear-results')
  assert.equal(await result(), null)
  const { status, credentials } = (await backend.ask('GET', `/presentations/${id}`)).body.data
  assert.deepEqual([status, credentials], ['verified', []])
})
