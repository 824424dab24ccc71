// What does an issuance by HAIP 1.0 cost the server, request by request, beside the crypto floor under the same load?
// Of each flow: the issuance, a pushed request with a client attestation, the pages of the holder, token and credential
// with DPoP, and a key attestation.
// Run: node bench/haip.ts [--seconds 20]
import { createPrivateKey } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Pool } from 'undici'
import { text } from '../demo/json.ts'
import { startServer } from '../demo/server-process.ts'
import { PlainBrowser } from '../src/authorization/sign-in/test-support/plain-browser.ts'
import { leafExtensions, openssl, rootExtensions } from '../src/crypto/x509-path/test-support/openssl.ts'
import { startPostgres } from '../test/support/postgres.ts'
import { startFloorBeside } from './crypto-floor.ts'
import { aFlow, type Party, type Person, requests } from './haip-flow.ts'
import { type Counters, countersOf, openClient } from './measure.ts'

/** Wanted: the CPU of a flow as a multiple of the crypto floor of a plain issuance. */
const TIMES_WANTED = 15
/** Reached: see the table in docs/operations.md, which says what a flow consists of. */
const TIMES_MAX = 35
/** 33, and what the polling of idle workers adds: up to 3.5 a flow where a busy machine makes few flows a second. */
const STATEMENTS_MAX = 37
const AT_ONCE = 8
/** As in `run.ts`: V8 is still compiling before. */
const WARM_UP_SECONDS_MIN = 30
/**
 * The flows of a wave go through the requests together, so that the counters of the server are of one request at a
 * time. A wave takes a few seconds: nonces and codes live for a minute.
 */
const FLOWS_A_WAVE = 160

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '20' } } })
const seconds = Number(values.seconds)
if (!(seconds > 0)) throw new Error('--seconds must be a number above 0')

const secret = 'a-secret-for-the-bench-only-0123456789abcdef'
const people = Array.from({ length: AT_ONCE }, (_, at) => `person-${at}`)
const clients = [{ clientId: 'backend', clientSecret: secret, scopes: ['tenant:admin', 'users:impersonate'] }]
const users = people.map((username) => ({ username, enabled: true }))
const tenants = [{ slug: 'acme', name: 'Acme College', settings: { haip: true }, clients, users }]

const tool = openssl()
const years = { from: '200101000000Z', until: '491231235959Z' }
const authority = tool.make({ subject: '/C=ZA/CN=Providers', extensions: rootExtensions, ...years })
const subject = { subject: '/C=ZA/CN=Provider', issuer: authority, extensions: leafExtensions.slice(0, 3), ...years }
const provider = tool.make(subject)
const postgres = await startPostgres({ durable: true })
const folder = mkdtempSync(join(tmpdir(), 'chirograph-bench-'))
const file = join(folder, 'bootstrap.json')
writeFileSync(file, JSON.stringify({ tenants }))
const server = await startServer({ DATABASE_URL: postgres.url, DATA_DIR: folder, BOOTSTRAP_FILE: file })
const client = openClient([server.url], 4)
const pool = new Pool(server.url, { connections: AT_ONCE })

async function prepare(): Promise<{ party: Party; persons: readonly Person[] }> {
  const grant = { grant_type: 'client_credentials', client_id: 'backend', client_secret: secret }
  const token = text(await client.send('POST', '/auth/token', { form: grant }), 'access_token')
  const about = { type: 'issuerRoot', keyType: 'P-256', countryName: 'ZA' }
  const root = { ...about, issuerAlternativeNameUrl: 'https://acme.example' }
  await client.send('POST', '/creds/certificates', { token, json: root })
  const trusted = { name: 'Providers', certificates: [authority.pem], purposes: ['attester'] }
  await client.send('POST', '/creds/trusted-entities', { token, json: trusted })
  const student = { name: 'Student', code: 'student', attributes: { name: { type: 'string', required: true } } }
  const made = await client.send('POST', '/creds/templates/credentials', { token, json: student })
  const persons: Person[] = []
  for (const username of people) {
    const invited = await client.send('POST', `/onboarding/users/${username}/invitation`, { token, json: {} })
    const browser = new PlainBrowser(server.url)
    await browser.open(text(invited, 'data', 'link'))
    await browser.send('/sign-in/link', { password: secret, repeated: secret })
    persons.push({ username, cookie: browser.cookieHeader })
  }
  const nonce = text(await client.send('POST', '/issuers/acme/challenge'), 'attestation_challenge')
  const attester = {
    key: createPrivateKey(readFileSync(provider.keyFile)),
    x5c: [provider.certificate.der.toString('base64')],
  }
  const party = { pool, origin: server.url, token, templateId: text(made, 'data', 'id'), provider: attester, nonce }
  return { party, persons }
}

