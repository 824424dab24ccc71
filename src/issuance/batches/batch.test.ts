import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TestDatabase } from '../../../test/support/database.ts'
import { newLease } from '../../store/lease.ts'
import { newId } from '../../store/row-id.ts'
import { sql } from '../../store/store.ts'
import { latestTemplate } from '../templates/template-cache.ts'
import {
  aDatabase,
  anIssuer,
  aTemplate,
  callerOf,
  type Issuer,
  noDeliveries,
  someClaims,
} from '../test-support/issuer.ts'
import { claimBatch, completeItems, listPendingItems } from './batch-run-store.ts'
import { getBatchWithItems } from './get-batch.ts'
import { requeueBatches } from './jobs.ts'
import { runBatch } from './run-batch.ts'

const itemRows = sql(
  'test.batch.items',
  'select status, issuance_id, sealed_claims, sealed_recipient, error from issuance_batch_item where tenant_id = $1 and batch_id = $2 order by position',
)
const spoil = sql(
  'test.batch.spoil',
  `update issuance_batch_item set sealed_claims = '\\x00' where tenant_id = $1 and batch_id = $2 and position = 1`,
)
const exhaust = sql('test.batch.exhaust', 'update issuance_batch set tries = 8 where tenant_id = $1 and id = $2')
const countIssuances = sql('test.batch.issuances', 'select count(*)::int as count from issuance where tenant_id = $1')
const jobsOf = sql(
  'test.batch.jobs',
  `select payload->>'batchId' as id from job where tenant_id = $1 and name = 'issuance.run-batch'`,
)

let db: TestDatabase
before(async () => {
  db = await aDatabase()
})
after(() => db.close())

type ItemRow = {
  status: string
  issuance_id: string
  sealed_claims: Buffer | null
  sealed_recipient: Buffer | null
  error: { code: string; detail: string } | null
}

/** An accepted batch; without a worker, so no run has begun. */
async function aBatch(count: number, more: { item?: object; template?: object; ask?: object } = {}) {
  const issuer = await anIssuer(db)
  const template = (await issuer.api('POST', '/templates/credentials', aTemplate(more.template))).body.data
  const items = Array.from({ length: count }, () => ({ attributes: someClaims, ...more.item }))
  const body = { credentialTemplateId: template.id, items, ...more.ask }
  const { status, body: answer } = await issuer.api('POST', '/credentials/issuance/batch', body)
  assert.equal(status, 202, JSON.stringify(answer))
  const tenantId = issuer.tenant.id
  const about = { tenantId, batchId: answer.data.id as string }
  return {
    issuer,
    template,
    about,
    run: () => runBatch(issuer.platform, noDeliveries, about, new AbortController().signal),
    rows: () => db.store.single(tenantId, (tx) => tx.rows<ItemRow>(itemRows, [tenantId, about.batchId])),
    state: async () => (await issuer.api('GET', `/credentials/issuance/batch/${about.batchId}`)).body.data,
    issued: () => issuedIn(issuer),
  }
}

async function issuedIn({ tenant }: Issuer): Promise<number | undefined> {
  const [row] = await db.store.single(tenant.id, (tx) => tx.rows<{ count: number }>(countIssuances, [tenant.id]))
  return row?.count
}

test('claims are sealed until their item is issued or fails, then cleared', async () => {
  const { run, rows, state, about, issuer } = await aBatch(3)
  for (const one of await rows()) {
    assert.equal(one.status, 'waiting')
    assert.equal(one.sealed_claims?.includes('Thandi'), false)
  }
  await db.store.single(about.tenantId, (tx) => tx.rows(spoil, [about.tenantId, about.batchId]))
  const { error } = issuer.platform.log
  Object.assign(issuer.platform.log, { error: () => undefined })
  await run()
  Object.assign(issuer.platform.log, { error })
  const after = await rows()
  assert.deepEqual(
    after.map((one) => one.status),
    ['done', 'failed', 'done'],
  )
  for (const one of after) assert.equal(one.sealed_claims, null)
  assert.partialDeepStrictEqual(after[1]?.error, { code: 'INTERNAL_ERROR' })
  assert.partialDeepStrictEqual(await state(), { status: 'completed', done: 2, failed: 1 })
  const list = async (filter: string) => (await issuer.api('GET', `/credentials/issuance/batch${filter}`)).body.data
  const [all, withFailed] = [await list(''), await list('?filter[hasFailedItems]=true')] as { failed: number }[][]
  assert(all !== undefined && withFailed?.some(({ failed }) => failed === 1))
  assert.deepEqual(
    withFailed,
    all.filter(({ failed }) => failed > 0),
  )
})

