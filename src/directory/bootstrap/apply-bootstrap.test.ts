import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { platformOn } from '../../../test/support/platform.ts'
import type { TenantId } from '../../caller.ts'
import { isSecretOf } from '../../keys/secret-hash.ts'
import { Memory } from '../../memory/memory.ts'
import { newId } from '../../store/row-id.ts'
import { sql } from '../../store/store.ts'
import type { Client } from '../clients/client.ts'
import { slowHashOf } from '../clients/client-secret.ts'
import { findClient } from '../clients/find-client.ts'
import { findTenant, findTenantOf, forgetTenants, getTenant } from '../tenants/find-tenant.ts'
import { findUser } from '../users/find-user.ts'
import { applyBootstrap } from './apply-bootstrap.ts'
import { applyChanged } from './apply-changed.ts'
import { type Bootstrap, readBootstrap } from './bootstrap-file.ts'

const clock = { now: () => new Date('2026-05-01T12:00:00.000Z') }
const memory = new Memory()
const listActions = sql('test.directory.actions', 'select action, event_type from audit_entry order by id')
const disable = sql('test.directory.disable', 'update tenant set disabled_at = $1 where slug = $2')
const secret = 'a-secret-of-at-least-32-characters'

let db: TestDatabase
before(async () => {
  db = await openTestDatabase()
})
after(() => db.close())

function aFile(change: Partial<Bootstrap['tenants'][number]> = {}): Bootstrap {
  const own = newId()
  return {
    tenants: [
      {
        slug: `t-${own}`,
        name: 'Acme College',
        clients: [{ clientId: `client-${own}`, clientSecret: secret, scopes: ['tenant:admin'] }],
        users: [{ username: 'Thandi', email: 'thandi@example.org', firstName: 'Thandi', externalIdentifier: 'EXT-1' }],
        ...change,
      },
    ],
  }
}

function apply(file: Bootstrap) {
  const { log } = platformOn({ store: db.store })
  return applyBootstrap({ store: db.store, clock, memory, log }, file)
}

function slowHash(client: Client | null): string {
  return client === null ? '' : (slowHashOf(client, clock.now()) ?? '')
}

async function tenantOf({ tenants }: Bootstrap): Promise<TenantId> {
  return (await getTenant({ store: db.store, clock, memory }, tenants[0]?.slug ?? '')).id
}

async function actionsOf(tenant: TenantId): Promise<string[]> {
  const rows = await db.store.single(tenant, (tx) => tx.rows<{ action: string }>(listActions))
  return rows.map((row) => row.action)
}

test('a file makes tenants, clients and users, and each is in the audit trail', async () => {
  const file = aFile()
  assert.deepEqual(await apply(file), { created: 3, changed: 0 })
  const tenant = await tenantOf(file)
  assert.deepEqual(await actionsOf(tenant), ['tenant.created', 'client.created', 'user.created'])
  const client = await findClient({ store: db.store }, file.tenants[0]?.clients?.[0]?.clientId ?? '')
  assert.equal(client?.tenantId, tenant)
  assert.equal(await isSecretOf(slowHash(client), secret), true)
  const user = await db.store.single(tenant, (tx) => findUser(tx, 'username', 'THANDI'))
  assert.partialDeepStrictEqual(user, {
    username: 'Thandi',
    externalIdentifier: 'EXT-1',
    enabled: true,
    lastName: null,
  })
})

test('applying a file again changes nothing', async () => {
  const file = aFile({ users: [{ username: 'zoe', password: 'long enough' }] })
  await apply(file)
  assert.deepEqual(await apply(file), { created: 0, changed: 0 })
  assert.equal((await actionsOf(await tenantOf(file))).length, 3)
})

test('the file applied last is not applied again; another secret in it, or another file, is', async () => {
  const platform = platformOn({ store: db.store })
  const [file, other] = [aFile(), aFile()]
  const [tenant] = file.tenants
  const client = { clientId: tenant?.clients?.[0]?.clientId ?? '', clientSecret: secret.toUpperCase(), scopes: [] }
  const changed = { tenants: [{ slug: '', name: '', ...tenant, clients: [client] }] }
  let applied = 0
  const start = (one: Bootstrap) =>
    applyChanged(platform, one, async () => {
      applied += 1
    })
  const outcomes = []
  for (const one of [file, file, changed, changed, other, file]) outcomes.push(await start(one))
  assert.deepEqual(outcomes, [true, false, true, false, true, true])
  assert.equal(applied, 4)
  await assert.rejects(applyChanged(platform, other, () => Promise.reject(new Error('half of it'))))
  assert.equal(await start(file), true)
  assert.equal(await applyChanged(platform, file, async () => undefined, true), true)
})

