// Own signers, validated like any chain: the revocation list is fetched from the address in the certificate, which is
// our own.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { certifiedIssuer } from '../issuers/certified-issuer.ts'
import { type Authority, anAuthority, aRoot, DAY_MS, leafOf, start, type Tenant } from '../test-support/authority.ts'
import { trustedAnchors } from '../trusted-entities/tenant-trust.ts'
import { activeSigner } from './active-signer.ts'

let db: TestDatabase
before(async () => {
  db = await openTestDatabase()
})
after(() => db.close())

/** Validates a credential of the first tenant that was signed `at`, for `reader`. */
async function validated({ platform, clock, tenant }: Authority, reader: Tenant, x5c: readonly string[], at: Date) {
  const anchors = await trustedAnchors(platform, reader.id)
  const about = { iss: platform.urls.issuer(tenant.slug), iat: Math.floor(at.getTime() / 3_600_000) * 3600 }
  const { findings, trusted, issuer } = await certifiedIssuer({ ...platform, tenantId: reader.id }, x5c, about, {
    anchors,
    now: clock.at,
  })
  return { trusted, issuer, codes: findings.map(({ code }) => code) }
}

test('a tenant trusts what it signed, at once and by its issuer address; another tenant does not', async () => {
  const authority = await anAuthority(db)
  const { platform, tenant } = authority
  await trustedAnchors(platform, tenant.id)
  await aRoot(authority)
  const { x5c } = await activeSigner(platform, tenant.id, 'issuer')
  const own = await validated(authority, tenant, x5c, start)
  assert.deepEqual(own, { trusted: true, issuer: platform.urls.issuer(tenant.slug), codes: [] })
  const other = await authority.anotherTenant()
  assert.equal((await validated(authority, other, x5c, start)).trusted, false)
})

test('an inactive root still vouches for what its leafs signed, an expired leaf for what it signed in its time', async () => {
  const authority = await anAuthority(db)
  const { platform, tenant, clock } = authority
  const root = await aRoot(authority)
  const { x5c } = await activeSigner(platform, tenant.id, 'issuer')
  await authority.api('POST', `/certificates/${root.id}/deactivate`)
  clock.at = new Date(start.getTime() + 500 * DAY_MS)
  assert.deepEqual((await validated(authority, tenant, x5c, start)).codes, [])
  assert.deepEqual((await validated(authority, tenant, x5c, clock.at)).codes, ['certificate.expired'])
})

test('a root of readers vouches for no credential [X5-4]', async () => {
  const authority = await anAuthority(db)
  const { platform, tenant } = authority
  await aRoot(authority, { type: 'verifierRoot' })
  const { x5c } = await activeSigner(platform, tenant.id, 'verifier')
  assert.equal((await validated(authority, tenant, x5c, start)).trusted, false)
})

test('a revoked signer is refused as soon as the list that was fetched is forgotten, and a revoked root at once [SEC-29]', async () => {
  const authority = await anAuthority(db)
  const { platform, tenant, clock } = authority
  const root = await aRoot(authority)
  const { x5c } = await activeSigner(platform, tenant.id, 'issuer')
  assert.deepEqual((await validated(authority, tenant, x5c, start)).codes, [])
  await authority.api('POST', `/certificates/${(await leafOf(authority, root.id)).id}/revoke`)
  clock.at = new Date(start.getTime() + 301_000)
  assert.deepEqual((await validated(authority, tenant, x5c, start)).codes, ['certificate.revoked'])
  const next = await activeSigner(platform, tenant.id, 'issuer')
  assert.deepEqual((await validated(authority, tenant, next.x5c, clock.at)).codes, [])
  await authority.api('POST', `/certificates/${root.id}/revoke`)
  assert.deepEqual((await validated(authority, tenant, next.x5c, clock.at)).codes, ['chain.no_anchor'])
})
