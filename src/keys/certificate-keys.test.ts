import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import type { TenantId } from '../caller.ts'
import { importPublicJwk } from '../crypto/jwk.ts'
import { randomBytes } from '../crypto/random.ts'
import { isSignedBy } from '../crypto/x509/signature.ts'
import { newId } from '../store/row-id.ts'
import { sql } from '../store/store.ts'
import { type KeyProvider, type KeyType, keyProviders, softwareKeys } from './key-provider.ts'
import { softwareKeyRing } from './key-ring.ts'
import { sealingWith } from './sealing.ts'

const insertTenant = sql(
  'test.certificate_keys.tenant',
  `insert into tenant (id, slug, name, created_at, updated_at) values ($1, $2, $2, now(), now())`,
)
const selectSealed = sql('test.certificate_keys.sealed', 'select sealed_private from signing_key where id = $1')

const masterKey = randomBytes(32)
let db: TestDatabase
let clock = new Date('2026-05-01T12:00:00.000Z')
before(async () => {
  db = await openTestDatabase()
})
after(() => db.close())

async function aTenant(): Promise<TenantId> {
  const id = newId() as TenantId
  await db.store.across('test set-up', (tx) => tx.rows(insertTenant, [id, `t-${id}`]))
  return id
}

function aRing(provider?: KeyProvider) {
  const now = () => clock
  return softwareKeyRing(db.store, sealingWith(masterKey, db.store, now), now, keyProviders(provider))
}

async function kept(tenant: TenantId, type: KeyType = 'P-256', ring = aRing()) {
  const made = await ring.create(tenant, 'leaf', type)
  await db.store.inTenant(tenant, made.keep)
  return made
}

for (const [type, algorithm] of [
  ['P-256', '1.2.840.10045.4.3.2'],
  ['Ed25519', '1.3.101.112'],
] as const) {
  test(`a ${type} key that was kept signs in every process, found by its id`, async () => {
    const tenant = await aTenant()
    const { id, key } = await kept(tenant, type)
    const found = await aRing().byId(tenant, id)
    assert.deepEqual([found.kid, found.alg], [key.kid, type === 'P-256' ? 'ES256' : 'EdDSA'])
    if (type === 'Ed25519') {
      const signature = await found.sign(Buffer.from('x'))
      assert(isSignedBy({ tbs: Buffer.from('x'), algorithm, signature }, importPublicJwk(key.publicJwk)))
    }
  })
}

test('a key that was not kept cannot be found', async () => {
  const tenant = await aTenant()
  const ring = aRing()
  const { id } = await ring.create(tenant, 'ca', 'P-256')
  await assert.rejects(ring.byId(tenant, id), { code: 'key.destroyed' })
})

test('the key of one tenant is not found by another', async () => {
  const [one, other] = [await aTenant(), await aTenant()]
  const { id } = await kept(one)
  await assert.rejects(aRing().byId(other, id), { code: 'key.destroyed' })
})

test('a destroyed key stops signing at once here, within a minute elsewhere, and its private key is erased', async () => {
  const tenant = await aTenant()
  const [here, elsewhere] = [aRing(), aRing()]
  const { id } = await kept(tenant, 'Ed25519', here)
  await elsewhere.byId(tenant, id)
  await here.destroy(tenant, id)
  await here.destroy(tenant, id)
  await assert.rejects(here.byId(tenant, id), { code: 'key.destroyed' })
  clock = new Date(clock.getTime() + 60_001)
  await assert.rejects(elsewhere.byId(tenant, id), { code: 'key.destroyed' })
  const [row] = await db.store.single(tenant, (tx) => tx.rows<{ sealed_private: Buffer | null }>(selectSealed, [id]))
  assert.equal(row?.sealed_private, null)
})

test('keys of certificates and current keys are separate', async () => {
  const tenant = await aTenant()
  const ring = aRing()
  const current = await ring.current(tenant, 'credential')
  await Promise.all([kept(tenant), kept(tenant), ring.rotate(tenant, 'credential')])
  const published = await ring.published(tenant, ['credential', 'request'])
  assert.equal(published.length, 2)
  assert(published.some(({ kid }) => kid === current.kid))
})

test('the ring seals what another provider stores, and names a provider that is missing', async () => {
  const destroyed: string[] = []
  const device: KeyProvider = {
    name: 'device',
    generate: async (type, id) => ({ ...(await softwareKeys.generate(type, id)), stored: Buffer.from('slot 7') }),
    open: async (stored) => ({ ...(await softwareKeys.generate('P-256', newId())).key, kid: stored.toString() }),
    rsa: null,
    destroy: async (stored) => void destroyed.push(stored.toString()),
  }
  const tenant = await aTenant()
  const { id } = await kept(tenant, 'P-256', aRing(device))
  assert.equal((await aRing(device).byId(tenant, id)).kid, 'slot 7')
  await assert.rejects(aRing().byId(tenant, id), /kept by device/)
  await aRing(device).destroy(tenant, id)
  assert.deepEqual(destroyed, ['slot 7'])
})