test('processes that start together make each thing once', async () => {
  const file = aFile({ users: [{ username: 'zoe', email: 'zoe@example.org', password: 'long enough' }] })
  const applied = await Promise.all([apply(file), apply(file), apply(file), apply(file)])
  assert.equal(
    applied.reduce((sum, one) => sum + one.created, 0),
    3,
  )
  assert.equal(
    applied.reduce((sum, one) => sum + one.changed, 0),
    0,
  )
  assert.equal((await actionsOf(await tenantOf(file))).length, 3)
})

test('another secret, scope, name or user in the file takes effect, and only that is recorded', async () => {
  const file = aFile()
  await apply(file)
  const [tenant] = file.tenants
  const clientId = tenant?.clients?.[0]?.clientId ?? ''
  const changed = { ...file, tenants: [{ ...tenant, slug: tenant?.slug ?? '', name: 'New name' }] }
  changed.tenants[0] = {
    ...changed.tenants[0],
    slug: tenant?.slug ?? '',
    name: 'New name',
    clients: [{ clientId, clientSecret: secret.toUpperCase(), scopes: ['users:read'] }],
    users: [{ username: 'thandi', enabled: false }],
  }
  assert.deepEqual(await apply(changed), { created: 0, changed: 3 })
  const client = await findClient({ store: db.store }, clientId)
  assert.deepEqual(client?.scopes, ['users:read'])
  assert.equal(await isSecretOf(slowHash(client), secret), false)
  assert.equal(await isSecretOf(slowHash(client), secret.toUpperCase()), true)
  const user = await db.store.single(await tenantOf(file), (tx) => findUser(tx, 'email', 'Thandi@Example.org'))
  assert.partialDeepStrictEqual(user, { enabled: false, username: 'thandi', firstName: 'Thandi' })
})

test('settings that the file names take effect, at once with a new tenant or later, and stay when it does not name them', async () => {
  const file = aFile({ settings: { issuerPolicy: 'trusted' } })
  const policy = async () => (await getTenant({ store: db.store, clock, memory }, file.tenants[0]?.slug ?? '')).settings
  assert.deepEqual(await apply(file), { created: 3, changed: 0 })
  assert.deepEqual(await policy(), { issuerPolicy: 'trusted' })
  assert.deepEqual(await apply(file), { created: 0, changed: 0 })
  const [tenant] = file.tenants
  const { settings: _, ...silent } = { slug: '', name: '', ...tenant }
  assert.deepEqual(await apply({ tenants: [silent] }), { created: 0, changed: 0 })
  assert.deepEqual(await apply({ tenants: [{ ...silent, settings: { issuerPolicy: 'any' } }] }), {
    created: 0,
    changed: 1,
  })
  assert.deepEqual(await policy(), { issuerPolicy: 'any' })
  const withFormats = (walletFormats: ('vc+sd-jwt' | 'mso_mdoc')[]) =>
    apply({ tenants: [{ ...silent, settings: { walletFormats } }] })
  assert.deepEqual(await withFormats(['vc+sd-jwt', 'mso_mdoc']), { created: 0, changed: 1 })
  assert.deepEqual(await policy(), { issuerPolicy: 'any', walletFormats: ['vc+sd-jwt', 'mso_mdoc'] })
  assert.deepEqual(await withFormats(['vc+sd-jwt']), { created: 0, changed: 1 })
  assert.deepEqual(await policy(), { issuerPolicy: 'any', walletFormats: ['vc+sd-jwt'] })
})

test('a client id of another tenant is refused, and the refusal does not name that tenant', async () => {
  const first = aFile()
  await apply(first)
  const clientId = first.tenants[0]?.clients?.[0]?.clientId ?? ''
  const second = aFile({ clients: [{ clientId, clientSecret: secret, scopes: [] }] })
  await assert.rejects(apply(second), { mistakes: ['/tenants/0/clients/0/clientId: belongs to another tenant.'] })
})

test('two users cannot have one external identifier or e-mail address; nothing of that tenant is applied', async () => {
  const file = aFile()
  await apply(file)
  const slug = file.tenants[0]?.slug ?? ''
  const clash = {
    tenants: [
      { slug, name: 'Acme College', users: [{ username: 'a' }, { username: 'b', externalIdentifier: 'EXT-1' }] },
    ],
  }
  await assert.rejects(apply(clash), {
    mistakes: ['/tenants/0/users/1: the email or the externalIdentifier belongs to another user.'],
  })
  assert.equal(await db.store.single(await tenantOf(file), (tx) => findUser(tx, 'username', 'a')), null)
})

test('the users of another tenant are invisible', async () => {
  const [one, other] = [aFile(), aFile({ users: [] })]
  await apply(one)
  await apply(other)
  const tenant = await tenantOf(other)
  for (const [key, value] of [
    ['username', 'thandi'],
    ['email', 'thandi@example.org'],
    ['externalIdentifier', 'EXT-1'],
  ] as const) {
    assert.equal(await db.store.single(tenant, (tx) => findUser(tx, key, value)), null)
  }
})

