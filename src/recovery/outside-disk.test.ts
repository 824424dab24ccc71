import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { closeSync, constants, existsSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, type TestContext, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { until } from '../../test/support/until.ts'
import type { TenantId } from '../caller.ts'
import type { Log } from '../platform.ts'
import { openJournal } from './journal-file.ts'
import { markPlaceOf } from './mark-place.ts'
import { keepMark } from './recovery-mark.ts'

const parent = mkdtempSync(join(tmpdir(), 'chirograph-outside-'))
const at = '2026-01-31T02:00:00.000Z'
const clock = { now: () => new Date(at) }
const mark = { deployment: '018f3c2e-0000-7000-8000-000000000001', beat: 7, at }
const tenantId = '00000000-0000-7000-8000-000000000001' as TenantId
const line = { kind: 'certificate', at, tenantId, certificateId: '018f3c2e-0000-7000-8000-000000000002' } as const

let db: TestDatabase
let folder = ''
before(async () => {
  db = await openTestDatabase()
})
beforeEach(() => {
  folder = mkdtempSync(join(parent, 'one-'))
})
after(async () => {
  await db.close()
  rmSync(parent, { recursive: true, force: true })
})

function place(path: string, msMax?: number) {
  return markPlaceOf({ recoveryMark: path, objectStore: null }, msMax) ?? assert.fail()
}

/** Notes whether each sync is of a folder, and lets it happen. */
async function synced(t: TestContext): Promise<string[]> {
  const handle = await open(folder, 'r')
  const prototype: FileHandle = Object.getPrototypeOf(handle)
  await handle.close()
  const kinds: string[] = []
  const original = prototype.sync
  t.mock.method(prototype, 'sync', async function (this: FileHandle) {
    kinds.push((await this.stat()).isDirectory() ? 'folder' : 'file')
    return original.call(this)
  })
  return kinds
}

test('the name of the mark is on the disk with its content', async (t) => {
  const kinds = await synced(t)
  await place(join(folder, 'mark.json')).write(mark)
  assert.deepEqual(kinds, ['file', 'folder'])
})

test('the name of a journal file is on the disk before its first line is answered, and not synced again', async (t) => {
  const kinds = await synced(t)
  const journal = openJournal(join(folder, 'journal'), clock)
  await journal.append([line])
  assert.deepEqual(kinds, ['folder', 'file', 'folder'], 'the folder in its parent, the line, the file in the folder')
  await journal.append([line])
  assert.deepEqual(kinds.slice(3), ['file'])
})

/** A file whose opening waits, as on a disk that stopped answering. @returns lets it answer */
function silentFile(path: string): () => void {
  execFileSync('mkfifo', [path])
  return () => {
    const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    rmSync(path)
    setTimeout(() => closeSync(reader), 100)
  }
}

test('a disk that stops answering does not stop the loop: it warns, its mark ages, and it is written afterwards', async () => {
  const path = join(folder, 'mark.json')
  const answer = silentFile(`${path}.${process.pid}`)
  const warned: unknown[] = []
  const silent = () => undefined
  const warn = (fields: object) => void warned.push('err' in fields ? fields.err : fields)
  const log: Log = { debug: silent, info: silent, warn, error: silent }
  const keeper = keepMark({ store: db.store, clock, log }, place(path, 50), 20)
  try {
    await until(() => warned.length >= 3)
    assert.match(String(warned[0]), /was not written within 50 ms/)
    // One thread waits, however often the loop turns.
    assert.match(String(warned[2]), /still being written since an earlier attempt/)
    await keeper.check()
    await until(() => keeper.ageSeconds() >= 1)
    assert.equal(existsSync(path), false)
    answer()
    await until(() => existsSync(path))
    await until(() => keeper.ageSeconds() === 0)
  } finally {
    await keeper.stop()
  }
})

test('a revocation is refused within the time limit while the disk of its journal does not answer', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const slow = { now: () => clock.now() }
  const journal = openJournal(folder, slow, 50)
  const handle = await open(folder, 'r')
  const prototype: FileHandle = Object.getPrototypeOf(handle)
  await handle.close()
  const original = prototype.appendFile
  prototype.appendFile = () => promise
  try {
    await assert.rejects(journal.append([line]), { code: 'journal.unavailable' })
    await assert.rejects(journal.append([line]), { code: 'journal.unavailable' })
  } finally {
    prototype.appendFile = original
    resolve()
  }
  await until(async () =>
    journal.append([line]).then(
      () => true,
      () => false,
    ),
  )
})
