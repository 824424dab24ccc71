import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Scope } from '../../caller.ts'
import { sql } from '../../store/store.ts'
import { type Directory, openDirectory } from '../test-support/directory.ts'
import { destroyUsers, GRACE_DAYS } from './destroy-user.ts'
import { findUser } from './find-user.ts'

let house: Directory
before(async () => {
  house = await openDirectory()
})
after(() => house.close())

const thandi = { username: 'Thandi', email: 'thandi@example.org', firstName: 'Thandi', externalIdentifier: 'EXT-1' }
const codeOf = ({ status, body }: { status: number; body: { errors: { source?: { pointer: string } }[] } }) => [
  status,
  body.errors[0]?.source?.pointer,
]
const path = (username: string) => `/users/${encodeURIComponent(username)}`

test('a user is created once: the second call returns the same user, by username or by e-mail address', async () => {
  const slug = await house.tenant()
  const post = (body: object) => house.call(slug, '/users', { method: 'POST', body })
  const made = await post(thandi)
  assert.deepEqual([made.status, made.body.meta.created, made.body.meta.externalIdentifier], [201, true, 'EXT-1'])
  for (const again of [thandi, { username: 'THANDI' }, { email: 'Thandi@Example.org' }]) {
    const { status, body } = await post(again)
    assert.deepEqual([status, body.data.id, body.meta.created], [200, made.body.data.id, false])
    assert.equal(body.data.firstName, 'Thandi')
  }
  const { body } = await post({ email: 'pieter@example.org' })
  assert.equal(body.data.username, 'pieter@example.org')
})

test('identifiers of several users, or others than those of the user, are a conflict that names the member', async () => {
  const slug = await house.tenant([thandi, { username: 'pieter', email: 'pieter@example.org' }])
  const post = (body: object) => house.call(slug, '/users', { method: 'POST', body })
  for (const [body, pointer] of [
    [{ username: 'thandi', email: 'pieter@example.org' }, '/username'],
    [{ username: 'new', email: 'pieter@example.org' }, '/email'],
    [{ username: 'thandi', externalIdentifier: 'EXT-2' }, '/username'],
    [{ email: 'thandi@example.org', externalIdentifier: 'ext-1' }, '/email'],
    [{ username: 'new', externalIdentifier: 'EXT-1' }, '/externalIdentifier'],
  ] as const) {
    assert.deepEqual(codeOf(await post(body)), [409, pointer])
  }
  assert.deepEqual(codeOf(await post({ firstName: 'Nobody' })), [400, '/username'])
})

test('concurrent calls create one user', async () => {
  const slug = await house.tenant()
  const calls = Array.from({ length: 10 }, () => house.call(slug, '/users', { method: 'POST', body: thandi }))
  const answers = await Promise.all(calls)
  assert.equal(answers.filter(({ status }) => status === 201).length, 1)
  assert.equal(new Set(answers.map(({ body }) => body.data.id)).size, 1)
})

test('a change touches the members that it names, and null clears', async () => {
  const slug = await house.tenant([thandi, { username: 'pieter', email: 'pieter@example.org' }])
  const patch = (body: object, name = 'thandi') => house.call(slug, path(name), { method: 'PATCH', body })
  const { body } = await patch({ username: 'é/ü+%@', firstName: null, enabled: false, lastName: 'Molefe' })
  assert.deepEqual(
    { ...body.data, id: '' },
    {
      id: '',
      username: 'é/ü+%@',
      email: 'thandi@example.org',
      firstName: '',
      lastName: 'Molefe',
      enabled: false,
      roles: [],
    },
  )
  assert.equal((await house.call(slug, path('É/Ü+%@'))).body.meta.externalIdentifier, 'EXT-1')
  assert.equal((await house.call(slug, path('thandi'))).status, 404)
  assert.deepEqual(codeOf(await patch({ email: 'PIETER@example.org' }, 'é/ü+%@')), [409, '/email'])
  assert.deepEqual(codeOf(await patch({ username: 'Pieter' }, 'é/ü+%@')), [409, '/username'])
  assert.equal((await patch({ email: null }, 'pieter')).body.data.email, '')
  assert.equal((await patch({}, 'pieter')).status, 200)
})

test('the external identifier is set, and is of one user only', async () => {
  const slug = await house.tenant([thandi, { username: 'pieter' }])
  const put = (externalIdentifier: string) =>
    house.call(slug, `${path('pieter')}/external-identifier`, { method: 'PUT', body: { externalIdentifier } })
  assert.deepEqual((await put('ext-1')).body.data, { externalIdentifier: 'ext-1' })
  assert.equal((await house.call(slug, '/users/by-external-identifier/ext-1')).body.data.username, 'pieter')
  assert.deepEqual(codeOf(await put('EXT-1')), [409, '/externalIdentifier'])
})

