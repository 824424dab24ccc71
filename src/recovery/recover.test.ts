import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { platformOn } from '../../test/support/platform.ts'
import { readConfig } from '../config.ts'
import { findDeploymentBeat } from './deployment-store.ts'
import { recover } from './recover.ts'

const folder = mkdtempSync(join(tmpdir(), 'chirograph-recover-'))
const mark = join(folder, 'mark.json')
const now = new Date('2026-01-31T12:00:00Z')
const since = new Date('2026-01-31T02:00:00Z')

let db: TestDatabase
before(async () => {
  db = await openTestDatabase()
})
after(async () => {
  await db.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Recovers a deployment that was served until that many minutes ago. @param minutes null: it has no mark. */
async function recovered(minutes: number | null, isWaiting = true) {
  rmSync(mark, { force: true })
  const { deployment, beat } = await db.store.across('test', findDeploymentBeat)
  if (minutes !== null) {
    const at = new Date(now.getTime() - minutes * 60_000).toISOString()
    writeFileSync(mark, JSON.stringify({ deployment, beat: beat + 10, at }))
  }
  const platform = platformOn({
    store: db.store,
    clock: { now: () => now },
    config: readConfig({ RECOVERY_MARK: mark }),
  })
  const waits: number[] = []
  const wait = async (ms: number) => void waits.push(ms)
  const { proofsOpenUntil, problems } = await recover(platform, [], [], since, isWaiting ? wait : null)
  return { waits, proofsOpenUntil, problems: problems.filter((one) => !one.startsWith('REVOCATION_JOURNAL')) }
}

test('it waits until ten minutes after the mark, when proofs of the lost time have expired', async () => {
  assert.deepEqual(await recovered(4), { waits: [360_000], proofsOpenUntil: null, problems: [] })
  assert.deepEqual(await recovered(11), { waits: [], proofsOpenUntil: null, problems: [] })
})

test('without a mark the lost time may have lasted until now: it waits ten minutes, and says that there is no mark', async () => {
  const { waits, problems } = await recovered(null)
  assert.deepEqual(waits, [600_000])
  assert.match(problems.join(), /^there is no recovery mark: how long/)
})

test('without waiting the report says until when such proofs are accepted again', async () => {
  assert.equal((await recovered(4, false)).proofsOpenUntil, '2026-01-31T12:06:00.000Z')
  assert.equal((await recovered(null, false)).proofsOpenUntil, '2026-01-31T12:10:00.000Z')
  assert.equal((await recovered(11, false)).proofsOpenUntil, null)
})
