// Concurrent requests at two processes on one database.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../../../test/support/database.ts'
import { platformOn } from '../../../../test/support/platform.ts'
import { readConfig } from '../../../config.ts'
import { Fault } from '../../../fault.ts'
import type { Platform } from '../../../platform.ts'
import { newId } from '../../../store/row-id.ts'
import { sql } from '../../../store/store.ts'
import { spendJti } from '../../access/spent-jti-store.ts'
import { asking, clientSecret, redirectUri, someClients } from '../../test-support/an-oauth-client.ts'
import { aTenantWith, signIn } from '../../test-support/sign-in.ts'
import { authorize } from '../endpoint/authorize.ts'
import { answerPushedRequest } from '../endpoint/pushed-requests.ts'
import { answerTokenRequest } from '../endpoint/token-endpoint.ts'
import type { TokenAnswer } from '../token-request.ts'
import { authorizationSchedules } from './jobs.ts'
import { platformInstance } from './platform-instance.ts'

const countRows = sql(
  'test.single_use.count',
  `select (select count(*)::int from authorization_code) as codes, (select count(*)::int from token_family) as families,
     (select count(*)::int from pushed_request) as pushed, (select count(*)::int from spent_jti) as jtis`,
)

let db: TestDatabase
let processes: readonly [Platform, Platform]
let shiftSeconds = 0
before(async () => {
  db = await openTestDatabase()
  const clock = { now: () => new Date(Date.now() + shiftSeconds * 1000) }
  const parts = { store: db.store, config: readConfig({}), masterKey: randomBytes(32), clock }
  processes = [platformOn(parts), platformOn(parts)]
})
after(() => db.close())

async function aDeployment() {
  const { web } = someClients()
  const { tenantId } = await aTenantWith(processes[0], [web])
  return { web, tenantId, browser: await signIn(processes[0], tenantId) }
}

type House = Awaited<ReturnType<typeof aDeployment>>

function requestAt(platform: Platform, { web }: House, form: Record<string, string>) {
  const auth = { client_id: web.clientId, client_secret: clientSecret }
  const instance = platformInstance(platform)
  return { platform, instance, form: { ...form, ...auth }, headers: {}, ip: '192.0.2.1', requestId: newId() }
}

async function authorizeAt(platform: Platform, { browser }: House, query: Record<string, string>): Promise<URL> {
  const from = { cookie: browser.cookie, ip: '192.0.2.1', requestId: newId() }
  return new URL(await authorize({ platform, instance: platformInstance(platform), query, ...from }))
}

/** Asks for tokens; null if the grant is refused. */
async function tokensAt(platform: Platform, house: House, form: Record<string, string>): Promise<TokenAnswer | null> {
  try {
    return (await answerTokenRequest(requestAt(platform, house, form))).body as TokenAnswer
  } catch (error) {
    if (error instanceof Fault && error.code === 'grant.invalid') return null
    throw error
  }
}

async function aCode(house: House): Promise<Record<string, string>> {
  const { parameters, verifier } = await asking(house.web.clientId)
  const code = (await authorizeAt(processes[0], house, parameters)).searchParams.get('code') ?? ''
  return { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier }
}

/** Runs the work at both processes, three times each, at the same moment. */
function everywhere<T>(work: (platform: Platform) => Promise<T>): Promise<T[]> {
  return Promise.all([...processes, ...processes, ...processes].map(work))
}

function refreshForm(token: string | undefined): Record<string, string> {
  return { grant_type: 'refresh_token', refresh_token: token ?? '' }
}

test('[RFC 6749 4.1.2] of concurrent requests with one code one gets tokens, and the others end its refresh token', async () => {
  const house = await aDeployment()
  const form = await aCode(house)
  const answers = await everywhere((platform) => tokensAt(platform, house, form))
  const [tokens, ...others] = answers.filter((one) => one !== null)
  assert.equal(others.length, 0)
  assert.equal(await tokensAt(processes[1], house, refreshForm(tokens?.refresh_token)), null)
})