test('many runs at once issue each item once', async () => {
  const { run, state, issued } = await aBatch(600)
  await Promise.all(Array.from({ length: 6 }, run))
  assert.partialDeepStrictEqual(await state(), { status: 'completed', done: 600, failed: 0 })
  assert.equal(await issued(), 600)
})

test('a run whose lease another run has taken writes nothing', async () => {
  const { issuer, about, template, run, issued, state } = await aBatch(2)
  const { store } = db
  const { tenantId, batchId } = about
  const now = issuer.clock.at
  const lease = newLease(now, 10_000)
  const { leaseUntil } = lease
  const dead = await store.single(tenantId, (tx) => claimBatch(tx, { id: batchId, ...lease }, now))
  assert(dead !== null)
  await run()
  assert.equal(await issued(), 0, 'another run holds the lease')
  issuer.clock.at = new Date(now.getTime() + 10_001)
  const pending = await store.single(tenantId, (tx) => listPendingItems(tx, batchId, 10))
  await run()
  assert.equal(await issued(), 2)
  const entry = { action: 'openid4vc.issuance.offered', by: 'system' } as const
  const outcome = {
    issued: pending.map(({ position, id }) => ({
      id,
      position,
      txCodeMac: null,
      oldReference: null,
      delivery: null,
      sealedLabel: null,
      wordMacs: [],
      sealedAttributes: null,
      mail: null,
      expiresAt: leaseUntil,
      entry: { ...entry, subject: { kind: 'issuance' as const, id } },
    })),
    failed: [],
    template: await latestTemplate(issuer.platform, tenantId, template.id),
    leaseUntil,
  }
  assert.equal(await store.inTenant(tenantId, (tx) => completeItems(tx, dead, outcome, now)), 'lost')
  assert.equal(await issued(), 2)
  assert.partialDeepStrictEqual(await state(), { done: 2, failed: 0 })
})

test('a template that is archived meanwhile fails the items that wait, and those issued before stay', async () => {
  const { issuer, about, template, run, rows, state, issued } = await aBatch(3)
  const { tenantId, batchId } = about
  const now = issuer.clock.at
  const lease = newLease(now, 10_000)
  const { leaseUntil } = lease
  const held = await db.store.single(tenantId, (tx) => claimBatch(tx, { id: batchId, ...lease }, now))
  const [first] = await db.store.single(tenantId, (tx) => listPendingItems(tx, batchId, 1))
  assert(held !== null && first !== undefined)
  const subject = { kind: 'issuance', id: first.id } as const
  const entry = { action: 'openid4vc.issuance.offered', by: 'system', subject } as const
  const one = {
    id: first.id,
    position: 0,
    txCodeMac: null,
    oldReference: null,
    delivery: null,
    sealedLabel: null,
    wordMacs: [],
    sealedAttributes: null,
    mail: null,
    expiresAt: leaseUntil,
    entry,
  }
  const current = await latestTemplate(issuer.platform, tenantId, template.id)
  const outcome = { issued: [one], failed: [], template: current, leaseUntil }
  assert.equal(await db.store.inTenant(tenantId, (tx) => completeItems(tx, held, outcome, now)), 'completed')

  assert.equal((await issuer.api('DELETE', `/templates/credentials/${template.id}`)).status, 200)
  issuer.clock.at = new Date(now.getTime() + 10_001)
  await run()
  assert.partialDeepStrictEqual(await rows(), [
    { status: 'done', sealed_claims: null, error: null },
    { status: 'failed', sealed_claims: null, error: { code: 'NOT_FOUND' } },
    { status: 'failed', sealed_claims: null, error: { code: 'NOT_FOUND' } },
  ])
  assert.partialDeepStrictEqual(await state(), { status: 'completed', done: 1, failed: 2 })
  assert.equal(await issued(), 1)
})

test('items checked against an older template version are checked again', async () => {
  const { issuer, about, template, issued } = await aBatch(2)
  const { tenantId, batchId } = about
  const now = issuer.clock.at
  const lease = newLease(now, 10_000)
  const { leaseUntil } = lease
  const held = await db.store.single(tenantId, (tx) => claimBatch(tx, { id: batchId, ...lease }, now))
  assert(held !== null)
  const older = await latestTemplate(issuer.platform, tenantId, template.id)
  const changed = { ...aTemplate({ attributes: { given_name: { type: 'string' } } }), code: template.code }
  assert.equal((await issuer.api('PUT', `/templates/credentials/${template.id}`, changed)).status, 200)
  const [first] = await db.store.single(tenantId, (tx) => listPendingItems(tx, batchId, 1))
  assert(first !== undefined)
  const subject = { kind: 'issuance', id: first.id } as const
  const one = {
    id: first.id,
    position: 0,
    txCodeMac: null,
    oldReference: null,
    delivery: null,
    sealedLabel: null,
    wordMacs: [],
    sealedAttributes: null,
    mail: null,
    expiresAt: leaseUntil,
  }
  const issuedNow = [{ ...one, entry: { action: 'openid4vc.issuance.offered', by: 'system', subject } as const }]
  const outcome = { issued: issuedNow, failed: [], template: older, leaseUntil }
  assert.equal(await db.store.inTenant(tenantId, (tx) => completeItems(tx, held, outcome, now)), 'stale')
  assert.equal(await issued(), 0)
})

