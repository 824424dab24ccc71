import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import {
  type Authority,
  anAuthority,
  aRequest,
  aRoot,
  audit,
  DAY_MS,
  leafOf,
  list,
  start,
} from '../test-support/authority.ts'
import { activeSigner, findActiveSigner } from './active-signer.ts'
import { setActive } from './certificate-change-store.ts'
import { ensureLeaf } from './make-leaf.ts'

let db: TestDatabase
before(async () => {
  db = await openTestDatabase()
})
after(() => db.close())

function at(authority: Authority, days: number): void {
  authority.clock.at = new Date(start.getTime() + days * DAY_MS)
}

async function warnings(authority: Authority) {
  return (await audit(authority)).filter(({ action }) => action === 'certificate.expiring')
}

test('a leaf is renewed before two thirds of its life are over, and the old one stays valid for what it signed', async () => {
  const authority = await anAuthority(db)
  const { platform, tenant } = authority
  const root = await aRoot(authority)
  const first = await leafOf(authority, root.id)
  const before = await activeSigner(platform, tenant.id, 'issuer')
  at(authority, 270)
  await authority.sweep('trust.renew-leafs')
  assert.equal((await leafOf(authority, root.id)).id, first.id)
  at(authority, 275) // two thirds of 456 days are 304
  for (const _ of [1, 2]) await authority.sweep('trust.renew-leafs')
  const next = await leafOf(authority, root.id)
  assert.equal(next.status, 'active')
  const after = await activeSigner(platform, tenant.id, 'issuer')
  assert.notEqual(after.key.kid, before.key.kid)
  assert.equal(after.certificateId, next.id)
  const old = await authority.api('GET', `/certificates/${first.id}`)
  assert.equal(old.body.data.status, 'inactive')
  assert.equal((await list(authority)).length, 3)
  assert.equal((await audit(authority)).filter(({ action }) => action === 'certificate.issued').length, 2)
})

test('through all of its five years a root has a leaf that is valid, and the last one ends with it', async () => {
  const authority = await anAuthority(db)
  const root = await aRoot(authority)
  for (let day = 0; day < 5 * 365; day += 30) {
    at(authority, day)
    await authority.sweep('trust.renew-leafs')
    const signer = await activeSigner(authority.platform, authority.tenant.id, 'issuer')
    assert(signer.notBefore < authority.clock.at && signer.notAfter > authority.clock.at)
  }
  const last = await leafOf(authority, root.id)
  assert.equal(last.expiresAt, root.expiresAt)
  assert((await list(authority)).length < 12)
})

test('a root whose leaf did not come gets it from the sweep, or from the first use of the signer', async () => {
  const authority = await anAuthority(db)
  const { platform, tenant } = authority
  const root = await aRoot(authority)
  const next = await aRoot(authority)
  // As after a process that stopped between the activation and the leaf.
  const entry = {
    action: 'certificate.activated',
    subject: { kind: 'certificate', id: next.id },
    by: 'system',
  } as const
  assert(await platform.store.inTenant(tenant.id, (tx) => setActive(tx, next.id, entry, start)))
  assert.equal(await leafOf(authority, next.id), undefined)
  await authority.sweep('trust.renew-leafs')
  assert.equal((await leafOf(authority, next.id)).status, 'active')
  assert.equal(await ensureLeaf(platform, tenant.id, root.id), false)
})

test('when the public URL changed the leafs are reissued for it, an hour after the last one at the earliest', async () => {
  const before = await anAuthority(db)
  const root = await aRoot(before)
  await aRoot(before, { type: 'verifierRoot' })
  const settings = { publicUrl: 'https://moved.example' }
  const moved = await anAuthority(db, { known: before.tenant, settings })
  await moved.sweep('trust.renew-leafs')
  assert.equal((await list(moved)).length, 4)
  moved.clock.at = new Date(start.getTime() + 3_601_000)
  for (const _ of [1, 2]) await moved.sweep('trust.renew-leafs')
  assert.equal((await list(moved)).length, 6)
  const { leaf } = await activeSigner(moved.platform, moved.tenant.id, 'issuer')
  assert.deepEqual(leaf.extensions.subjectAltName.uris, [moved.platform.urls.issuer(moved.tenant.slug)])
  assert.deepEqual(
    (await activeSigner(moved.platform, moved.tenant.id, 'verifier')).leaf.extensions.subjectAltName.dns,
    ['moved.example'],
  )
  const old = (await list(moved)).find((one: { parentCertificateId: string }) => one.parentCertificateId === root.id)
  assert.equal(old.status, 'inactive')
})

