import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Caller } from '../../caller.ts'
import { lowestIdAt } from '../../store/row-id.ts'
import { platformTenantId, sql } from '../../store/store.ts'
import { record } from '../audit/record.ts'
import { aTenant, type Bench, openBench } from '../test-support/events-bench.ts'
import { checkArchive } from './archive-file.ts'
import { keepMonths } from './archive-months.ts'
import { listAuditMonths } from './month-store.ts'

const entries = sql('test.archive.entries', 'select id, at from audit_entry order by id')
const tables = sql(
  'test.archive.tables',
  `select tableoid::regclass::text as name, count(*)::int as count from audit_entry group by 1 order by 1`,
)
const lowest = sql('test.archive.lowest', 'select lowest_id_at($1) as id')

const config = { auditRetentionDays: null, auditArchive: null }
let bench: Bench
let folder: string
let acme: Caller
let globex: Caller
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'chirograph-archive-'))
  bench = await openBench()
  acme = await aTenant(bench)
  globex = await aTenant(bench)
})
after(async () => {
  await bench.close()
  rmSync(folder, { recursive: true })
})

const at = (day: string) => ({ now: () => new Date(`${day}T12:00:00.000Z`) })
const keep = (day: string, days: number | null = null) => {
  const settings = { ...config, ...(days === null ? {} : { auditRetentionDays: days, auditArchive: folder }) }
  return keepMonths({ ...bench.platform, clock: at(day), config: settings }, new AbortController().signal)
}
const happen = (caller: Caller, day: string, times = 1) =>
  bench.platform.store.inTenant(caller.tenantId, async (tx) => {
    const entry = { action: 'user.created', subject: { kind: 'user', id: null }, by: caller } as const
    for (let n = 0; n < times; n += 1) await record(tx, entry, at(day).now())
  })
const tablesOf = (caller: Caller) =>
  bench.platform.store.single(caller.tenantId, (tx) => tx.rows<{ name: string; count: number }>(tables))
const monthsNow = () => bench.platform.store.across('test', listAuditMonths)

test('an id of a time is the same in SQL and in the code', async () => {
  const time = at('2031-03-04').now()
  assert.deepEqual(await bench.platform.store.across('test', (tx) => tx.rows(lowest, [time])), [
    { id: lowestIdAt(time) },
  ])
})

test('an entry goes to the table of its month, and one that came before the table moves there', async () => {
  await happen(acme, '2031-01-31', 1500)
  await happen(globex, '2031-01-31')
  assert.deepEqual(await tablesOf(acme), [{ name: 'audit_entry_rest', count: 1500 }])
  const former = await bench.platform.store.single(acme.tenantId, (tx) => tx.rows(entries))
  await keep('2031-01-31')
  await keep('2031-01-31')
  assert.deepEqual((await monthsNow()).slice(-3), ['2031-01', '2031-02', '2031-03'])
  await happen(acme, '2031-02-01', 3)
  assert.deepEqual(await tablesOf(acme), [
    { name: 'audit_entry_2031_01', count: 1500 },
    { name: 'audit_entry_2031_02', count: 3 },
  ])
  assert.deepEqual(await tablesOf(globex), [{ name: 'audit_entry_2031_01', count: 1 }])
  const later = await bench.platform.store.single(acme.tenantId, (tx) => tx.rows(entries))
  assert.deepEqual(later.slice(0, 1500), former)
})

test('a tenant reads no entry of another one by the table of a month', async () => {
  const direct = sql('test.archive.direct', 'select from audit_entry_2031_01')
  for (const run of [
    () => bench.platform.store.single(acme.tenantId, (tx) => tx.rows(direct)),
    () => bench.platform.store.across('test', (tx) => tx.rows(direct)),
  ])
    await assert.rejects(run, { code: '42501' })
})

