// A server whose machine has a wrong clock: what it writes has the time of the database, and it does no work that
// waits, until the clock is right.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { makeTemplate, openIssuance } from '../support/main-job.ts'
import { aPerson } from '../support/oauth-person.ts'
import { api, type Deployment, deploy } from '../support/server.ts'
import { until } from '../support/until.ts'

const HOUR_MS = 3_600_000
const YEARS_MS = 2 * 365 * 24 * HOUR_MS
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

// A session that nobody uses ends after twelve hours.
for (const hours of [1, -1, 13, -13]) {
  test(`${hours} hours ahead for a while: offers, sessions, tokens and keys live as long as they should`, async () => {
    const [, right = wrong] = chirograph.servers
    const both = [wrong, right]
    const school = await chirograph.backend('acme')
    const template = await makeTemplate(school, `hours-${hours}`)
    const publishedKeys = () =>
      Promise.all(both.map(async (server) => (await (await fetch(`${server}/auth/jwks`)).json()) as unknown))

    /** What servers make now: an offer, a session and the token of a wallet by each. */
    const made = async (when: string) =>
      Promise.all(
        both.map(async (server, at) => {
          const offer = await openIssuance(api(server, school.token), template.id)
          const person = await aPerson({ url: server }, school, `${when}-${at}-${hours}`)
          const { token } = await chirograph.wallet('acme', 'thandi')
          return { offer, person, token }
        }),
      )
    const keys = await publishedKeys()
    const before = await made('before')
    machine.aheadMs = hours * HOUR_MS
    const during = await made('during')

    const all = [...before, ...during]
    const [first, ...rest] = all.map(({ offer }) => Date.parse(offer.expiresAt))
    for (const expiresAt of rest) assert(Math.abs(expiresAt - (first ?? 0)) < 30_000)

    const holds = async ({ person, token }: (typeof all)[number]) => {
      for (const server of both) {
        const account = await fetch(`${server}/account`, {
          headers: { cookie: person.cookieHeader },
          redirect: 'manual',
        })
        assert.equal(account.status, 200, 'the session ended')
        assert.equal((await api(server, token).get('/wallet/v2/credentials')).status, 200)
      }
    }
    const take = async ({ offer, token }: (typeof all)[number], server: string) => {
      const taken = await api(server, token).post('/wallet/v2/credentials', { credentialOffer: offer.offerUri })
      assert.equal(taken.status, 201, JSON.stringify(taken.body))
    }
    for (const one of all) await holds(one)
    for (const one of [before[0], during[1]]) await take(one ?? assert.fail(), wrong)
    machine.aheadMs = 0
    for (const one of [...all, ...(await made('after'))]) await holds(one)
    for (const one of [before[1], during[0]]) await take(one ?? assert.fail(), right)
    assert.deepEqual(await publishedKeys(), keys)
  })
}
