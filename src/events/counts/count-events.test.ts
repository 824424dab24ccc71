import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Caller } from '../../caller.ts'
import type { AuditAction } from '../../contract/events/vocabulary.ts'
import { newId } from '../../store/row-id.ts'
import type { AuditEntry } from '../audit/entry.ts'
import { record } from '../audit/record.ts'
import { aTenant, type Bench, openBench, until } from '../test-support/events-bench.ts'
import { countEvents, type Origins, readCounts, readTotals } from './count-events.ts'
import { findCounted } from './count-store.ts'

let bench: Bench
before(async () => {
  bench = await openBench()
})
after(() => bench.close())

const months = { by: 'month' as const, from: '2026-05-01', until: '2026-06-01', templateId: null }
const template = newId()
/** All is made of one template. */
const templatesOf: Origins['templatesOf'] = async (_tx, events) =>
  new Map(events.map(({ subjectId }) => [subjectId ?? '', template]))
/** Every credential ends on one day. */
const endsOf: Origins['endsOf'] = async (_tx, events) =>
  new Map(events.map(({ subjectId }) => [subjectId ?? '', new Date('2026-06-30T10:00:00Z')]))
const origins: Origins = { templatesOf, endsOf }
const never = new AbortController().signal

function recordEvent(
  caller: Caller,
  action: AuditAction,
  at: string,
  detail: NonNullable<AuditEntry['detail']> = {},
): Promise<void> {
  const subject = { kind: action.startsWith('credential') ? 'credential' : 'issuance', id: newId() } as const
  const entry = { action, subject, by: 'system', detail } as const
  return bench.platform.store.single(caller.tenantId, (tx) => record(tx, entry, new Date(at)))
}

async function countsOf(
  caller: Caller,
  ask: Parameters<typeof readCounts>[2] = months,
): Promise<Record<string, number>> {
  const { counts } = await readCounts(bench.platform, caller.tenantId, ask, origins)
  const sums: Record<string, number> = {}
  for (const { day, figure, count } of counts) {
    sums[`${day} ${figure}`] = (sums[`${day} ${figure}`] ?? 0) + count
  }
  return sums
}

async function offeredBy(caller: Caller, group: 'time' | 'template'): Promise<string[]> {
  const { counts } = await readCounts(bench.platform, caller.tenantId, { ...months, group }, origins)
  const found: Record<string, number> = {}
  for (const { templateId, day, figure, count } of counts) {
    const name = `${templateId} ${day}`
    if (figure === 'issuance.offered') found[name] = (found[name] ?? 0) + count
  }
  return Object.entries(found)
    .map(([name, count]) => `${name} ${count}`)
    .sort()
}

async function story(caller: Caller): Promise<void> {
  await recordEvent(caller, 'openid4vc.issuance.offered', '2026-04-30T23:59:59.999Z')
  await recordEvent(caller, 'openid4vc.issuance.offered', '2026-05-01T00:00:00.000Z')
  await recordEvent(caller, 'openid4vc.issuance.offered', '2026-05-31T23:59:59.999Z')
  await recordEvent(caller, 'openid4vc.issuance.completed', '2026-05-02T00:00:00.000Z')
  await recordEvent(caller, 'openid4vc.issuance.completed', '2026-05-02T00:00:00.000Z')
  await recordEvent(caller, 'issuance.reopened', '2026-05-02T00:00:01.000Z')
  await recordEvent(caller, 'issuance.canceled', '2026-05-03T00:00:00.000Z')
  await recordEvent(caller, 'credential.revoked', '2026-06-01T00:00:00.000Z')
  await recordEvent(caller, 'openid4vc.verification.failed', '2026-06-01T00:00:00.000Z', { status: 'rejected' })
  await recordEvent(caller, 'openid4vc.verification.failed', '2026-06-01T00:00:00.000Z', { status: 'failed' })
  await recordEvent(caller, 'user.created', '2026-06-02T00:00:00.000Z')
}

const expected = {
  '2026-05-01 issuance.offered': 2,
  '2026-05-01 issuance.completed': 1,
  '2026-05-01 issuance.canceled': 1,
  '2026-06-01 issuance.revoked': 1,
  '2026-06-01 presentation.rejected': 1,
  '2026-06-01 presentation.failed': 1,
}

test('events are counted before the sweep ran, and the counts are the same after it', async () => {
  const caller = await aTenant(bench)
  await story(caller)
  assert.deepEqual(await countsOf(caller), expected)
  await until(async () => {
    await countEvents(bench.platform, origins, never)
    const counted = await bench.platform.store.single(caller.tenantId, findCounted)
    return counted.at?.toISOString() === '2026-06-02T00:00:00.000Z'
  })
  assert.deepEqual(await countsOf(caller), expected)
  await recordEvent(caller, 'credential.revoked', '2026-06-03T00:00:00.000Z')
  await recordEvent(caller, 'issuance.canceled', '2026-05-03T00:00:00.000Z')
  const more = { ...expected, '2026-05-01 issuance.canceled': 2, '2026-06-01 issuance.revoked': 2 }
  assert.deepEqual(await countsOf(caller), more)
  await countEvents(bench.platform, origins, never)
  await countEvents(bench.platform, origins, never)
  assert.deepEqual(await countsOf(caller), more)
})

test('concurrent sweeps count each event once', async () => {
  const caller = await aTenant(bench)
  await story(caller)
  await Promise.all(Array.from({ length: 5 }, () => countEvents(bench.platform, origins, never)))
  assert.deepEqual(await countsOf(caller), expected)
})

test('months and template filter the counts, also of events that no sweep has counted', async () => {
  const caller = await aTenant(bench)
  await story(caller)
  for (const _ of ['live', 'counted']) {
    const may = await countsOf(caller, { ...months, until: '2026-05-01' })
    assert.deepEqual(Object.keys(may).length, 3)
    assert.deepEqual(await countsOf(caller, { ...months, templateId: newId() }), {})
    assert.deepEqual(await countsOf(caller, { ...months, templateId: template }), expected)
    assert.deepEqual(await offeredBy(caller, 'time'), [' 2026-05-01 2'])
    assert.deepEqual(await offeredBy(caller, 'template'), [`${template}  2`])
    await countEvents(bench.platform, origins, never)
  }
})

test('the counts of one tenant do not include another', async () => {
  const [caller, other] = [await aTenant(bench), await aTenant(bench)]
  await story(caller)
  assert.deepEqual(await countsOf(other), {})
  await countEvents(bench.platform, origins, never)
  assert.deepEqual(await countsOf(other), {})
})

test('days, totals and ends are counted with the months, and read the same before the sweep', async () => {
  const caller = await aTenant(bench)
  await story(caller)
  const now = new Date('2026-06-01T09:00:00Z')
  const read = async () => {
    const { totals, ends, verified } = await bench.platform.store.inTenant(caller.tenantId, (tx) =>
      readTotals(tx, now, origins),
    )
    const sum = ends.reduce((total, { count }) => total + count, 0)
    return { offered: totals['issuance.offered'], revoked: totals['issuance.revoked'], sum, verified }
  }
  const days = { by: 'day' as const, from: '2026-05-01', until: '2026-05-02', templateId: null }
  for (const _ of ['live', 'counted', 'again']) {
    // Two were issued, and one was revoked.
    assert.deepEqual(await read(), { offered: 3, revoked: 1, sum: 1, verified: 0 })
    assert.deepEqual(await countsOf(caller, days), {
      '2026-05-01 issuance.offered': 1,
      '2026-05-02 issuance.completed': 1,
    })
    await countEvents(bench.platform, origins, never)
  }
})
