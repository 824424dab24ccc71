// A server whose machine has a wrong clock: what it writes has the time of the database, and it does no work that
// waits, until the clock is right.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { api, type Deployment, deploy } from '../support/server.ts'
import { until } from '../support/until.ts'

const YEARS_MS = 2 * 365 * 24 * 3_600_000
const token = 'a-token-for-metrics-of-tests'
const machine = { aheadMs: 0 }
const lines: string[] = []
const quiet = () => undefined
const log = { debug: quiet, info: quiet, warn: quiet, error: (_: object, line: string) => void lines.push(line) }

let chirograph: Deployment
let wrong: string
before(async () => {
  const ownClock = { now: () => new Date(Date.now() + machine.aheadMs) }
  chirograph = await deploy((server) => (server === 0 ? { ownClock, log } : { log }), { METRICS_TOKEN: token })
  wrong = chirograph.servers[0] ?? ''
})
after(() => chirograph.stop())

async function readiness(server: string): Promise<unknown> {
  const answer = await fetch(`${server}/readyz`)
  return [answer.status, await answer.json()]
}

test('years ahead for a while: not ready, as a figure and a line say; nothing is from the future', async () => {
  const [, other] = chirograph.servers
  await until(async () => JSON.stringify(await readiness(wrong)).startsWith('[200'))
  machine.aheadMs = YEARS_MS
  await until(
    async () => JSON.stringify(await readiness(wrong)) === '[503,{"status":"unavailable","failed":["clock"]}]',
  )
  if (other !== undefined) assert.deepEqual(await readiness(other), [200, { status: 'ready', failed: [] }])
  assert.equal((await fetch(`${wrong}/livez`)).status, 200)
  const headers = { authorization: `Bearer ${token}` }
  const figures = await (await fetch(`${wrong}/metrics`, { headers })).text()
  assert.match(figures, /^clock_difference_seconds 6307\d{4}$/m)
  await until(() => lines.some((line) => line.startsWith('the clocks of this server and of the database differ')))

  const { token: bearer } = await chirograph.backend('acme')
  const made = await api(wrong, bearer).post('/creds/endpoints', { url: 'http://127.0.0.1:9/hook' })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  assert(Math.abs(Date.parse(made.body.data.createdAt) - Date.now()) < 30_000)

  machine.aheadMs = 0
  await until(async () => JSON.stringify(await readiness(wrong)) === '[200,{"status":"ready","failed":[]}]')
})
