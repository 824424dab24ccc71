import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TestDatabase } from '../../../test/support/database.ts'
import { parseSdJwt } from '../../protocols/sd-jwt-vc/sd-jwt.ts'
import { sql } from '../../store/store.ts'
import {
  aDatabase,
  aKey,
  aNonce,
  anIssuer,
  anOffer,
  aToken,
  type Body,
  type Issuer,
  type Reply,
  redeem,
  request,
  someClaims,
} from '../test-support/issuer.ts'

const CALLERS = 12

let db: TestDatabase
let issuer: Issuer
/** Another process of the same deployment. */
let other: Issuer
before(async () => {
  db = await aDatabase()
  issuer = await anIssuer(db)
  other = await anIssuer(db, undefined, {}, issuer.tenant)
})
after(async () => {
  await issuer.server.close(0)
  await other.server.close(0)
  await db.close()
})

function together<T>(count: number, call: (at: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, at) => call(at)))
}
function tally(replies: readonly Reply[]): Record<string, number> {
  const names = replies.map(({ status, body }) => (status === 200 ? 'ok' : `${status} ${body.error}`))
  return Object.fromEntries([...Map.groupBy(names, (name) => name)].map(([name, all]) => [name, all.length]))
}
function slotsOf({ body }: Reply): string[] {
  return body.credentials.map(({ credential }: Body) => JSON.stringify(parseSdJwt(credential).jwt.payload.status))
}

test('[VCI-T11] of any number of parallel redemptions of one code exactly one wins', async () => {
  const { code } = await anOffer(issuer)
  const replies = await together(CALLERS, () => redeem(issuer, code))
  assert.deepEqual(tally(replies), { ok: 1, '400 invalid_grant': CALLERS - 1 })
})

test('[VCI-T10] parallel guesses of a transaction code get five tries, not more, and lock the offer', async () => {
  const { code, issuance } = await anOffer(issuer, { txCode: {} })
  const wrong = issuance.txCode === '000000' ? '000001' : '000000'
  const guesses = await together(CALLERS, () => redeem(issuer, code, { tx_code: wrong }))
  assert.deepEqual(tally(guesses), { '400 invalid_grant': CALLERS })
  const right = await redeem(issuer, code, { tx_code: issuance.txCode })
  assert.equal(right.body.error, 'invalid_grant')
  const refused = await issuer.platform.store.single(issuer.tenant.id, (tx) =>
    tx.rows(sql('test.issuance.refused', `select id from audit_entry where subject_id = $1 and result = 'refused'`), [
      issuance.id,
    ]),
  )
  assert.equal(refused.length, 5)
  const { body } = await issuer.api('GET', `/credentials/${issuance.id}`)
  assert.deepEqual([body.data.status, body.data.credentials[0].status, body.data.error.code], ['failed', 'failed', 423])
  const kept = await issuer.platform.store.single(issuer.tenant.id, (tx) =>
    tx.rows<{ kept: boolean; events: number }>(
      sql(
        'test.issuance.locked',
        `select sealed_claims is not null as kept, (select count(*)::int from audit_entry where subject_id = $1::text
           and event_type = 'openid4vc.issuance.failed') as events from issuance where id = $1::uuid`,
      ),
      [issuance.id],
    ),
  )
  assert.deepEqual(kept, [{ kept: false, events: 1 }])
})

test('one access token yields its credential to one set of keys only, also under concurrent requests', async () => {
  const { token, template } = await aToken(issuer)
  const nonces = await together(CALLERS, () => aNonce(issuer))
  const keys = nonces.map(aKey)
  const replies = await together(CALLERS, (at) =>
    request(issuer, token, template.code, keys.slice(at, at + 1), { nonce: nonces[at] ?? '' }),
  )
  assert.deepEqual(tally(replies), { ok: 1, '400 credential_request_denied': CALLERS - 1 })
})

test('the same keys at the same moment get one and the same status entry', async () => {
  const { token, template } = await aToken(issuer, { batchSize: 2 })
  const nonces = await together(CALLERS, () => aNonce(issuer))
  const keys = [aKey(), aKey()]
  const replies = await together(CALLERS, (at) =>
    request(issuer, token, template.code, keys, { nonce: nonces[at] ?? '' }),
  )
  assert.deepEqual(tally(replies), { ok: CALLERS })
  assert.equal(new Set(replies.map((one) => slotsOf(one).join())).size, 1)
})