type Sum = { cpuMs: number; statements: number; roundTrips: number }

/**
 * Runs waves for a time.
 *
 * @returns the number of flows, what each request cost in all of them, and the CPU of a flow in the cheapest wave
 */
async function run(lasts: number, { party, persons }: Awaited<ReturnType<typeof prepare>>) {
  const sums = new Map(requests.map((name): [string, Sum] => [name, { cpuMs: 0, statements: 0, roundTrips: 0 }]))
  const until = performance.now() + lasts * 1000
  let [flows, lowestMs] = [0, Number.POSITIVE_INFINITY]
  let last = await countersOf(client)
  while (performance.now() < until) {
    const wave = Array.from({ length: FLOWS_A_WAVE }, (_, at) => aFlow(party, persons[at % AT_ONCE] as Person))
    const opened = last
    for (const name of requests) {
      const before = last
      const queue = wave.values()
      const worker = async () => {
        for (const flow of queue) await flow[name]()
      }
      await Promise.all(Array.from({ length: AT_ONCE }, worker))
      last = await countersOf(client)
      add(sums.get(name), before, last)
    }
    flows += FLOWS_A_WAVE
    lowestMs = Math.min(lowestMs, ((last.cpuSeconds - opened.cpuSeconds) / FLOWS_A_WAVE) * 1000)
  }
  return { flows, sums, lowestMs }
}

function add(sum: Sum | undefined, before: Counters, after: Counters): void {
  if (sum === undefined) return
  sum.cpuMs += (after.cpuSeconds - before.cpuSeconds) * 1000
  sum.statements += after.statements - before.statements
  sum.roundTrips += after.roundTrips - before.roundTrips
}

/** @returns whether the figures are within their bounds */
function print({ flows, sums, lowestMs }: Awaited<ReturnType<typeof run>>, floor: Floor, own: Floor): boolean {
  const row = (name: string, cells: readonly string[]) =>
    console.log(`  ${name.padEnd(14)}${cells.map((one) => one.padStart(12)).join('')}`)
  const line = (name: string, { cpuMs, statements, roundTrips }: Sum) =>
    row(
      name,
      [statements, roundTrips, cpuMs, cpuMs / floor.median].map((one) => (one / flows).toFixed(2)),
    )
  row('request', ['statements', 'round trips', 'CPU ms', 'floors'])
  const all: Sum = { cpuMs: 0, statements: 0, roundTrips: 0 }
  for (const [name, sum] of sums) {
    line(name, sum)
    for (const one of ['cpuMs', 'statements', 'roundTrips'] as const) all[one] += sum[one]
  }
  line('flow', all)
  const times = all.cpuMs / flows / floor.median
  const statements = all.statements / flows
  console.log(
    `  floor beside it ${floor.median.toFixed(3)} ms; cryptography of the flow ${own.median.toFixed(3)} ms: ${(own.median / floor.median).toFixed(1)} floors`,
  )
  console.log(
    `  cheapest wave ${lowestMs.toFixed(2)} ms: ${(lowestMs / floor.tenth).toFixed(1)} times what a tenth of the floors stayed below`,
  )
  const isWithin = times <= TIMES_MAX && statements <= STATEMENTS_MAX
  console.log(
    `${isWithin ? 'pass' : 'FAIL'}  ${flows} flows: ${times.toFixed(1)} floors of at most ${TIMES_MAX} (wanted ${TIMES_WANTED}), ${statements.toFixed(1)} statements of at most ${STATEMENTS_MAX}`,
  )
  return isWithin
}

type Floor = Awaited<ReturnType<ReturnType<typeof startFloorBeside>['stop']>>

try {
  console.log(`${cpus()[0]?.model}, ${cpus().length} cores, Node ${process.version}, ${seconds} s`)
  const work = await prepare()
  await run(Math.max(WARM_UP_SECONDS_MIN, seconds), work)
  const [floor, own] = [startFloorBeside('issuance'), startFloorBeside('haip')]
  const figures = await run(seconds, work)
  if (!print(figures, await floor.stop(), await own.stop())) process.exitCode = 1
} finally {
  await pool.close()
  await client.close()
  await server.stop()
  await postgres.stop()
  tool.remove()
  rmSync(folder, { recursive: true, force: true })
}
