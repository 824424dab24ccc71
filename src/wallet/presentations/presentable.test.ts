import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { sql, type TenantTx } from '../../store/store.ts'
import { listPresentable, takeCopies } from '../credentials/credential-store.ts'
import { holderOf } from '../credentials/holder.ts'
import { acceptOffer } from '../offers/accept-offer.ts'
import { fault } from '../test-support/fault.ts'
import { foreignIssuer } from '../test-support/foreign-issuer.ts'
import { foreignVerifier } from '../test-support/foreign-verifier.ts'
import { aMember, membership, receive } from '../test-support/member.ts'
import { type Bench, openBench } from '../test-support/wallet-platform.ts'
import { answerPresentation } from './answer-presentation.ts'
import { preparePresentation } from './prepare-presentation.ts'

let bench: Bench
const open: { close: () => Promise<void> }[] = []
before(async () => {
  bench = await openBench()
})
after(() => bench.close())
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()))
})

/** The platform that counts which copies of credentials are opened. */
function counting() {
  const opened: string[] = []
  const { sealing } = bench.platform
  const platform: Bench['platform'] = {
    ...bench.platform,
    sealing: {
      ...sealing,
      open: (place, sealed) => {
        if (place.column === 'sealed_raw') opened.push(place.row)
        return sealing.open(place, sealed)
      },
    },
  }
  return { platform, opened }
}

async function asking(query: unknown) {
  const shop = await foreignVerifier(query)
  open.push(shop)
  return shop
}

test('only the credentials of the requested types are opened, and for the answer only the presented ones', async () => {
  const { thandi, credentialId } = await aMember(bench)
  const second = await receive(bench, thandi)
  const retype = sql('test.presentable.retype', 'update wallet_credential set vct = $2 where id = $1')
  const third = await receive(bench, thandi)
  await bench.platform.store.single(thandi.tenantId, (tx) => tx.rows(retype, [third, 'https://types.example/other']))
  const shop = await asking({ credentials: [membership] })
  const { platform, opened } = counting()
  const { data, meta } = await preparePresentation(platform, thandi, shop.link())
  assert.equal(opened.length, 2)
  const [{ credentials }] = meta.alternatives as [{ credentials: { credentialId: string }[] }]
  assert.deepEqual(
    credentials.map((one) => one.credentialId),
    [second, credentialId],
  )
  opened.length = 0
  await answerPresentation(platform, thandi, data.id, { status: 'answered' })
  // once to work out what is shown, and once to sign it
  assert.deepEqual([opened.length, new Set(opened).size], [2, 1])
})

test('a credential answers for a type that it also has (aka_vcts) [DCQL-2]', async () => {
  const thandi = await bench.person()
  const also = 'https://types.example/also'
  const id = await receive(bench, thandi, 1, { payload: (payload) => ({ ...payload, aka_vcts: [also] }) })
  const shop = await asking({ credentials: [{ ...membership, meta: { vct_values: [also] } }] })
  const { data } = await preparePresentation(bench.platform, thandi, shop.link())
  assert.equal(data.selectedCredentials[0]?.credentialId, id)
})

test('opening the credentials of a large wallet leaves room for other work between them', async () => {
  const { thandi } = await aMember(bench)
  for (let held = 1; held < 8; held += 1) await receive(bench, thandi)
  const shop = await asking({ credentials: [membership] })
  const { sealing } = bench.platform
  let turns = 0
  const seen: number[] = []
  const count = () => {
    turns += 1
    if (seen.length < 8) setImmediate(count)
  }
  setImmediate(count)
  const noting: typeof sealing.open = (place, sealed) => {
    if (place.column === 'sealed_raw') seen.push(turns)
    return sealing.open(place, sealed)
  }
  await preparePresentation({ ...bench.platform, sealing: { ...sealing, open: noting } }, thandi, shop.link())
  assert.equal(new Set(seen).size, 8)
})

test('what a presentation discloses besides is computed once per credential, however many queries it answers', async (context) => {
  const { thandi } = await aMember(bench)
  /** Serializations while a request of so many queries is prepared: the paths of the claims are compared as JSON. */
  const serialized = async (queries: number) => {
    const shop = await asking({
      credentials: Array.from({ length: queries }, (_, n) => ({ ...membership, id: `q${n}` })),
    })
    const { mock } = context.mock.method(JSON, 'stringify')
    const { meta } = await preparePresentation(bench.platform, thandi, shop.link())
    mock.restore()
    const shown = meta.alternatives as { credentials: { alsoDisclosed?: unknown }[] }[]
    assert.ok(shown.every(({ credentials }) => credentials.every((one) => one.alsoDisclosed !== undefined)))
    return { calls: mock.callCount(), credentials: shown.flatMap(({ credentials }) => credentials).length }
  }
  const counted: { one: number; many: number }[] = []
  for (const held of [1, 2, 4, 8]) {
    for (let more = (await serialized(1)).credentials; more < held; more += 1) await receive(bench, thandi)
    const [one, many] = [await serialized(1), await serialized(16)]
    assert.deepEqual([one.credentials, many.credentials], [held, 16 * held])
    counted.push({ one: one.calls, many: many.calls })
  }
  const growth = (of: 'one' | 'many') => counted.slice(1).map((now, at) => now[of] - (counted[at]?.[of] ?? 0))
  const [each = 0] = growth('one')
  assert.ok(each > 5, `${each} serializations for one credential`)
  assert.deepEqual(growth('one'), [each, 2 * each, 4 * each])
  assert.deepEqual(growth('many'), growth('one'))
})