test('a month is archived and dropped when its last day is past the retention, and not before', async () => {
  // 60 days after the end of January.
  await keep('2031-04-01', 60)
  assert(await monthsNow().then((months) => months.includes('2031-01')))
  await keep('2031-04-02', 60)
  assert.deepEqual((await monthsNow()).includes('2031-01'), false)
  assert.deepEqual(await tablesOf(acme), [{ name: 'audit_entry_2031_02', count: 3 }])
  assert.deepEqual(readdirSync(join(folder, globex.tenantId)), ['2031-01.jsonl'])
  await keep('2031-04-30', 60)
  const ofAcme = join(folder, acme.tenantId)
  assert.deepEqual(readdirSync(ofAcme), ['2031-01.jsonl', '2031-02.jsonl'])
  assert.deepEqual(await checkArchive(ofAcme), { entries: 1503, fault: null })
  const lines = readFileSync(join(ofAcme, '2031-02.jsonl'), 'utf8').trimEnd().split('\n')
  assert.equal(lines.length, 5)
  assert.partialDeepStrictEqual(JSON.parse(lines[1] ?? ''), {
    at: '2031-02-01T12:00:00.000Z',
    action: 'user.created',
    actorId: 'backend',
    ip: '192.0.2.1',
  })
})

test('the entries of the platform itself are archived like those of a tenant', async () => {
  await happen({ ...acme, tenantId: platformTenantId }, '2031-03-05', 2)
  await keep('2031-05-31', 60)
  assert.deepEqual(await checkArchive(join(folder, platformTenantId)), { entries: 2, fault: null })
})

test('a change of an archive is found', async () => {
  const ofAcme = join(folder, acme.tenantId)
  const path = join(ofAcme, '2031-01.jsonl')
  const whole = readFileSync(path, 'utf8')
  const lines = whole.trimEnd().split('\n')
  const changes: [string, string[], string][] = [
    [
      'changed',
      lines.with(7, (lines[7] ?? '').replace('backend', 'another')),
      '2031-01.jsonl:9: not what the line before it says',
    ],
    ['removed', lines.toSpliced(7, 1), '2031-01.jsonl:8: not what the line before it says'],
    [
      'moved',
      lines.with(7, lines[8] ?? '').with(8, lines[7] ?? ''),
      '2031-01.jsonl:8: not what the line before it says',
    ],
    ['cut off', lines.slice(0, -1), '2031-01.jsonl:1501: the end is missing'],
    ['no JSON', lines.with(3, 'null'), '2031-01.jsonl:4: not a JSON object'],
  ]
  for (const [what, changed, fault] of changes) {
    writeFileSync(path, changed.map((line) => `${line}\n`).join(''))
    assert.equal((await checkArchive(ofAcme)).fault, fault, what)
  }
  const last = lines.at(-1) ?? ''
  writeFileSync(path, `${lines.with(-1, last.replace('1500', '1499')).join('\n')}\n`)
  assert.match((await checkArchive(ofAcme)).fault ?? '', /^2031-01.jsonl:1502: 1500 entries instead of 1499$/)
  writeFileSync(path, whole)
  assert.equal((await checkArchive(ofAcme)).fault, null)
  rmSync(path)
  writeFileSync(join(ofAcme, '2030-12.jsonl'), whole.replaceAll('2031-01', '2030-12'))
  assert.notEqual((await checkArchive(ofAcme)).fault, null)
})

test('a month whose archive cannot be written is kept', async () => {
  await happen(acme, '2031-05-05')
  await keep('2031-05-05')
  const file = join(folder, 'a-file')
  writeFileSync(file, '')
  const settings = { auditRetentionDays: 60, auditArchive: file }
  const needs = { ...bench.platform, clock: at('2031-09-01'), config: settings }
  await assert.rejects(keepMonths(needs, new AbortController().signal), { code: 'ENOTDIR' })
  assert.deepEqual(await tablesOf(acme), [{ name: 'audit_entry_2031_05', count: 1 }])
})
