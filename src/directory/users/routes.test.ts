import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TenantId } from '../../caller.ts'
import { newId } from '../../store/row-id.ts'
import { type Directory, openDirectory } from '../test-support/directory.ts'
import { describeCaller } from './describe-caller.ts'
import { findUser } from './find-user.ts'

let house: Directory
before(async () => {
  house = await openDirectory()
})
after(() => house.close())

const strange = 'a/b+c@d é%2F'

test('a user is found by external identifier, and the external identifier by username', async () => {
  const slug = await house.tenant([
    { username: strange, email: 'x@example.org', firstName: 'É', externalIdentifier: `E ${strange}` },
    { username: 'none' },
  ])
  const found = await house.call(slug, `/users/by-external-identifier/${encodeURIComponent(`E ${strange}`)}`)
  assert.equal(found.status, 200)
  assert.deepEqual(
    { ...found.body.data, id: '' },
    { id: '', username: strange, email: 'x@example.org', firstName: 'É', lastName: '', enabled: true, roles: [] },
  )
  const back = await house.call(slug, `/users/${encodeURIComponent(strange.toUpperCase())}/external-identifier`)
  assert.deepEqual(back.body.data, { externalIdentifier: `E ${strange}` })
  const none = await house.call(slug, '/users/none/external-identifier')
  assert.deepEqual([none.status, none.body.errors[0].code], [404, 'NO_EXTERNAL_IDENTIFIER'])
})

test('an unknown user and the user of another tenant are the same 404', async () => {
  const one = await house.tenant([{ username: 'ann', externalIdentifier: 'E1' }])
  const other = await house.tenant([])
  for (const path of [
    '/users/by-external-identifier/E1',
    '/users/ann/external-identifier',
    '/users/%00/external-identifier',
  ]) {
    const { status, body } = await house.call(other, path)
    assert.deepEqual([status, body.errors[0].code], [404, 'NOT_FOUND'])
  }
  assert.deepEqual((await house.call(other, '/users')).body.data, [])
  assert.equal((await house.call(one, '/users')).body.data.length, 1)
  assert.equal((await house.call(one, '/users/by-external-identifier/e1')).status, 404)
})

test('every look-up asks for users:read', async () => {
  const slug = await house.tenant([])
  for (const path of ['/users', '/users/by-external-identifier/x', '/users/x/external-identifier']) {
    assert.equal((await house.call(slug, path, { scopes: ['issuance:read'] })).status, 403)
    assert.equal((await house.call(slug, path, { scopes: ['tenant:admin'] })).status, path === '/users' ? 200 : 404)
  }
})

test('the list of users is filtered, searched, sorted and paged', async () => {
  const names = ['eve', 'bob', 'Dan', 'ann', 'cat']
  const slug = await house.tenant(
    names.map((username) => ({
      username,
      email: username === 'eve' ? 'eve+club@example.org' : `${username}@example.org`,
      firstName: 'Zoë',
      enabled: username !== 'bob',
    })),
  )
  const listed = async (query: string) =>
    (await house.call(slug, `/users${query}`)).body.data.map((one: { username: string }) => one.username)
  assert.deepEqual(await listed(''), ['cat', 'ann', 'Dan', 'bob', 'eve'])
  assert.deepEqual(await listed('?sort=createdAt'), names)
  assert.deepEqual(await listed('?sort=username'), ['ann', 'bob', 'cat', 'Dan', 'eve'])
  assert.deepEqual(await listed('?filter[email]=DAN@example.org'), ['Dan'])
  for (const written of ['eve+club', 'eve%2Bclub'])
    assert.deepEqual(await listed(`?filter[email]=${written}@example.org`), ['eve'])
  assert.deepEqual(await listed('?filter[username]=dan'), ['Dan'])
  assert.deepEqual(await listed('?filter[enabled]=false'), ['bob'])
  assert.deepEqual(await listed('?search[name]=ZO%C3%8B&filter[enabled]=false'), ['bob'])
  assert.deepEqual(await listed('?filter[username]=%00'), [])
  const first = await house.call(slug, '/users?sort=username&page[size]=2')
  assert.equal(first.body.data.length, 2)
  const next = new URL(first.body.links.next)
  const second = await house.call(slug, `/users${next.search}`)
  assert.deepEqual(
    second.body.data.map((one: { username: string }) => one.username),
    ['cat', 'Dan'],
  )
  const prev = new URL(second.body.links.prev)
  assert.deepEqual(await listed(prev.search), ['ann', 'bob'])
  const unknown = await house.call(slug, '/users?filter[x]=1')
  assert.deepEqual([unknown.status, unknown.body.errors[0].source.parameter], [400, 'filter[x]'])
})

test('those who have a role are listed, of their own or by a group, and nobody who has cards only', async () => {
  const slug = await house.tenant([
    { username: 'ann', roles: ['issuer'] },
    { username: 'bob' },
    { username: 'cat', roles: ['holder'] },
    { username: 'dan' },
    { username: 'eve', roles: ['owner'] },
    { username: 'fay', roles: ['auditor', 'holder'] },
  ])
  const listed = async (query: string) => {
    const { body } = await house.call(slug, `/users?filter[hasRole]=true${query}`)
    return body.data.map((one: { username: string }) => one.username)
  }
  assert.deepEqual(await listed('&sort=username'), ['ann', 'eve', 'fay'])
  const groups = { Registrars: ['verifier'], Students: [], Holders: ['holder'] }
  for (const [displayName, roles] of Object.entries(groups)) {
    const body = { displayName, roles }
    const made = await house.call(slug, '/groups', { method: 'POST', scopes: ['tenant:admin'], body })
    for (const member of displayName === 'Registrars' ? ['dan', 'eve'] : ['bob']) {
      const path = `/groups/${made.body.data.id}/members/${member}`
      assert.equal((await house.call(slug, path, { method: 'PUT', scopes: ['tenant:admin'] })).status, 204)
    }
  }
  assert.deepEqual(await listed('&sort=username'), ['ann', 'dan', 'eve', 'fay'])
  assert.deepEqual(await listed('&sort=createdAt&page[size]=2'), ['ann', 'dan'])
  assert.deepEqual(await listed('&filter[username]=bob'), [])
  assert.equal((await house.call(slug, '/users/fay', { method: 'DELETE', scopes: ['tenant:admin'] })).status, 204)
  assert.deepEqual(await listed('&sort=username'), ['ann', 'dan', 'eve'])
  assert.deepEqual(await listed('&filter[deleted]=true'), ['fay'])
})

test('a caller is described as the user, or as the client that acts for itself', async () => {
  const slug = await house.tenant([{ username: 'ann', email: 'ann@example.org', firstName: 'Ann', lastName: 'Other' }])
  const tenantId = house.tenantIdOf(slug)
  const client = house.caller(slug, ['users:read'])
  const described = await describeCaller({ store: house.store }, client)
  assert.match(described.id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  assert.deepEqual(described, { id: described.id, name: 'backend', email: '' })
  assert.deepEqual(await describeCaller({ store: house.store }, client), described)
  const namesake = { ...client, tenantId: newId() as TenantId }
  assert.notEqual((await describeCaller({ store: house.store }, namesake)).id, described.id)
  const user = await house.store.single(tenantId, (tx) => findUser(tx, 'username', 'ann'))
  assert(user !== null)
  assert.deepEqual(await describeCaller({ store: house.store }, { ...client, userId: user.id }), {
    id: user.id,
    name: 'Ann Other',
    email: 'ann@example.org',
  })
})