const insertMany = sql(
  'test.presentable.many',
  `with made as (
     insert into wallet_credential (tenant_id, id, user_id, status, format, vct, credential_issuer, configuration_id, issued_at, created_at, updated_at)
     select $1::uuid, gen_random_uuid(), $2, 'accepted', 'vc+sd-jwt', 'x', 'x', 'x', now(), now(), now() from generate_series(1, $3::int)
     returning id)
   insert into wallet_credential_copy (tenant_id, id, credential_id, position, sealed_raw)
   select $1::uuid, gen_random_uuid(), id, 0, decode(repeat('00', $4::int), 'hex') from made`,
)

for (const [what, count, bytes] of [
  ['credentials', 999, 1],
  ['bytes', 63, 1024 * 1024],
] as const) {
  test(`a wallet that holds as many ${what} as allowed refuses an offer, and nothing of the offer is consumed`, async () => {
    const thandi = await bench.person()
    const fill = (some: number) =>
      bench.platform.store.single(thandi.tenantId, (tx) =>
        tx.rows(insertMany, [thandi.tenantId, thandi.userId, some, bytes]),
      )
    await fill(count)
    const issuer = await foreignIssuer()
    open.push(issuer)
    await acceptOffer(bench.platform, thandi, { credentialOffer: issuer.offerUri })
    await fill(1)
    const next = await foreignIssuer()
    open.push(next)
    const refused = await fault(acceptOffer(bench.platform, thandi, { credentialOffer: next.offerUri }))
    assert.equal(refused.code, 'wallet.full')
    const pieter = await bench.person(thandi.tenantId)
    const { credentials } = await acceptOffer(bench.platform, pieter, { credentialOffer: next.offerUri })
    assert.equal(credentials.length, 1)
  })
}

const listIds = sql('test.presentable.ids', 'select id from wallet_credential where user_id = $1')
const unusedCopies = sql(
  'test.presentable.unused',
  'select count(*)::int as count from wallet_credential_copy where used_at is null',
)

test('the copies of an answer have 8 MiB together at most, and none is used up beyond that', async () => {
  const thandi = await bench.person()
  const inTenant = <T>(work: (tx: TenantTx) => Promise<T>) => bench.platform.store.single(thandi.tenantId, work)
  await inTenant((tx) => tx.rows(insertMany, [thandi.tenantId, thandi.userId, 9, 1024 * 1024]))
  const made = await inTenant((tx) => tx.rows<{ id: string }>(listIds, [thandi.userId]))
  const ids = made.map(({ id }) => id)
  const take = (some: readonly string[]) =>
    inTenant((tx) => takeCopies(tx, holderOf(thandi), some, bench.platform.clock.now()))
  assert.equal((await take(ids)).length, 0)
  const [unused] = await inTenant((tx) => tx.rows<{ count: number }>(unusedCopies))
  assert.equal(unused?.count, 9)
  assert.equal((await take(ids.slice(1))).length, 8)
})

test('copies are read in parts of bounded size, each credential once, however large they are', async () => {
  const { thandi, credentialId } = await aMember(bench)
  const second = await receive(bench, thandi)
  const third = await receive(bench, thandi)
  const now = bench.platform.clock.now()
  const asked = { formats: ['vc+sd-jwt' as const], types: null, ids: null }
  const read = (part: Parameters<typeof listPresentable>[4]) =>
    bench.platform.store.single(thandi.tenantId, (tx) => listPresentable(tx, holderOf(thandi), asked, now, part))
  const all = await read({ before: null, countMax: 10, bytesMax: 1_000_000 })
  assert.deepEqual(
    all.map(({ id }) => id),
    [third, second, credentialId],
  )
  const [newest] = all
  const bytesMax = newest?.sealedRaw.length ?? 0
  const parts: string[][] = []
  for (let before: string | null = null; parts.length < 4; ) {
    const part = await read({ before, countMax: 10, bytesMax })
    parts.push(part.map(({ id }) => id))
    before = part.at(-1)?.id ?? null
    if (before === null) break
  }
  assert.deepEqual(parts, [[third], [second], [credentialId], []])
})
