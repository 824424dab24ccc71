import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { platformOn } from '../../../test/support/platform.ts'
import type { TenantId, UserId } from '../../caller.ts'
import { newId } from '../../store/row-id.ts'
import { sql } from '../../store/store.ts'
import { applyBootstrap } from '../bootstrap/apply-bootstrap.ts'
import { getTenant } from '../tenants/find-tenant.ts'
import { findRoles } from './find-roles.ts'
import { findUser } from './find-user.ts'

let db: TestDatabase
before(async () => {
  db = await openTestDatabase()
})
after(() => db.close())

const group = sql(
  'test.roles.group',
  `insert into user_group (tenant_id, id, display_name, display_name_folded, roles, created_at, updated_at) values ($1, $2, 'G', 'g', $3, now(), now())`,
)
const member = sql(
  'test.roles.member',
  'insert into user_group_member (tenant_id, group_id, user_id) values ($1, $2, $3)',
)

async function tenantWith(user: object): Promise<{ tenantId: TenantId; userId: UserId }> {
  const needs = platformOn({ store: db.store })
  const slug = `t-${newId()}`
  await applyBootstrap(needs, { tenants: [{ slug, name: 'Acme', users: [{ username: 'thandi', ...user }] }] })
  const { id: tenantId } = await getTenant(needs, slug)
  const found = await db.store.single(tenantId, (tx) => findUser(tx, 'username', 'thandi'))
  assert(found !== null)
  return { tenantId, userId: found.id }
}

test('the roles of a user are its own and those of its groups, each once', async () => {
  const { tenantId, userId } = await tenantWith({ roles: ['issuer'] })
  const groupId = newId()
  await db.store.inTenant(tenantId, async (tx) => {
    await tx.rows(group, [tenantId, groupId, ['auditor', 'issuer', 'no-role']])
    await tx.rows(member, [tenantId, groupId, userId])
  })
  const roles = await db.store.single(tenantId, (tx) => findRoles(tx, userId))
  assert.deepEqual(roles?.toSorted(), ['auditor', 'issuer'])
})

test('a disabled, a foreign and an unknown user have no roles at all', async () => {
  const { tenantId, userId } = await tenantWith({ roles: ['owner'], enabled: false })
  const other = await tenantWith({ roles: ['owner'] })
  const rolesOf = (id: UserId) => db.store.single(tenantId, (tx) => findRoles(tx, id))
  assert.deepEqual(await Promise.all([userId, other.userId, newId() as UserId].map(rolesOf)), [null, null, null])
})
