import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createPublicKey, verify } from 'node:crypto'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { loadModule } from '../../packages/pkcs11/src/load-module.ts'
import { findObject } from '../../packages/pkcs11/src/objects.ts'
import { findSlot, openSession } from '../../packages/pkcs11/src/session.ts'
import { openTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { softHsm } from '../../test/support/softhsm.ts'
import type { TenantId } from '../caller.ts'
import { randomBytes } from '../crypto/random.ts'
import { findSignatureError } from '../crypto/raw-signature.ts'
import type { SigningKey } from '../crypto/signing-key.ts'
import { newId } from '../store/row-id.ts'
import { sql } from '../store/store.ts'
import { type KeyDevice, keyProviders } from './key-provider.ts'
import { softwareKeyRing } from './key-ring.ts'
import { openKeyDevice } from './open-key-device.ts'
import { sealingWith } from './sealing.ts'

const insertTenant = sql(
  'test.token_ring.tenant',
  `insert into tenant (id, slug, name, created_at, updated_at) values ($1, $2, $2, now(), now())`,
)
const listKeys = sql(
  'test.token_ring.keys',
  'select id, provider, sealed_private from signing_key where tenant_id = $1',
)
const damage = sql(
  'test.token_ring.damage',
  `update signing_key set sealed_private = set_byte(sealed_private, 20, get_byte(sealed_private, 20) # 1)
   where tenant_id = $1 and id = $2`,
)
type Row = { id: string; provider: string; sealed_private: Buffer | null }

const hsm = softHsm()
const config = { module: hsm.module, slot: { label: hsm.label }, pinFile: hsm.pinFile }
const masterKey = randomBytes(32)
let clock = new Date('2026-05-01T12:00:00.000Z')
let db: TestDatabase
let device: KeyDevice
before(async () => {
  db = await openTestDatabase()
  const opened = await openKeyDevice(config)
  assert(opened !== null)
  device = opened
})
after(async () => {
  await device.close()
  await db.close()
  hsm.close()
})

const now = () => clock
const sealing = () => sealingWith(masterKey, db.store, now)
const tokenRing = () => softwareKeyRing(db.store, sealing(), now, keyProviders(device))

async function aTenant(): Promise<TenantId> {
  const id = newId() as TenantId
  await db.store.across('test set-up', (tx) => tx.rows(insertTenant, [id, `t-${id}`]))
  return id
}

const rowsOf = (tenant: TenantId) => db.store.single(tenant, (tx) => tx.rows<Row>(listKeys, [tenant]))

async function isInToken(id: string): Promise<boolean> {
  const module = await loadModule(hsm.module)
  const handle = await openSession(module, await findSlot(module, config.slot))
  const found = await findObject({ module, handle }, 'privateKey', id)
  await module.call('C_CloseSession', handle)
  return found !== null
}

const message = Buffer.from('what is signed')
async function signsRightly(key: SigningKey): Promise<void> {
  assert.equal(findSignatureError(message, await key.sign(message), key.publicJwk, key.alg), null)
}

test('the database stores only the id and the public key of a key in a token', async () => {
  const tenant = await aTenant()
  const key = await tokenRing().current(tenant, 'credential')
  await signsRightly(key)
  const [row] = await rowsOf(tenant)
  assert(row?.sealed_private)
  assert.equal(row.provider, 'pkcs11')
  const place = { tenantId: tenant, table: 'signing_key', column: 'sealed_private', row: row.id }
  const stored = JSON.parse((await sealing().open(place, row.sealed_private)).toString())
  assert.deepEqual(stored, { id: row.id, jwk: key.publicJwk })
  assert(await isInToken(row.id))
})

for (const type of ['P-256', 'Ed25519'] as const) {
  test(`a ${type} key of the token is opened by what is stored of it, and refused once it is destroyed`, async () => {
    const { key, stored } = await device.generate(type, newId())
    await signsRightly(key)
    const again = await device.open(stored)
    assert.deepEqual([again.kid, again.alg, again.publicJwk], [key.kid, key.alg, key.publicJwk])
    await signsRightly(again)
    await device.destroy(stored)
    const failed = { code: 'key_device.failed', notes: /no private key/ }
    await assert.rejects(async () => again.sign(message), failed)
  })
}

test('an RSA key of the token is opened by what is stored of it', async () => {
  assert(device.rsa !== null)
  const { key, stored } = await device.rsa.generate(newId())
  const again = await device.rsa.open(stored)
  assert.deepEqual([again.kid, again.alg, again.publicJwk], [key.kid, 'RS256', key.publicJwk])
  const publicKey = createPublicKey({ key: key.publicJwk, format: 'jwk' })
  assert(verify('sha256', message, publicKey, await again.sign(message)))
  await device.destroy(stored)
  await assert.rejects(async () => again.sign(message), { code: 'key_device.failed' })
})

test('concurrent first uses all sign with one key, and the token keeps no other', async () => {
  const tenant = await aTenant()
  const rings = Array.from({ length: 6 }, tokenRing)
  const keys = await Promise.all(rings.map((ring) => ring.current(tenant, 'request')))
  assert.equal(new Set(keys.map(({ kid }) => kid)).size, 1)
  for (const key of keys) await signsRightly(key)
  const [row, ...more] = await rowsOf(tenant)
  assert.equal(more.length, 0)
  assert(await isInToken(row?.id ?? ''))
  await device.destroy(Buffer.from(JSON.stringify({ id: row?.id, jwk: keys[0]?.publicJwk })))
})

test('existing keys keep signing where they are after a change of provider, in both directions', async () => {
  const tenant = await aTenant()
  const software = softwareKeyRing(db.store, sealing(), now)
  const old = await software.current(tenant, 'credential')
  const leaf = await software.create(tenant, 'leaf', 'Ed25519')
  await db.store.inTenant(tenant, leaf.keep)

  const mixed = tokenRing()
  assert.equal((await mixed.current(tenant, 'credential')).kid, old.kid)
  await signsRightly(await mixed.current(tenant, 'credential'))
  await signsRightly(await mixed.byId(tenant, leaf.id))
  await mixed.rotate(tenant, 'credential')
  const rotated = await mixed.current(tenant, 'credential')
  assert.notEqual(rotated.kid, old.kid)

  // Back to software: the token still has what it made.
  const back = softwareKeyRing(db.store, sealing(), now, keyProviders(undefined, [device]))
  assert.equal((await back.current(tenant, 'credential')).kid, rotated.kid)
  await signsRightly(await back.current(tenant, 'credential'))
  await back.rotate(tenant, 'credential')
  await signsRightly(await back.current(tenant, 'credential'))
  const providers = (await rowsOf(tenant)).map(({ provider }) => provider).sort()
  assert.deepEqual(providers, ['pkcs11', 'software', 'software', 'software'])
  // Without the token its key is missed by name, not replaced in silence.
  await mixed.current(tenant, 'request')
  await assert.rejects(softwareKeyRing(db.store, sealing(), now).current(tenant, 'request'), /kept by pkcs11/)
})

test('destroying the key of a certificate removes it from the token', async () => {
  const tenant = await aTenant()
  const ring = tokenRing()
  const { id, keep } = await ring.create(tenant, 'ca', 'P-256')
  await db.store.inTenant(tenant, keep)
  await signsRightly(await ring.byId(tenant, id))
  await ring.destroy(tenant, id)
  await ring.destroy(tenant, id)
  assert(!(await isInToken(id)))
  await assert.rejects(ring.byId(tenant, id), { code: 'key.destroyed' })
})

test('a dropped key of a certificate is removed from the token', async () => {
  const { id, key, drop } = await tokenRing().create(await aTenant(), 'leaf', 'P-256')
  await signsRightly(key)
  assert(await isInToken(id))
  await drop()
  assert(!(await isInToken(id)))
})

test('all keys of a tenant that is removed are destroyed in the token, and none of another', async () => {
  const [gone, other] = [await aTenant(), await aTenant()]
  const ring = tokenRing()
  for (const tenant of [gone, other]) {
    await ring.current(tenant, 'credential')
    await ring.rotate(tenant, 'credential')
    await db.store.inTenant(tenant, (await ring.create(tenant, 'ca', 'P-256')).keep)
  }
  const ids = (await rowsOf(gone)).map(({ id }) => id)
  assert.equal(ids.length, 3)
  const lost = ids.slice(0, 1)
  await db.store.single(gone, (tx) => tx.rows(damage, [gone, ...lost]))
  assert.deepEqual(await ring.destroyAll(gone), lost)
  assert.deepEqual(await ring.destroyAll(gone), [])
  assert.deepEqual(await Promise.all(ids.map(isInToken)), [true, false, false])
  for (const { id } of await rowsOf(other)) assert(await isInToken(id))
})

test('a retired key is removed from the token at the next rotation, at least an hour later', async () => {
  const tenant = await aTenant()
  const ring = tokenRing()
  await ring.current(tenant, 'access-token')
  const first = (await rowsOf(tenant))[0]?.id ?? ''
  await ring.rotate(tenant, 'access-token')
  await ring.rotate(tenant, 'access-token')
  assert(await isInToken(first))
  clock = new Date(clock.getTime() + 3_600_001)
  await ring.rotate(tenant, 'access-token')
  assert(!(await isInToken(first)))
  assert.equal((await rowsOf(tenant)).find(({ id }) => id === first)?.sealed_private, null)
  assert.equal((await ring.published(tenant, ['access-token'])).length, 4)
})

test('another process signs with the key concurrently', async () => {
  const { key, stored } = await device.generate('P-256', newId())
  const here = new URL('./open-key-device.ts', import.meta.url).href
  const code = `
    const { openKeyDevice } = await import(${JSON.stringify(here)})
    const device = await openKeyDevice(${JSON.stringify(config)})
    const key = await device.open(Buffer.from(${JSON.stringify(stored.toString())}))
    const made = await Promise.all(Array.from({ length: 20 }, () => key.sign(Buffer.from(${JSON.stringify(message.toString())}))))
    console.log(made.map((one) => one.toString('hex')).join(' '))
    await device.close()`
  const child = promisify(execFile)(process.execPath, ['--input-type=module', '-e', code])
  const mine = Promise.all(Array.from({ length: 20 }, () => key.sign(message)))
  const theirs = (await child).stdout
    .trim()
    .split(' ')
    .map((one) => Buffer.from(one, 'hex'))
  assert.equal(theirs.length, 20)
  for (const signature of [...theirs, ...(await mine)])
    assert.equal(findSignatureError(message, signature, key.publicJwk, key.alg), null)
})