test('a disabled tenant is gone for paths, tokens and clients, and the platform itself has no path', async () => {
  const file = aFile()
  await apply(file)
  const slug = file.tenants[0]?.slug ?? ''
  const needs = { store: db.store, clock, memory }
  const id = await tenantOf(file)
  await db.store.across('test', (tx) => tx.rows(disable, [clock.now(), slug]))
  forgetTenants(needs)
  assert.equal(await findTenant(needs, slug), null)
  assert.equal(await findTenantOf(needs, id), null)
  assert.equal(await findClient(needs, file.tenants[0]?.clients?.[0]?.clientId ?? ''), null)
  assert.equal(await findTenant(needs, '_platform'), null)
  await assert.rejects(getTenant(needs, 'nobody'), { code: 'resource.unknown' })
})

test('all mistakes of a file are reported at once, by pointer and without a value', () => {
  const file = {
    tenants: [
      {
        slug: 'Not A Slug',
        name: 'x',
        clients: [
          { clientId: 'c', clientSecret: 'hunter2', scopes: ['everything'] },
          { clientId: 'd', clientSecret: { env: 'NOT_SET' }, scopes: [] },
        ],
        users: [{ username: 'u', e_mail: 'x' }],
      },
    ],
  }
  assert.throws(
    () => readBootstrap(JSON.stringify(file), {}),
    (error: Error & { mistakes?: string[] }) => {
      const places = error.mistakes?.map((one) => one.split(':')[0]).sort()
      assert.deepEqual(places, [
        '/tenants/0/clients/0/clientSecret',
        '/tenants/0/clients/0/scopes/0',
        '/tenants/0/clients/1/clientSecret',
        '/tenants/0/slug',
        '/tenants/0/users/0/e_mail',
      ])
      assert(!error.message.includes('hunter2'))
      return true
    },
  )
})

for (const [what, tenant, place] of [
  ['a client without a proof', { clients: [{ clientId: 'c', scopes: [] }] }, '/tenants/0/clients/0: clientSecret'],
  [
    'a client id in the form of a user id',
    { clients: [{ clientId: newId(), clientSecret: secret, scopes: [] }] },
    '/tenants/0/clients/0/clientId',
  ],
  ['two users of one name', { users: [{ username: 'ann' }, { username: 'Ann' }] }, '/tenants/0/users/1/username'],
  [
    'an unusable key',
    { clients: [{ clientId: 'c', jwks: { keys: [{ kty: 'oct', k: 'AAAA' }] }, scopes: [] }] },
    '/tenants/0/clients/0/jwks',
  ],
  [
    'a secret that is not an environment reference',
    { clients: [{ clientId: 'c', clientSecret: { file: '/x' }, scopes: [] }] },
    '/tenants/0/clients/0/clientSecret',
  ],
] as const) {
  test(`${what} is a mistake`, () => {
    const text = JSON.stringify({ tenants: [{ slug: 'acme', name: 'Acme', ...tenant }] })
    assert.throws(
      () => readBootstrap(text, {}),
      (error: Error) => error.message.includes(place),
    )
  })
}

test('a secret may come from the environment', () => {
  const text = JSON.stringify({
    tenants: [
      { slug: 'acme', name: 'A', clients: [{ clientId: 'c', clientSecret: { env: 'ACME_SECRET' }, scopes: [] }] },
    ],
  })
  const file = readBootstrap(text, { ACME_SECRET: secret })
  assert.equal(file.tenants[0]?.clients?.[0]?.clientSecret, secret)
})

test('the API may change a client again once the file does not declare it any more', async () => {
  const file = aFile()
  await apply(file)
  const tenant = await tenantOf(file)
  const isOfFile = sql('test.directory.is_of_file', 'select is_of_file as "isOfFile" from client where tenant_id = $1')
  const flags = () => db.store.single(tenant, (tx) => tx.rows(isOfFile, [tenant]))
  assert.deepEqual(await flags(), [{ isOfFile: true }])
  await apply({ tenants: file.tenants.map((one) => ({ ...one, clients: [] })) })
  assert.deepEqual(await flags(), [{ isOfFile: false }])
})

test('a user who was deleted is not created again while the user can be restored', async () => {
  const file = aFile()
  await apply(file)
  const tenantId = await tenantOf(file)
  const find = () => db.store.single(tenantId, (tx) => findUser(tx, 'username', 'thandi'))
  const first = await find()
  const run = (text: string) => db.store.single(tenantId, (tx) => tx.rows(sql('', text), [tenantId]))
  await run('update user_account set deleted_at = now() where tenant_id = $1')
  assert.deepEqual(await apply(file), { created: 0, changed: 0 })
  assert.equal(await find(), null)
  await run('delete from user_account where tenant_id = $1')
  assert.deepEqual(await apply(file), { created: 1, changed: 0 })
  assert.notEqual((await find())?.id, first?.id)
})