test('a batch whose run has died, or never began, gets another job, once', async () => {
  const { issuer, about } = await aBatch(1)
  const { platform, clock } = issuer
  const { tenantId, batchId } = about
  const start = clock.at.getTime()
  const jobsAfter = async (ms: number) => {
    clock.at = new Date(start + ms)
    const sweep = () => requeueBatches(platform, new AbortController().signal)
    await Promise.all([sweep(), sweep()])
    return (await db.store.single(tenantId, (tx) => tx.rows<{ id: string }>(jobsOf, [tenantId]))).length
  }
  assert.equal(await jobsAfter(29_999), 1, 'its first job may still begin')
  assert.equal(await jobsAfter(30_000), 2)
  assert.equal(await jobsAfter(59_999), 2)
  const lease = { id: batchId, ...newLease(clock.at, 10_000) }
  assert(await db.store.single(tenantId, (tx) => claimBatch(tx, lease, clock.at)))
  assert.equal(await jobsAfter(69_998), 2, 'the run holds its lease')
  assert.equal(await jobsAfter(69_999), 3)
  assert.equal(await jobsAfter(70_000), 3)
})

test('the items of a batch without progress fail after eight runs', async () => {
  const { about, run, state, rows } = await aBatch(2)
  await db.store.single(about.tenantId, (tx) => tx.rows(exhaust, [about.tenantId, about.batchId]))
  await run()
  const { items, ...batch } = await state()
  assert.partialDeepStrictEqual(batch, { status: 'completed', done: 0, failed: 2 })
  assert.equal(items[0].error.code, 'INTERNAL_ERROR')
  assert.deepEqual(
    (await rows()).map((one) => one.sealed_claims),
    [null, null],
  )
})

test('the recipient of an item is sealed, and cleared with its claims', async () => {
  const recipient = { identifierType: 'email', value: 'thandi@example.org' }
  const { run, rows, state } = await aBatch(1, { item: { recipient } })
  const [before] = await rows()
  assert.equal(before?.sealed_recipient?.includes('thandi'), false)
  await run()
  const [after] = await rows()
  assert.equal(after?.sealed_recipient, null)
  assert.equal((await state()).items[0].error.code, 'INVALID_STATE', 'there are no deliveries here')
})

test('transaction codes are shown to callers with issuance:write, for a day', async () => {
  const more = { template: { txCode: { length: 6 } }, ask: { expiresInSeconds: 200_000 } }
  const { issuer, about, run, state } = await aBatch(1, more)
  await run()
  const code = (await state()).items[0].txCode
  assert.match(code, /^\d{6}$/)
  const reader = { ...callerOf(issuer.tenant), scopes: new Set(['issuance:read'] as const) }
  const shown = await getBatchWithItems(issuer.platform, reader, about.batchId)
  assert.deepEqual(
    [shown.items[0]?.txCode, shown.items[0]?.offerUri, shown.items[0]?.offerPageUri],
    Array(3).fill(undefined),
  )
  assert.equal(shown.items[0]?.status, 'done')
  issuer.clock.at = new Date(issuer.clock.at.getTime() + 86_400_000)
  const later = (await state()).items[0]
  assert.deepEqual([later.status, 'offerUri' in later, 'txCode' in later], ['done', true, false])
})

test('without the certificate every item fails with that reason, and nothing is issued', async () => {
  const { run, state, issued } = await aBatch(2, { template: { signer: { kind: 'certificate', keyType: 'P-256' } } })
  await run()
  const { items } = await state()
  assert.deepEqual(
    items.map((one: { error: { code: string } }) => one.error.code),
    ['NO_ACTIVE_CERTIFICATE', 'NO_ACTIVE_CERTIFICATE'],
  )
  assert.equal(await issued(), 0)
})

test('query parameters of a table are refused with a JSON body, all at once', async () => {
  const issuer = await anIssuer(db)
  const body = { credentialTemplateId: newId(), items: [{ attributes: someClaims }] }
  const query = `credentialTemplateId=${newId()}&expiresInSeconds=60`
  const { status, body: refusal } = await issuer.api('POST', `/credentials/issuance/batch?${query}`, body)
  assert.equal(status, 400)
  const named = refusal.errors.map((one: { source: { parameter: string } }) => one.source.parameter)
  assert.deepEqual(named.toSorted(), ['credentialTemplateId', 'expiresInSeconds'])
})
