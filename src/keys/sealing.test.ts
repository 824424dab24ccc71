import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import type { TenantId } from '../caller.ts'
import { platformTenantId, sql } from '../store/store.ts'
import { softwareKeyRing } from './key-ring.ts'
import { sealingWith } from './sealing.ts'

const tenantId = '00000000-0000-7000-8000-0000000000aa' as TenantId
const place = { tenantId, table: 'issuance', column: 'claims', row: 'r1' }
const noon = new Date('2026-01-01T12:00:00Z')
const insertTenant = sql(
  'test.sealing_tenant',
  `insert into tenant (id, slug, name, created_at, updated_at) values ($1, 'acme', 'Acme', $2, $2)`,
)
const listPrivate = sql('test.sealed_private', 'select sealed_private from signing_key')

let db: TestDatabase
before(async () => {
  db = await openTestDatabase()
  await db.store.across('test set-up', (tx) => tx.rows(insertTenant, [tenantId, noon]))
})
after(() => db.close())

function sealing(fill = 1) {
  return sealingWith(Buffer.alloc(32, fill), db.store, () => noon)
}

test('a process opens what another one sealed with the same master key', async () => {
  const sealed = await sealing().seal(place, 'Thandi')
  assert.equal((await sealing().open(place, sealed)).toString(), 'Thandi')
  assert(!sealed.includes('Thandi'))
})

for (const [what, moved] of [
  ['row', { row: 'r2' }],
  ['column', { column: 'other' }],
  ['table', { table: 'other' }],
  ['tenant', { tenantId: platformTenantId }],
] as const) {
  test(`a sealed value does not open in another ${what}`, async () => {
    const one = sealing()
    const sealed = await one.seal(place, 'Thandi')
    await assert.rejects(one.open({ ...place, ...moved }, sealed))
  })
}

test('a changed byte, another version or another master key is refused', async () => {
  const sealed = await sealing().seal(place, 'Thandi')
  for (const at of [0, 1, 20, sealed.length - 1]) {
    const changed = Buffer.from(sealed)
    changed[at] = (changed[at] ?? 0) ^ 1
    await assert.rejects(sealing().open(place, changed), `byte ${at}`)
  }
  await assert.rejects(sealing(2).open(place, sealed))
})

test('the same value is sealed differently each time', async () => {
  const one = sealing()
  assert.notDeepEqual(await one.seal(place, 'x'), await one.seal(place, 'x'))
})

test('subkeys differ by purpose and tenant, and stay the same', async () => {
  const one = sealing()
  const a = await one.derive(tenantId, 'offer-code')
  assert.deepEqual(await sealing().derive(tenantId, 'offer-code'), a)
  assert.notDeepEqual(await one.derive(tenantId, 'c-nonce'), a)
  assert.notDeepEqual(await one.derive(platformTenantId, 'offer-code'), a)
})

test('processes that concurrently need the first key agree on one, and its private key is sealed', async () => {
  const rings = Array.from({ length: 8 }, () => softwareKeyRing(db.store, sealing(), () => noon))
  const keys = await Promise.all(rings.map((ring) => ring.current(tenantId, 'credential')))
  assert.equal(new Set(keys.map((key) => key.kid)).size, 1)
  const rows = await db.store.single(tenantId, (tx) => tx.rows<{ sealed_private: Buffer }>(listPrivate))
  assert.equal(rows.length, 1)
  await sealing()
    .open({ ...place, table: 'signing_key' }, rows[0]?.sealed_private ?? Buffer.alloc(0))
    .then(
      () => assert.fail('opened in the wrong place'),
      () => undefined,
    )
})

test('after a rotation the old key stays published and the new one signs, also for another process a minute later', async () => {
  let now = noon
  const [one, two] = [0, 1].map(() => softwareKeyRing(db.store, sealing(), () => now))
  if (one === undefined || two === undefined) throw new Error('two rings')
  const before = await one.current(tenantId, 'request')
  assert.equal((await two.current(tenantId, 'request')).kid, before.kid)
  await Promise.all([one.rotate(tenantId, 'request'), one.rotate(tenantId, 'request')])
  const afterwards = await one.current(tenantId, 'request')
  assert.notEqual(afterwards.kid, before.kid)
  now = new Date(noon.getTime() + 61_000)
  assert.equal((await two.current(tenantId, 'request')).kid, afterwards.kid)
  const kids = (await two.published(tenantId, ['request'])).map((key) => key.kid)
  assert(kids.includes(before.kid) && kids.includes(afterwards.kid))
})

test('a data key that the previous master key sealed is opened, and sealed under the new one', async () => {
  const renewed = () => sealingWith(Buffer.alloc(32, 2), db.store, () => noon, undefined, Buffer.alloc(32, 1))
  const sealed = await sealing().seal(place, 'Thandi')
  await assert.rejects(sealing(2).open(place, sealed), /MASTER_KEY is not the key/)
  // Two processes at once: one of them wraps the key again, both open.
  const opened = await Promise.all([renewed().open(place, sealed), renewed().open(place, sealed)])
  assert.deepEqual(opened.map(String), ['Thandi', 'Thandi'])
  assert.equal((await sealing(2).open(place, sealed)).toString(), 'Thandi')
  await assert.rejects(sealing(1).open(place, sealed), /MASTER_KEY is not the key/)
})

test('a recovery ends what the keys for short-lived values have made, and no other derived key', async () => {
  const after = (restoredAt: Date | null) =>
    sealingWith(Buffer.alloc(32, 2), db.store, () => noon, undefined, null, restoredAt)
  const [never, once, again] = [null, noon, new Date(noon.getTime() + 1)].map(after)
  assert(never !== undefined && once !== undefined && again !== undefined)
  const short = await Promise.all([never, once, again].map((one) => one.deriveShortLived(tenantId, 'c-nonce')))
  assert.equal(new Set(short.map((key) => key.toString('hex'))).size, 3)
  assert.deepEqual(await after(noon).deriveShortLived(tenantId, 'c-nonce'), short[1])
  assert.deepEqual(await once.derive(tenantId, 'offer'), await never.derive(tenantId, 'offer'))
})
