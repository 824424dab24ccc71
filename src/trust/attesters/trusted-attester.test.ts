import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { platformOn } from '../../../test/support/platform.ts'
import type { Caller, TenantId } from '../../caller.ts'
import { leafExtensions, type Made, openssl, rootExtensions } from '../../crypto/x509-path/test-support/openssl.ts'
import { applyBootstrap } from '../../directory/bootstrap/apply-bootstrap.ts'
import { getTenant } from '../../directory/tenants/find-tenant.ts'
import type { Platform } from '../../platform.ts'
import { newId } from '../../store/row-id.ts'
import { createTrustedEntity, removeTrustedEntity } from '../trusted-entities/trusted-entities.ts'
import { trustedAttester } from './trusted-attester.ts'

const tool = openssl()
const years = { from: '200101000000Z', until: '491231235959Z' }
const extensions = leafExtensions.slice(0, 3)
const root = tool.make({ subject: '/C=ZA/CN=Providers', extensions: rootExtensions, ...years })
const provider = tool.make({ subject: '/C=ZA/CN=Provider', issuer: root, extensions, ...years })
const brief = { from: years.from, until: '260601000002Z' }
const expiring = tool.make({ subject: '/C=ZA/CN=Expiring', issuer: root, extensions, ...brief })
const june = Date.UTC(2026, 5, 1)

let db: TestDatabase
let platform: Platform
let now = june
before(async () => {
  db = await openTestDatabase()
  platform = platformOn({ store: db.store, clock: { now: () => new Date(now) } })
})
after(async () => {
  await db.close()
  tool.remove()
})

async function aTenant(): Promise<Caller> {
  const slug = `t-${newId()}`
  await applyBootstrap(platform, { tenants: [{ slug, name: 'Acme' }] })
  const { id: tenantId } = await getTenant(platform, slug)
  const actor = { kind: 'client', id: 'backend' } as const
  const names = { tenantId, tenantSlug: slug, actor, userId: null, clientId: 'backend', actingClientId: null }
  return { ...names, scopes: new Set(), requestId: 'r', ip: '127.0.0.1' }
}

function attesterOf(tenantId: TenantId, ...chain: readonly Made[]) {
  const x5c = chain.map(({ certificate }) => certificate.der.toString('base64'))
  return trustedAttester(platform, tenantId, { header: { x5c }, payload: {} }, new Date(now))
}

const entity = { name: 'Providers', certificates: [root.pem], purposes: ['attester'] as const }

test('a valid chain of an attester is remembered, for the tenant that trusts it, until the trust ends', async () => {
  const [caller, other] = [await aTenant(), await aTenant()]
  const { id } = await createTrustedEntity(platform, caller, { ...entity, purposes: [...entity.purposes] })
  const first = await attesterOf(caller.tenantId, provider)
  assert.deepEqual([first?.issuer, first?.isUnanchored], ['CN=Provider,C=ZA', true])
  assert.equal((await attesterOf(caller.tenantId, provider))?.key, first?.key, 'it was validated again')
  assert.equal((await attesterOf(caller.tenantId, provider, root))?.isUnanchored, false, '[X5-5]')
  assert.equal(await attesterOf(other.tenantId, provider), null)
  await removeTrustedEntity(platform, caller, id)
  assert.equal(await attesterOf(caller.tenantId, provider), null)
})

test('[SEC-27] a remembered chain ends with its certificates', async () => {
  const caller = await aTenant()
  await createTrustedEntity(platform, caller, { ...entity, purposes: [...entity.purposes] })
  assert.notEqual(await attesterOf(caller.tenantId, expiring), null)
  now += 3000
  assert.equal(await attesterOf(caller.tenantId, expiring), null)
  now = june
})
