// A wallet that signed in gets new copies for new keys, as far as the template allows it. [VCI-C16]
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TestDatabase } from '../../../test/support/database.ts'
import type { SigningKey } from '../../crypto/signing-key.ts'
import { parseSdJwt } from '../../protocols/sd-jwt-vc/sd-jwt.ts'
import { sql } from '../../store/store.ts'
import { issuanceSchedules } from '../issuances/jobs.ts'
import { aCode, aProof, aUser, prepared, tokenAt } from '../test-support/code-flow.ts'
import {
  aDatabase,
  aKey,
  anIssuer,
  aTemplate,
  aToken,
  type Body,
  type Issuer,
  noon,
  type Reply,
  request,
} from '../test-support/issuer.ts'

const BATCH = 3
let db: TestDatabase
let processes: readonly [Issuer, Issuer]
let issuer: Issuer
before(async () => {
  db = await aDatabase()
  issuer = await anIssuer(db)
  processes = [issuer, await anIssuer(db, undefined, {}, issuer.tenant)]
})
after(async () => {
  for (const { server } of processes) await server.close(0)
  await db.close()
})

const DAY_MS = 86_400_000
const refill = { days: 20, times: 2 }

async function templateOf(more: object = {}): Promise<Body> {
  const made = await issuer.api('POST', '/templates/credentials', aTemplate({ batchSize: BATCH, refill, ...more }))
  assert.equal(made.status, 201, JSON.stringify(made.body))
  return made.body.data
}

/** A wallet with the credential of a user, whose tokens are bound to its key unless it has none. */
class Wallet {
  readonly #template: Body
  readonly #key: SigningKey | null
  #tokens: Body = {}
  #client = ''
  #nonce = ''
  issuance: Body = {}

  constructor(template: Body, key: SigningKey | null = aKey()) {
    this.#template = template
    this.#key = key
  }

  async signIn(): Promise<this> {
    const user = await aUser(issuer)
    this.issuance = await prepared(issuer, this.#template, user)
    const form = await aCode(issuer, this.#template, user)
    this.#client = form.client_id ?? ''
    await this.#token(form)
    return this
  }

  renew(): Promise<Reply> {
    return this.#token({
      grant_type: 'refresh_token',
      refresh_token: this.#tokens.refresh_token,
      client_id: this.#client,
    })
  }