test('[VCI-N2] a nonce is accepted once: of 100 requests at two processes the wallet of one grant gets its credential', async () => {
  const grants = await together(10, async () => ({ ...(await aToken(issuer)), key: aKey() }))
  const nonce = await aNonce(issuer)
  const replies = await together(100, (at) => {
    const grant = grants[at % 10]
    assert.ok(grant !== undefined)
    return request(at % 2 === 0 ? issuer : other, grant.token, grant.template.code, [grant.key], { nonce })
  })
  assert.deepEqual(tally(replies), { ok: 1, '400 invalid_nonce': 99 })
})

test('[TS-30] [TS-31] [HAIP-32] entries of a status list are taken at random and never twice, of one list for all holders', async () => {
  const { template } = await anOffer(issuer, { batchSize: 10 })
  const ask = { credentialTemplateId: template.id, attributes: someClaims }
  const replies = await together(20, async () => {
    const { body } = await issuer.api('POST', '/credentials/issuance', ask)
    const { searchParams } = new URL(body.data.offerUri)
    const offer = await issuer.open(searchParams.get('credential_offer_uri') ?? '')
    const [grant] = Object.values<Body>(offer.body.grants)
    const { body: granted } = await redeem(issuer, grant['pre-authorized_code'])
    return request(issuer, granted.access_token, template.code, Array.from({ length: 10 }, aKey))
  })
  assert.deepEqual(tally(replies), { ok: 20 })
  const slots = replies.flatMap(slotsOf)
  assert.equal(new Set(slots).size, 200)
  assert.equal(new Set(slots.map((slot) => JSON.parse(slot).status_list.uri)).size, 1)
  const indices = slots.map((slot) => JSON.parse(slot).status_list.idx as number)
  const mean = indices.reduce((sum, one) => sum + one, 0) / indices.length
  assert.ok(mean > 40_000 && mean < 91_000, `indices lean to one side: mean ${mean}`)
})

test('[TS-3] entries that others took meanwhile are passed over, and a full list is followed by another', async () => {
  const { store } = issuer.platform
  const tenant = await issuer.anotherTenant()
  const first = await full(tenant, 131_072)
  const offer = await anOffer(issuer, {}, {}, tenant)
  const { body } = await redeem(issuer, offer.code, {}, tenant)
  const reply = await request(issuer, body.access_token, offer.template.code, [aKey()], { tenant })
  assert.equal(reply.status, 200, JSON.stringify(reply.body))
  const lists = await store.single(tenant.id, (tx) =>
    tx.rows<{ id: string; full_at: Date | null }>(
      sql('test.issuance.lists', 'select id, full_at from status_list order by id'),
      [],
    ),
  )
  assert.equal(lists.length, 2)
  assert.notEqual(lists.find(({ id }) => id === first)?.full_at ?? null, null)
})

test('[TS-30] a list that is full is followed by one other, however many callers find out at the same moment', async () => {
  const tenant = await issuer.anotherTenant()
  await full(tenant, 131_068)
  const offers = await together(CALLERS, () => anOffer(issuer, {}, {}, tenant))
  const replies = await Promise.all(
    offers.map(async ({ code, template }) => {
      const { body } = await redeem(issuer, code, {}, tenant)
      return request(issuer, body.access_token, template.code, [aKey()], { tenant })
    }),
  )
  assert.deepEqual(tally(replies), { ok: CALLERS })
  assert.equal(new Set(replies.flatMap(slotsOf)).size, CALLERS)
  const lists = sql(
    'test.issuance.open_lists',
    'select count(*)::int as all, count(*) filter (where full_at is null)::int as open from status_list',
  )
  const counted = await issuer.platform.store.single(tenant.id, (tx) => tx.rows(lists, []))
  assert.deepEqual(counted, [{ all: 2, open: 1 }])
})

const findList = sql('test.issuance.find_list', 'select id from status_list')
const insertEntries = sql(
  'test.issuance.entries',
  'insert into status_entry (tenant_id, status_list_id, status_index) select $1, $2, n from generate_series(0, $3::int - 1) as n on conflict do nothing',
)

/**
 * Takes the first entries of the status list of a tenant, which its first credential opens.
 *
 * @returns the id of the list
 */
async function full(tenant: Issuer['tenant'], taken: number): Promise<string> {
  const offer = await anOffer(issuer, {}, {}, tenant)
  const { body } = await redeem(issuer, offer.code, {}, tenant)
  await request(issuer, body.access_token, offer.template.code, [aKey()], { tenant })
  return issuer.platform.store.inTenant(tenant.id, async (tx) => {
    const [list] = await tx.rows<{ id: string }>(findList, [])
    assert(list !== undefined)
    await tx.rows(insertEntries, [tenant.id, list.id, taken])
    return list.id
  })
}
