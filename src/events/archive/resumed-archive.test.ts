import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, test } from 'node:test'
import type { Caller } from '../../caller.ts'
import type { Store } from '../../store/store.ts'
import { record } from '../audit/record.ts'
import { aTenant, type Bench, openBench } from '../test-support/events-bench.ts'
import { checkArchive } from './archive-file.ts'
import { keepMonths } from './archive-months.ts'
import { listAuditMonths } from './month-store.ts'

const FILE = '2031-01.jsonl'

let bench: Bench
let folder: string
/** In the order of their archives. */
let tenants: readonly [Caller, Caller]
before(async () => {
  bench = await openBench()
  const made = [await aTenant(bench), await aTenant(bench)]
  const [first, second] = made.sort((a, b) => (a.tenantId < b.tenantId ? -1 : 1))
  if (first !== undefined && second !== undefined) tenants = [first, second]
})
after(() => bench.close())

const at = (day: string) => ({ now: () => new Date(`${day}T12:00:00.000Z`) })
const happen = ({ tenantId, ...caller }: Caller, times: number) =>
  bench.platform.store.inTenant(tenantId, async (tx) => {
    const by = { ...caller, tenantId }
    const entry = { action: 'user.created', subject: { kind: 'user', id: null }, by } as const
    for (let n = 0; n < times; n += 1) await record(tx, entry, at('2031-01-15').now())
  })
/**
 * Archives January in April.
 *
 * @param ended Ends the run before this page of entries or ids of a tenant, counted from 1.
 */
const archive = ({ ended = Number.POSITIVE_INFINITY } = {}) => {
  const stop = new AbortController()
  let pages = 0
  const single: Store['single'] = (tenantId, work) => {
    pages += 1
    if (pages === ended) stop.abort()
    return bench.platform.store.single(tenantId, work)
  }
  const store = { ...bench.platform.store, single }
  const config = { auditRetentionDays: 60, auditArchive: folder }
  return keepMonths({ ...bench.platform, store, clock: at('2031-04-15'), config }, stop.signal)
}
const isKept = async () => (await bench.platform.store.across('test', listAuditMonths)).includes('2031-01')
const filesOf = ({ tenantId }: Caller) => readdirSync(join(folder, tenantId))
const inodeOf = ({ tenantId }: Caller) => statSync(join(folder, tenantId, FILE)).ino
const checked = ({ tenantId }: Caller) => checkArchive(join(folder, tenantId))

beforeEach(async (t) => {
  folder = mkdtempSync(join(tmpdir(), 'chirograph-archive-'))
  if ('after' in t) t.after(() => rmSync(folder, { recursive: true }))
  const config = { auditRetentionDays: null, auditArchive: null }
  await keepMonths({ ...bench.platform, clock: at('2031-01-15'), config }, new AbortController().signal)
  for (const tenant of tenants) await happen(tenant, 1500)
})

test('a run that is ended stops inside a tenant, and the next one keeps the files that were finished', async () => {
  const [first, second] = tenants
  // Two pages of the first tenant; the second one is ended after its first page.
  await assert.rejects(archive({ ended: 3 }), { name: 'AbortError' })
  assert.deepEqual([filesOf(first), filesOf(second)], [[FILE], []])
  assert(await isKept())
  const inode = inodeOf(first)
  await archive()
  assert.equal(inodeOf(first), inode)
  assert.equal(await isKept(), false)
  for (const tenant of tenants) assert.deepEqual(await checked(tenant), { entries: 1500, fault: null })
})

test('a finished file is written anew when it was changed, and when entries came after it', async () => {
  const [first, second] = tenants
  await assert.rejects(archive({ ended: 4 }), { name: 'AbortError' })
  await happen(second, 1)
  const path = join(folder, first.tenantId, FILE)
  const whole = readFileSync(path, 'utf8')
  writeFileSync(path, whole.replace('192.0.2.1', '192.0.2.2'))
  await archive()
  assert.equal(readFileSync(path, 'utf8'), whole)
  assert.deepEqual(await checked(first), { entries: 1500, fault: null })
  assert.deepEqual(await checked(second), { entries: 1501, fault: null })
})

test('the file of another tenant, or of another month, is not taken for the finished one', async () => {
  const [first, second] = tenants
  await assert.rejects(archive({ ended: 3 }), { name: 'AbortError' })
  const foreign = readFileSync(join(folder, first.tenantId, FILE), 'utf8')
  writeFileSync(join(folder, second.tenantId, FILE), foreign)
  await archive()
  const [head = '{}'] = readFileSync(join(folder, second.tenantId, FILE), 'utf8').split('\n')
  assert.equal(JSON.parse(head).tenantId, second.tenantId)
})

test('what a process left unfinished is removed, and no two processes write to one file', async () => {
  const [first] = tenants
  await assert.rejects(archive({ ended: 1 }), { name: 'AbortError' })
  for (const left of [`${FILE}.part`, `${FILE}.abc_-.part`]) writeFileSync(join(folder, first.tenantId, left), 'left')
  const runs = await Promise.allSettled([archive(), archive()])
  assert(runs.some(({ status }) => status === 'fulfilled'))
  assert.deepEqual(filesOf(first), [FILE])
  for (const tenant of tenants) assert.deepEqual(await checked(tenant), { entries: 1500, fault: null })
})
