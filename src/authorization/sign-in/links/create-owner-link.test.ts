import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { UserId } from '../../../caller.ts'
import { findOrganisation } from '../../../directory/tenants/organisation-store.ts'
import { findRoles } from '../../../directory/users/find-roles.ts'
import { platformTenantId, sql } from '../../../store/store.ts'
import { aBrowser, aTenantWith, disableUser, type Servers, twoServers } from '../test-support/person.ts'
import { createOwnerLink, newcomerLink, ownTenant } from './create-owner-link.ts'
import { redeemWithPassword } from './redeem-link.ts'

let servers: Servers
before(async () => {
  servers = await twoServers()
})
after(() => servers.db.close())

const tokenOf = (url: string) => new URL(url).searchParams.get('token') ?? ''
const redeem = (url: string) =>
  redeemWithPassword(servers.one, { token: tokenOf(url), password: 'correct horse battery' }, aBrowser())

const removeTenants = sql('test.remove_tenants', 'delete from tenant where id <> $1')

test('a fresh server has a tenant and a link by which a newcomer becomes its owner, until there is one', async () => {
  const first = await newcomerLink(servers.one)
  assert.ok(first?.kind === 'link')
  assert.deepEqual([first.tenantSlug, first.username], ['default', 'owner'])
  const second = await newcomerLink(servers.one)
  assert.ok(second?.kind === 'link')
  assert.deepEqual(await redeem(first.url), { kind: 'invalid' }, 'the link of the start before')
  const done = await redeem(second.url)
  assert.ok(done.kind === 'signed-in')
  const { tenantId, userId } = done.session
  assert.deepEqual(await servers.one.store.single(tenantId, (tx) => findRoles(tx, userId)), ['owner'])
  assert.equal(await newcomerLink(servers.one), null)
  // No bootstrap file names the tenant, so the owner may rename it.
  const organisation = await servers.one.store.single(tenantId, findOrganisation)
  assert.deepEqual(organisation?.fileMembers, [])
})

test('a server with tenants of its own tells no newcomer a link, and names none of several', async () => {
  await servers.one.store.across('test', (tx) => tx.rows(removeTenants, [platformTenantId]))
  const { slug } = await aTenantWith(servers.one, [])
  assert.equal(await newcomerLink(servers.one), null)
  assert.equal(await ownTenant(servers.one), slug)
  await aTenantWith(servers.one, [])
  assert.equal(await ownTenant(servers.one), null)
})

test('an owner link gives the role to the user of that name, in whatever case, besides other roles', async () => {
  const { slug, tenantId, people } = await aTenantWith(servers.one, [{ username: 'Thandi', roles: ['auditor'] }])
  const outcome = await createOwnerLink(servers.one, slug, 'thandi')
  assert.ok(outcome.kind === 'link')
  assert.ok(outcome.url.startsWith('https://id.example/sign-in/link?token='))
  const done = await redeem(outcome.url)
  assert.ok(done.kind === 'signed-in')
  const userId = people[0]?.userId as UserId
  assert.equal(done.session.userId, userId)
  await createOwnerLink(servers.one, slug, 'thandi')
  const roles = await servers.one.store.single(tenantId, (tx) => findRoles(tx, userId))
  assert.deepEqual(roles?.toSorted(), ['auditor', 'owner'])
})

test('there is no owner link for an unknown tenant or a disabled user, and the user gets no role', async () => {
  const { slug, tenantId, people } = await aTenantWith(servers.one, [{ username: 'thandi' }])
  const [person] = people
  assert.ok(person)
  await disableUser(servers.one, person)
  assert.deepEqual(await createOwnerLink(servers.one, slug, 'thandi'), { kind: 'disabled' })
  assert.deepEqual(await createOwnerLink(servers.one, 'no-such-tenant'), { kind: 'unknown' })
  const roles = sql('test.roles', 'select roles from user_account where tenant_id = $1 and id = $2')
  assert.deepEqual(await servers.one.store.single(tenantId, (tx) => tx.rows(roles, [tenantId, person.userId])), [
    { roles: [] },
  ])
})
