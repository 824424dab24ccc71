// Mark and journal in an S3-compatible store: of servers at once, of a store that fails, and of a restored backup.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TenantId } from '../../src/caller.ts'
import { Fault } from '../../src/fault.ts'
import type { JournalLine } from '../../src/platform.ts'
import { openObjectStore } from '../../src/recovery/bucket.ts'
import { openJournalObjects, readJournalObjects } from '../../src/recovery/journal-objects.ts'
import { markPlaceOf } from '../../src/recovery/mark-place.ts'
import { makeTemplate, openIssuance } from '../support/main-job.ts'
import { anAccount, hasObjectStore, startObjectStore, type TestObjectStore } from '../support/object-store.ts'
import type { Api } from '../support/server.ts'
import { serverChild } from '../support/server-child.ts'

const skip = hasObjectStore ? false : 'moto_server is not installed'
const bucket = 'recovery'
const now = new Date('2026-05-01T12:00:00.000Z')
const clock = { now: () => now }
const tenantId = '00000000-0000-7000-8000-000000000001' as TenantId
const line = (certificateId: string): JournalLine => ({
  kind: 'certificate',
  at: now.toISOString(),
  tenantId,
  certificateId,
})

let outside: TestObjectStore
before(async () => {
  if (skip === false) outside = await startObjectStore(bucket)
})
after(() => outside?.close())

const objectStore = () => ({ endpoint: outside.endpoint, region: 'us-east-1', accessKeyId: 'a', secretAccessKey: 'b' })
const open = (callMsMax?: number) => openObjectStore(objectStore(), bucket, callMsMax)

async function read(prefix: string, since = new Date(0)): Promise<unknown[]> {
  const found = await Array.fromAsync(readJournalObjects(open(), prefix, since))
  return found.map(({ line }) => line.certificateId)
}

test('lines of concurrent callers and of two servers are all read back', { skip }, async () => {
  const journals = [openJournalObjects(open(), 'many', clock), openJournalObjects(open(), 'many', clock)]
  const ids = Array.from({ length: 200 }, (_, index) => String(index))
  await Promise.all(ids.map((id) => journals[Number(id) % 2]?.append([line(id)])))
  assert.deepEqual((await read('many')).toSorted(), ids.toSorted())
  assert.deepEqual(await read('many', new Date(now.getTime() + 1)), [])
  assert.deepEqual(await read('man'), [])
})

test('a lost answer is no lost line and no second one; a store that fails is 503, and the journal continues', {
  skip,
}, async () => {
  const journal = openJournalObjects(open(300), 'failing', clock)
  outside.become('lose-answer', 1)
  await journal.append([line('written')])
  for (const mode of ['refuse', 'silent'] as const) {
    outside.become(mode)
    await assert.rejects(
      journal.append([line('lost')]),
      (error) => error instanceof Fault && error.code === 'journal.unavailable',
    )
  }
  outside.become('pass')
  await journal.append([line('later')])
  assert.deepEqual((await read('failing')).toSorted(), ['later', 'written'])
})

test('an object is written once: another one with its key is refused', { skip }, async () => {
  const store = open()
  const tag = await store.put('once/a', 'first', null)
  assert(tag !== null)
  assert.deepEqual(
    [await store.put('once/a', 'second', null), await store.put('once/a', 'third', '"odd"')],
    [null, null],
  )
  assert.equal((await store.get('once/a'))?.body, 'first')
  assert.notEqual(await store.put('once/a', 'fourth', tag), null)
  assert.equal(await store.get('once/b'), null)
})

test('the mark of several servers never goes back', { skip }, async () => {
  const place = () =>
    markPlaceOf({ recoveryMark: `s3://${bucket}/mark.json`, objectStore: objectStore() }) ?? assert.fail()
  const deployment = '018f3c2e-0000-7000-8000-000000000001'
  const servers = [place(), place(), place()]
  assert.equal(await servers[0]?.read(), null)
  for (const beats of [
    [3, 1, 2],
    [4, 6, 5],
  ])
    await Promise.all(beats.map((beat, at) => servers[at]?.write({ deployment, beat, at: now.toISOString() })))
  assert.equal((await place().read())?.beat, 6)
  const other = { deployment: '018f3c2e-0000-7000-8000-000000000002', beat: 9, at: now.toISOString() }
  await assert.rejects(place().write(other), /is of another deployment/)
})

test('a restored backup is refused and recovered; a revocation without the store is 503 and can be repeated', {
  skip,
}, async () => {
  const server = await serverChild({
    ...anAccount,
    AWS_ENDPOINT_URL_S3: outside.endpoint,
    RECOVERY_MARK: `s3://${bucket}/a/mark.json`,
    REVOCATION_JOURNAL: `s3://${bucket}/a/journal`,
  })
  try {
    let [school, thandi] = [await server.backend(), await server.wallet('thandi')]
    const { id: templateId } = await makeTemplate(school, 'degree')
    const issued = [await issue(school, thandi, templateId), await issue(school, thandi, templateId)]
    assert.equal(await server.end('SIGTERM'), 0)
    const restore = await server.backUp()
    const since = new Date().toISOString()

    await server.start()
    school = await server.backend()
    const revoke = (id = '') => school.post('/creds/credentials/revoke', { ids: [id] })
    assert.equal((await revoke(issued[0]?.id)).status, 200)
    outside.become('refuse')
    const refused = await revoke(issued[1]?.id)
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '1'], JSON.stringify(refused.body))
    outside.become('pass')
    const repeated = await revoke(issued[1]?.id)
    assert.deepEqual([repeated.status, repeated.body.data.results[0].status], [200, 'revoked'])
    assert.equal(await server.end('SIGTERM'), 0)

    await restore()
    assert.match((await server.command('serve')).err, /older state .* run `chirograph recover --since TIME`/)
    const recovered = await server.command('recover', '--since', since, '--no-wait')
    assert.equal(recovered.status, 0, recovered.err)
    const report = JSON.parse(recovered.out)
    assert.deepEqual([report.journalLines, report.problems], [2, []])
    await server.start()
    school = await server.backend()
    for (const { issuanceId } of issued) {
      const { body } = await school.get(`/creds/credentials/${issuanceId}`)
      assert.equal(body.data.credentials[0].status, 'revoked')
    }
    thandi = await server.wallet('thandi')
    await issue(school, thandi, templateId)
  } finally {
    await server.remove()
  }
})

async function issue(school: Api, thandi: Api, templateId: string): Promise<{ id: string; issuanceId: string }> {
  const issuance = await openIssuance(school, templateId)
  const received = await thandi.post('/wallet/v2/credentials', { credentialOffer: issuance.offerUri })
  assert.equal(received.status, 201, JSON.stringify(received.body))
  return { id: issuance.credentials[0].id, issuanceId: issuance.id }
}
