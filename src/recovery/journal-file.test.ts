import assert from 'node:assert/strict'
import { appendFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, test } from 'node:test'
import type { TenantId } from '../caller.ts'
import { openJournal, readJournal } from './journal-file.ts'

const parent = mkdtempSync(join(tmpdir(), 'chirograph-journal-'))
after(() => rmSync(parent, { recursive: true, force: true }))

const tenantId = '00000000-0000-7000-8000-000000000001' as TenantId
const at = '2026-01-31T02:00:00.000Z'
const since = new Date('2026-01-31T01:00:00Z')
const clock = { now: () => new Date(at) }
const line = (certificateId: string) => ({ kind: 'certificate', at, tenantId, certificateId }) as const

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(parent, 'one-'))
})

async function read(): Promise<unknown[]> {
  const found = await Array.fromAsync(readJournal(folder, since))
  return found.map(({ line }) => line.certificateId)
}

test('lines of concurrent callers and of two processes are all read back, each whole', async () => {
  const [one, other] = [openJournal(folder, clock), openJournal(folder, clock)]
  const ids = Array.from({ length: 50 }, (_, index) => String(index))
  await Promise.all(ids.map((id) => (Number(id) % 2 === 0 ? one : other).append([line(id)])))
  assert.deepEqual((await read()).toSorted(), ids.toSorted())
  assert.equal(readdirSync(folder).length, 2)
})

test('a line that is cut off at the end of a file is left out: its revocation was never answered', async () => {
  await openJournal(folder, clock).append([line('whole')])
  const [name = ''] = readdirSync(folder)
  appendFileSync(join(folder, name), '{"kind":"certif')
  assert.deepEqual(await read(), ['whole'])
})

test('after a failure the journal continues', async () => {
  const journal = openJournal(folder, clock)
  await journal.append([line('first')])
  rmSync(folder, { recursive: true })
  writeFileSync(folder, 'not a folder')
  await assert.rejects(journal.append([line('lost')]))
  rmSync(folder)
  await journal.append([line('later')])
  assert.deepEqual(await read(), ['later'])
})

test('an unreadable line anywhere else is told with its place, a missing folder with its setting', async () => {
  await openJournal(folder, clock).append([line('whole')])
  const [name = ''] = readdirSync(folder)
  appendFileSync(join(folder, name), 'odd\n')
  await assert.rejects(read(), new RegExp(`cannot be read at ${name}:2`))
  rmSync(folder, { recursive: true })
  await assert.rejects(read(), /REVOCATION_JOURNAL .* cannot be read \(ENOENT\)/)
})

test('files from before the day of the backup are not read', async () => {
  await openJournal(folder, { now: () => new Date('2026-01-30T23:59:59Z') }).append([line('before')])
  writeFileSync(join(folder, '2026-01-29-01890000-0000-7000-8000-000000000000.jsonl'), 'unreadable\n')
  await openJournal(folder, clock).append([line('after')])
  assert.deepEqual(await read(), ['after'])
})

test('a line is read whole, wherever the parts of the file that are read end', async () => {
  const journal = openJournal(folder, clock)
  const ids = Array.from({ length: 3000 }, (_, index) => `${index} ${'ü'.repeat(index % 90)}`)
  await journal.append(ids.map(line))
  assert.deepEqual(await read(), ids)
})