test('[RFC 9700 4.14] of concurrent requests with one refresh token the successor of one lives', async () => {
  const house = await aDeployment()
  const first = await tokensAt(processes[0], house, await aCode(house))
  const answers = await everywhere((platform) => tokensAt(platform, house, refreshForm(first?.refresh_token)))
  const successors = answers.map((one) => one?.refresh_token ?? '')
  assert.equal(new Set(successors).size, successors.length)
  const alive = await db.store.single(house.tenantId, (tx) =>
    tx.rows<{ hash: Buffer }>(
      sql('test.single_use.current', 'select token_hash as hash from token_family where ended_at is null'),
    ),
  )
  assert.equal(alive.length, 1)
  const outcomes: boolean[] = []
  for (const token of successors) outcomes.push((await tokensAt(processes[1], house, refreshForm(token))) !== null)
  assert(outcomes.filter((one) => one).length <= 1)
})

test('[RFC 9126 4] of concurrent requests with one request_uri one gets a code', async () => {
  const house = await aDeployment()
  const { parameters } = await asking(house.web.clientId)
  const { body } = await answerPushedRequest(requestAt(processes[0], house, parameters))
  const { request_uri: requestUri } = body as { request_uri: string }
  const query = { client_id: house.web.clientId, request_uri: requestUri }
  const answers = await everywhere((platform) =>
    authorizeAt(platform, house, query).then(
      ({ searchParams }) => searchParams.get('code') ?? searchParams.get('error'),
      (error: Fault) => error.code,
    ),
  )
  const refused = answers.filter((one) => one === 'invalid_request_uri' || one === 'request_uri.invalid')
  assert.equal(refused.length, answers.length - 1)
})

test('[RFC 9449 11.1] a jti is spent once at all processes', async () => {
  const { tenantId } = await aDeployment()
  const jti = { signer: 'dpop x', jti: newId(), expiresAt: new Date(Date.now() + 60_000) }
  const spent = await everywhere(({ store }) => store.single(tenantId, (tx) => spendJti(tx, jti)))
  assert.equal(spent.filter((one) => one).length, 1)
})

test('one statement redeems a code, and one renews a refresh token and reads the roles', async () => {
  const house = await aDeployment()
  const warm = await tokensAt(processes[0], house, await aCode(house))
  await tokensAt(processes[0], house, refreshForm(warm?.refresh_token))
  const form = await aCode(house)
  const before = db.store.counts.statements
  const tokens = await tokensAt(processes[0], house, form)
  // The client, and the code with its family and its audit entry.
  assert.equal(db.store.counts.statements - before, 2)
  await tokensAt(processes[0], house, refreshForm(tokens?.refresh_token))
  // The client, the refresh token, and the roles.
  assert.equal(db.store.counts.statements - before, 5)
})

test('expired rows are deleted in pieces, those of every tenant', async () => {
  const house = await aDeployment()
  await tokensAt(processes[0], house, await aCode(house))
  await answerPushedRequest(requestAt(processes[0], house, (await asking(house.web.clientId)).parameters))
  await db.store.single(house.tenantId, (tx) => spendJti(tx, { signer: 'x', jti: 'x', expiresAt: new Date() }))
  const sweep = authorizationSchedules.find(({ name }) => name === 'authorization.delete-expired')
  const rowsAfter = async (seconds: number) => {
    shiftSeconds += seconds
    await sweep?.run(processes[0], new AbortController().signal)
    return (await db.store.single(house.tenantId, (tx) => tx.rows(countRows)))[0]
  }
  assert.deepEqual(await rowsAfter(90), { codes: 1, families: 1, pushed: 0, jtis: 0 })
  assert.deepEqual(await rowsAfter(3700), { codes: 0, families: 1, pushed: 0, jtis: 0 })
  assert.deepEqual(await rowsAfter(31 * 86_400), { codes: 0, families: 0, pushed: 0, jtis: 0 })
})