test('the end of what signs is announced 90, 30, 7 days and a day ahead, once each, as an event', async () => {
  const authority = await anAuthority(db)
  const root = await aRoot(authority)
  await aRoot(authority)
  const end = (Date.parse(root.expiresAt) - start.getTime()) / DAY_MS
  const said: number[] = []
  for (const left of [91, 89, 60, 29, 10, 6, 3, 0.9, 0.1, -1]) {
    at(authority, end - left)
    for (const _ of [1, 2]) await authority.sweep('trust.warn-before-end')
    said.push((await warnings(authority)).length)
  }
  assert.deepEqual(said, [0, 1, 1, 2, 2, 3, 3, 4, 4, 4])
  const [first] = await warnings(authority)
  assert.deepEqual(
    [first?.subject_id, first?.event_type, first?.detail],
    [root.id, 'certificate.expiring', { withinDays: 90 }],
  )
})

test('a late sweep warns once', async () => {
  const authority = await anAuthority(db)
  const root = await aRoot(authority)
  at(authority, (Date.parse(root.expiresAt) - start.getTime()) / DAY_MS - 5)
  await authority.sweep('trust.warn-before-end')
  assert.deepEqual(
    (await warnings(authority)).map(({ detail }) => detail),
    [{ withinDays: 7 }],
  )
})

test('of many roots that are created at once one is active, and of many that are activated at once one stays', async () => {
  const authority = await anAuthority(db)
  const elsewhere = await anAuthority(db, { known: authority.tenant })
  const sides = [authority, elsewhere, authority, elsewhere, authority, elsewhere]
  const roots = await Promise.all(sides.map((side) => aRoot(side)))
  const statuses = roots.map(({ status }) => status).sort()
  assert.deepEqual(statuses, ['active', ...Array(5).fill('pendingActivation')])
  assert.equal((await list(authority)).length, 7)
  const replies = await Promise.all(
    roots.map((root, index) => sides[index]?.api('POST', `/certificates/${root.id}/activate`)),
  )
  for (const reply of replies) assert.equal(reply?.status, 200, JSON.stringify(reply?.body))
  const now = await list(authority)
  const active = now.filter((one: { status: string }) => one.status === 'active')
  assert.deepEqual(
    active.map(({ type }: { type: string }) => type),
    ['issuerRoot', 'issuerSignCredential'],
  )
  assert.equal(active[1].parentCertificateId, active[0].id)
  const signers = await Promise.all(
    [authority, elsewhere].map(async (side) => {
      side.clock.at = new Date(start.getTime() + 6_000)
      return (await activeSigner(side.platform, side.tenant.id, 'issuer')).certificateId
    }),
  )
  assert.deepEqual(signers, [active[1].id, active[1].id])
})

test('a root that is revoked while it signs, renews and is activated ends revoked, with nothing of it left to sign', async () => {
  const authority = await anAuthority(db)
  const elsewhere = await anAuthority(db, { known: authority.tenant })
  for (let round = 0; round < 3; round += 1) {
    const root = await aRoot(authority)
    const csr = await aRequest(authority, { keyType: 'Ed25519' })
    const leaf = await leafOf(authority, root.id)
    const path = `/certificates/${root.id}`
    await Promise.all([
      elsewhere.api('POST', `/certificates/${leaf.id}/revoke`),
      elsewhere.api('POST', `${path}/sign`, { csrId: csr.id }),
      authority.api('POST', `${path}/revoke`),
      elsewhere.api('POST', `${path}/activate`),
      authority.api('POST', `${path}/deactivate`),
    ])
    const below = (await list(authority)).filter((one: { id: string; parentCertificateId: string }) =>
      [one.id, one.parentCertificateId].includes(root.id),
    )
    assert(below.length >= 2)
    for (const { status } of below) assert.equal(status, 'revoked')
  }
  authority.clock.at = new Date(start.getTime() + 6_000)
  assert.equal(await findActiveSigner(authority.platform, authority.tenant.id, 'issuer'), null)
})