test('a caller gives only roles that it could have, and changes no user who has others', async () => {
  const slug = await house.tenant([
    { username: 'boss', email: 'boss@example.org', roles: ['owner'] },
    { username: 'second', roles: ['owner'] },
    { username: 'clerk', roles: ['user-admin'] },
  ])
  const as = (scopes: Scope[]) => (name: string, method: 'PATCH' | 'DELETE', body?: object) =>
    house.call(slug, path(name), { method, scopes, ...(body && { body }) })
  const admin = as(['users:read', 'users:write'])
  assert.equal((await admin('clerk', 'PATCH', { roles: ['user-admin', 'holder'] })).status, 200)
  const given = await admin('clerk', 'PATCH', { roles: ['user-admin', 'owner'] })
  assert.deepEqual(codeOf(given), [403, '/roles/1'])
  for (const refused of [
    await admin('boss', 'PATCH', { email: 'mine@example.org' }),
    await admin('boss', 'DELETE'),
    await house.call(slug, '/users', { method: 'POST', body: { username: 'new', roles: ['issuer'] } }),
  ]) {
    assert.equal(refused.status, 403)
  }
  const boss = await house.store.single(house.tenantIdOf(slug), (tx) => findUser(tx, 'username', 'boss'))
  assert.deepEqual([boss?.email, boss?.roles], ['boss@example.org', ['owner']])
  assert.equal((await as(['tenant:admin'])('boss', 'PATCH', { roles: ['issuer'] })).status, 200)
  assert.deepEqual(
    (await house.call(slug, '/users?filter[role]=issuer')).body.data.map((one: { username: string }) => one.username),
    ['boss'],
  )
})

test('a deleted user is found nowhere, occupies no name, and can be restored', async () => {
  const slug = await house.tenant([thandi])
  const { id } = (await house.call(slug, path('thandi'))).body.data
  assert.equal((await house.call(slug, path('thandi'), { method: 'DELETE' })).status, 204)
  for (const gone of [path('thandi'), '/users/by-external-identifier/EXT-1', `${path('thandi')}/external-identifier`]) {
    assert.equal((await house.call(slug, gone)).status, 404)
  }
  assert.deepEqual((await house.call(slug, '/users')).body.data, [])
  const deleted = await house.call(slug, '/users?filter[deleted]=true')
  assert.deepEqual([deleted.body.data.length, deleted.body.data[0].id], [1, id])
  const restore = () => house.call(slug, `/users/${id}/restore`, { method: 'POST' })
  const other = await house.call(slug, '/users', { method: 'POST', body: thandi })
  assert.equal(other.status, 201)
  assert.equal((await restore()).status, 409)
  await house.call(slug, path('thandi'), { method: 'DELETE', body: undefined })
  assert.deepEqual((await restore()).body.data.id, id)
  assert.equal((await restore()).status, 404)
})

const credential = sql(
  'test.users.credential',
  `insert into wallet_credential (tenant_id, id, user_id, status, format, vct, credential_issuer, configuration_id, issued_at, created_at, updated_at)
   values ($1, $2, $2, 'accepted', 'vc+sd-jwt', 'v', 'https://i.example', 'c', now(), now(), now())`,
)
const credentials = sql('test.users.credentials', 'select id from wallet_credential where tenant_id = $1')
const actions = sql(
  'test.users.actions',
  `select action from audit_entry where tenant_id = $1 and subject_id = $2 and action <> 'user.created' order by id`,
)

async function aHolder() {
  const slug = await house.tenant([thandi])
  const tenantId = house.tenantIdOf(slug)
  const { id } = (await house.call(slug, path('thandi'))).body.data
  await house.store.single(tenantId, (tx) => tx.rows(credential, [tenantId, id]))
  const read = async () => ({
    credentials: (await house.store.single(tenantId, (tx) => tx.rows(credentials, [tenantId]))).length,
    actions: (await house.store.single(tenantId, (tx) => tx.rows<{ action: string }>(actions, [tenantId, id]))).map(
      ({ action }) => action,
    ),
  })
  const destroy = () => destroyUsers(house.platform, new AbortController().signal)
  return { slug, id, read, destroy }
}

test('the wallet of a deleted user is destroyed when the days of grace are over, and not before', async () => {
  const { slug, read, destroy } = await aHolder()
  await house.call(slug, path('thandi'), { method: 'DELETE' })
  house.shift(GRACE_DAYS * 86_400 - 1)
  await destroy()
  assert.deepEqual(await read(), { credentials: 1, actions: ['user.deleted'] })
  house.shift(1)
  await destroy()
  await destroy()
  assert.deepEqual(await read(), { credentials: 0, actions: ['user.deleted', 'user.destroyed'] })
})

test('with purge it is destroyed at once, also after the deletion', async () => {
  for (const first of [[], [path('thandi')]]) {
    const { slug, id, read } = await aHolder()
    for (const one of first) await house.call(slug, one, { method: 'DELETE' })
    const target = first.length === 0 ? path('thandi') : `/users/${id}`
    assert.equal((await house.call(slug, `${target}?purge=true`, { method: 'DELETE' })).status, 204)
    assert.deepEqual(await read(), { credentials: 0, actions: ['user.deleted', 'user.destroyed'] })
    assert.equal((await house.call(slug, `/users/${id}/restore`, { method: 'POST' })).status, 404)
  }
})
