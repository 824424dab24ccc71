import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import type { Caller } from '../../caller.ts'
import { sql } from '../../store/store.ts'
import { aTenant, type Bench, openBench } from '../test-support/events-bench.ts'
import { keepMonths } from './archive-months.ts'
import { listAuditMonths } from './month-store.ts'

const ENTRIES_MAX = 20_000

const write = sql(
  'test.stray.write',
  `insert into audit_entry (tenant_id, id, at, actor_kind, action, subject_kind, result, detail)
   select $1, lowest_id_at($2::timestamptz + n * interval '1 ms'), $2::timestamptz + n * interval '1 ms', 'system', 'user.created', 'user', 'done', '{}'
   from generate_series(1, $3::int) as n`,
)
const tables = sql(
  'test.stray.tables',
  'select tableoid::regclass::text as name, count(*)::int as count from audit_entry where tenant_id = $1 group by 1 order by 1',
)

let bench: Bench
let acme: Caller
before(async () => {
  bench = await openBench()
  acme = await aTenant(bench)
})
after(() => bench.close())

const happen = (day: string, times: number) =>
  bench.platform.store.single(acme.tenantId, (tx) =>
    tx.rows(write, [acme.tenantId, new Date(`${day}T12:00:00Z`), times]),
  )
const found = () =>
  bench.platform.store.single(acme.tenantId, (tx) => tx.rows<{ name: string; count: number }>(tables, [acme.tenantId]))
const months = () => bench.platform.store.across('test', listAuditMonths)

/** Keeps the months at a day. @returns the warnings */
async function keep(day: string): Promise<string[]> {
  const warned: string[] = []
  const log = { ...bench.platform.log, warn: (_fields: object, text: string) => void warned.push(text) }
  const clock = { now: () => new Date(`${day}T12:00:00Z`) }
  const config = { auditRetentionDays: null, auditArchive: null }
  await keepMonths({ ...bench.platform, log, clock, config }, new AbortController().signal)
  return warned
}

test('as many entries as a server with a wrong clock may leave move to the table of their month at once', async (t) => {
  await happen('2031-01-31', ENTRIES_MAX)
  const begun = performance.now()
  assert.deepEqual(await keep('2031-01-31'), [])
  t.diagnostic(`moved ${ENTRIES_MAX} in ${Math.round(performance.now() - begun)} ms`)
  assert.deepEqual(await found(), [{ name: 'audit_entry_2031_01', count: ENTRIES_MAX }])
})

test('with more of them no month is made, nothing moves and all are read; the owner sorts them', async (t) => {
  await happen('1970-01-01', ENTRIES_MAX)
  await happen('2035-05-05', 1)
  const before = await months()
  const warned = await keep('2031-02-28')
  assert.equal(warned.length, 1)
  assert.match(warned[0] ?? '', /sort_audit_rest/)
  assert.deepEqual(await months(), before, 'the one month that has no table')
  const rest = { name: 'audit_entry_rest', count: ENTRIES_MAX + 1 }
  assert.deepEqual(await found(), [{ name: 'audit_entry_2031_01', count: ENTRIES_MAX }, rest])
  if (bench.db.url === null) return t.diagnostic('the owner of the embedded database is the server')
  const owner = new pg.Client({ connectionString: bench.db.url })
  await owner.connect()
  const { rows } = await owner.query('select sort_audit_rest() as months').finally(() => owner.end())
  assert.deepEqual(rows, [{ months: 2 }])
  assert.deepEqual(await found(), [
    { name: 'audit_entry_1970_01', count: ENTRIES_MAX },
    { name: 'audit_entry_2031_01', count: ENTRIES_MAX },
    { name: 'audit_entry_2035_05', count: 1 },
  ])
  assert.deepEqual(await keep('2031-02-28'), [])
  assert((await months()).includes('2031-04'))
})
