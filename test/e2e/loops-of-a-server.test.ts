// A loop that waits for something that never comes stops its work without a word: `/livez` names it, so that the
// process is restarted.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { postgresUrl } from '../support/database.ts'
import { type Deployment, deploy } from '../support/server.ts'
import { until } from '../support/until.ts'

const outside = mkdtempSync(join(tmpdir(), 'chirograph-loops-'))
let chirograph: Deployment
before(async () => {
  const settings = { RECOVERY_MARK: join(outside, 'mark.json'), METRICS_TOKEN: 'a-token-for-metrics-of-tests' }
  chirograph = await deploy({}, settings, {}, 1)
})
after(async () => {
  await chirograph.stop()
  rmSync(outside, { recursive: true, force: true })
})

test('livez names each loop that has not turned for a minute', async (t) => {
  const alive = await fetch(`${chirograph.url}/livez`)
  assert.deepEqual([alive.status, await alive.json()], [200, { status: 'alive', failed: [] }])
  const real = performance.now.bind(performance)
  let ahead = 0
  t.mock.method(performance, 'now', () => real() + ahead)
  const expected = ['worker', 'dispatcher', 'recovery mark', ...(postgresUrl === null ? [] : ['oldest transaction'])]
  // A turn that ends after the clock was moved is no old one. Looks are counted, since the clock of `until` is moved
  // too.
  let status = 200
  let failed: string[] = []
  for (let looks = 0; looks < 100 && !expected.every((name) => failed.includes(name)); looks += 1) {
    ahead += 61_000
    const stuck = await fetch(`${chirograph.url}/livez`)
    status = stuck.status
    failed = ((await stuck.json()) as { failed: string[] }).failed
  }
  assert.equal(status, 503)
  assert.deepEqual(
    expected.filter((name) => !failed.includes(name)),
    [],
  )
})

test('the age of the recovery mark is a figure', async () => {
  const headers = { authorization: 'Bearer a-token-for-metrics-of-tests' }
  // Once the mark was written.
  await until(async () => {
    const text = await (await fetch(`${chirograph.url}/metrics`, { headers })).text()
    return /^recovery_mark_age_seconds \d+$/m.test(text)
  })
})