  async request(keys: readonly SigningKey[], at: Issuer = issuer): Promise<Reply> {
    const token = this.#tokens.access_token
    const proof = await this.#proof('credential', token)
    return request(at, token, this.#template.code, keys, {
      headers: { authorization: `${this.#key === null ? 'Bearer' : 'DPoP'} ${token}`, ...proof },
    })
  }

  async #token(form: Record<string, string>): Promise<Reply> {
    if (this.#key !== null) {
      const asked = await tokenAt(issuer, form, { dpop: await aProof(issuer, this.#key, 'token') })
      this.#nonce = asked.headers['dpop-nonce'] ?? ''
    }
    const reply = await tokenAt(issuer, form, await this.#proof('token'))
    if (reply.status === 200) this.#tokens = { ...this.#tokens, ...reply.body }
    return reply
  }

  async #proof(endpoint: string, accessToken?: string): Promise<Record<string, string>> {
    if (this.#key === null) return {}
    const about = { nonce: this.#nonce, ...(accessToken !== undefined && { accessToken }) }
    return { dpop: await aProof(issuer, this.#key, endpoint, about) }
  }
}

const someKeys = () => Array.from({ length: BATCH }, aKey)
/** The place of each copy in its status list. */
const placesOf = ({ status, body }: Reply): string[] => {
  assert.equal(status, 200, JSON.stringify(body))
  return body.credentials.map(({ credential }: { credential: string }) => {
    const { status_list: place } = Object(parseSdJwt(credential).jwt.payload.status)
    return `${place.uri} ${place.idx}`
  })
}
const errorOf = ({ status, body }: Reply) => [status, body.error]
const denied = [400, 'credential_request_denied']
const rowsOf = sql('test.refill.rows', 'select * from issuance where tenant_id = $1 and id = $2')
const rowOf = async ({ issuance }: Wallet): Promise<Body> =>
  (await db.store.single(issuer.tenant.id, (tx) => tx.rows<Body>(rowsOf, [issuer.tenant.id, issuance.id])))[0]

async function inDays(days: number, run: () => Promise<void>): Promise<void> {
  issuer.clock.at = new Date(noon.getTime() + days * DAY_MS)
  try {
    await run()
  } finally {
    issuer.clock.at = noon
  }
}

async function sweep(): Promise<void> {
  for (const { run } of issuanceSchedules) await run(issuer.platform, new AbortController().signal)
}

test('a refreshed token brings copies for other keys, with entries of their own, as often and as long as the template says; a revocation covers all', async () => {
  const wallet = await new Wallet(await templateOf()).signIn()
  const [one, two, three] = [someKeys(), someKeys(), someKeys()]
  const places = placesOf(await wallet.request(one))
  await inDays(10, async () => {
    await sweep()
    assert.equal((await wallet.renew()).status, 200)
    places.push(...placesOf(await wallet.request(two)))
    assert.equal(new Set(places).size, 2 * BATCH)
    const again = placesOf(await wallet.request(two.toReversed()))
    assert.deepEqual(again.toSorted(), places.slice(BATCH).toSorted(), 'the same keys get the same entries')
    places.push(...placesOf(await wallet.request(three)))
    assert.equal(new Set(places).size, 3 * BATCH)
    assert.deepEqual(errorOf(await wallet.request(someKeys())), denied, 'two refills were allowed')
  })
  const ids = [(await issuer.api('GET', `/credentials/${wallet.issuance.id}`)).body.data.credentials[0].id]
  const revoked = await issuer.api('POST', '/credentials/revoke', { ids })
  assert.equal(revoked.status, 200, JSON.stringify(revoked.body))
  const { status_indices: indices } = await rowOf(wallet)
  assert.deepEqual(
    indices.map(String).toSorted(),
    places.map((place) => place.split(' ')[1]).toSorted(),
    'all entries are those of the credential, so all were revoked',
  )
})

test('after the days of the template no token is renewed, and the claims are erased', async () => {
  const wallet = await new Wallet(await templateOf()).signIn()
  placesOf(await wallet.request(someKeys()))
  assert.notEqual((await rowOf(wallet)).sealed_claims, null)
  await inDays(21, async () => {
    assert.deepEqual(errorOf(await wallet.renew()), [400, 'invalid_grant'])
    await sweep()
    assert.equal((await rowOf(wallet)).sealed_claims, null)
  })
})

/** Who gets no copies for other keys. */
const refusals: readonly (readonly [string, object, SigningKey | null])[] = [
  ['a template without refill', { refill: undefined }, aKey()],
  ['a token that is bound to no key', {}, null],
]
for (const [what, more, key] of refusals) {
  test(`${what}: other keys are refused, and the first get theirs again`, async () => {
    const wallet = await new Wallet(await templateOf(more), key).signIn()
    const keys = someKeys()
    const places = placesOf(await wallet.request(keys))
    assert.deepEqual(errorOf(await wallet.request(someKeys())), denied)
    assert.deepEqual(placesOf(await wallet.request(keys)), places)
  })
}

test('a pre-authorized code brings no copies for other keys', async () => {
  const { template, token } = await aToken(issuer, { batchSize: BATCH, refill })
  placesOf(await request(issuer, token, template.code, someKeys()))
  assert.deepEqual(errorOf(await request(issuer, token, template.code, someKeys())), denied)
})

for (const verb of ['revoke', 'suspend']) {
  test(`after ${verb} nothing is refilled`, async () => {
    const wallet = await new Wallet(await templateOf()).signIn()
    placesOf(await wallet.request(someKeys()))
    const { credentials } = (await issuer.api('GET', `/credentials/${wallet.issuance.id}`)).body.data
    await issuer.api('POST', `/credentials/${verb}`, { ids: [credentials[0].id] })
    assert.deepEqual(errorOf(await wallet.request(someKeys())), denied)
  })
}

test('of twenty parallel refills at two processes as many are answered as are allowed, and no entry is given twice', async () => {
  const wallet = await new Wallet(await templateOf()).signIn()
  const places = placesOf(await wallet.request(someKeys()))
  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, at) => wallet.request(someKeys(), processes[at % 2 === 0 ? 0 : 1])),
  )
  const [issued, others] = [200, 400].map((status) => replies.filter((one) => one.status === status))
  assert.deepEqual([issued?.length, others?.length], [refill.times, 20 - refill.times])
  places.push(...(issued ?? []).flatMap(placesOf))
  assert.equal(new Set(places).size, 3 * BATCH)
})

test('a template that needs approval cannot be refilled', async () => {
  const made = await issuer.api('POST', '/templates/credentials', aTemplate({ refill, approvalRequired: true }))
  assert.deepEqual([made.status, made.body.errors[0].source.pointer], [400, '/refill'], JSON.stringify(made.body))
})
