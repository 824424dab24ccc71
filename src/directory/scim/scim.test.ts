import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Scope } from '../../caller.ts'
import { groupSchema, userSchema } from '../../protocols/scim/schema.ts'
import { type Directory, openDirectory } from '../test-support/directory.ts'
import { scimClient } from '../test-support/scim-client.ts'

const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
const SEARCH = 'urn:ietf:params:scim:api:messages:2.0:SearchRequest'
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

let house: Directory
before(async () => {
  house = await openDirectory()
})
after(() => house.close())

const both: readonly Scope[] = ['users:read', 'users:write']
const scim = (slug: string, scopes?: readonly Scope[]) => scimClient(house, slug, scopes)

const bjensen = {
  userName: 'bjensen',
  externalId: 'E-1',
  name: { formatted: 'Ms. Barbara J Jensen', familyName: 'Jensen', givenName: 'Barbara' },
  emails: [{ value: 'bjensen@example.com', type: 'work', primary: true }],
}

test('a user is created, read, replaced and deleted, and the look-up group agrees', async () => {
  const slug = await house.tenant()
  const client = scim(slug)
  const made = await client.addUser(bjensen)
  const { id } = made.body
  assert.equal(made.status, 201)
  assert.equal(made.headers['content-type'], 'application/scim+json')
  const location = `http://localhost:8080/onboarding/scim/v2/Users/${id}`
  assert.deepEqual([made.headers.location, made.headers.etag, made.body.meta.location], [location, 'W/"1"', location])
  assert.deepEqual(
    { ...made.body, meta: made.body.meta.resourceType },
    {
      schemas: [userSchema.id],
      id,
      userName: 'bjensen',
      externalId: 'E-1',
      displayName: 'Barbara Jensen',
      active: true,
      name: { formatted: 'Barbara Jensen', familyName: 'Jensen', givenName: 'Barbara' },
      emails: [{ value: 'bjensen@example.com', type: 'work', primary: true }],
      meta: 'User',
    },
  )
  const found = await house.call(slug, '/users/by-external-identifier/E-1')
  assert.deepEqual([found.body.data.id, found.body.data.email], [id, 'bjensen@example.com'])
  const put = await client.put(`/Users/${id}`, {
    schemas: [userSchema.id],
    id: 'other',
    userName: 'BJensen',
    active: false,
  })
  assert.deepEqual(
    [put.status, put.body.userName, put.body.active, put.body.emails],
    [200, 'BJensen', false, undefined],
  )
  assert.equal((await house.call(slug, '/users/by-external-identifier/E-1')).status, 404)
  assert.equal((await client.remove(`/Users/${id}`)).status, 204)
  for (const gone of [
    await client.get(`/Users/${id}`),
    await client.remove(`/Users/${id}`),
    await client.get('/Users/x'),
  ]) {
    assert.deepEqual([gone.status, gone.body.status, gone.body.scimType], [404, '404', undefined])
  }
  assert.equal((await client.addUser(bjensen)).status, 201)
})

test('what another user has is a conflict with scimType uniqueness', async () => {
  const client = scim(await house.tenant())
  await client.addUser(bjensen)
  const second = (await client.addUser({ userName: 'second' })).body.id
  for (const refused of [
    await client.addUser({ userName: 'BJENSEN' }),
    await client.addUser({ userName: 'x', emails: [{ value: 'BJensen@example.com' }] }),
    await client.patch(`/Users/${second}`, [{ op: 'replace', path: 'userName', value: 'bjensen' }]),
    await client.put(`/Users/${second}`, { schemas: [userSchema.id], userName: 'second', externalId: 'E-1' }),
  ]) {
    assert.deepEqual([refused.status, refused.body.scimType], [409, 'uniqueness'])
  }
})

test('PATCH in the shapes of Entra ID, Okta and the RFC changes the user', async () => {
  const client = scim(await house.tenant())
  const { id } = (await client.addUser(bjensen)).body
  const patched = async (...operations: object[]) => (await client.patch(`/Users/${id}`, operations)).body
  const entra = await patched(
    { op: 'Replace', path: 'emails[type eq "work"].value', value: 'new@example.com' },
    { op: 'Add', value: { 'name.familyName': 'J', active: 'False', [`${ENTERPRISE}:department`]: 'IT' } },
  )
  assert.deepEqual([entra.emails[0].value, entra.name.familyName, entra.active], ['new@example.com', 'J', false])
  assert.equal((await patched({ op: 'replace', value: { active: true } })).active, true)
  const rfc = await patched({ op: 'remove', path: 'emails' }, { op: 'replace', path: 'displayName', value: 'Babs' })
  assert.deepEqual([rfc.emails, rfc.displayName, rfc.meta.version], [undefined, 'Babs', 'W/"4"'])
  assert.equal((await patched({ op: 'replace', path: 'displayName', value: 'Babs' })).meta.version, 'W/"4"')
})

test('a version that is no longer that of the resource is refused, and concurrent operations all count', async () => {
  const client = scim(await house.tenant())
  const { id } = (await client.addUser(bjensen)).body
  const replace = (value: string) => [{ op: 'replace', path: 'displayName', value }]
  assert.equal((await client.patch(`/Users/${id}`, replace('A'), { 'if-match': 'W/"1"' })).status, 200)
  const late = await client.patch(`/Users/${id}`, replace('B'), { 'if-match': 'W/"1"' })
  assert.deepEqual([late.status, late.body.scimType], [412, 'invalidVers'])
  const group = (await client.addGroup({ displayName: 'G', members: [{ value: id }] })).body.id
  // The groups of a user change without its version, so that a tag does not keep them from a client.
  const again = await client.get(`/Users/${id}`, { 'if-none-match': 'W/"2"' })
  assert.deepEqual([again.status, again.body.groups[0].value], [200, group])
  const users = await Promise.all(Array.from({ length: 5 }, (_, n) => client.addUser({ userName: `u${n}` })))
  const added = await Promise.all(
    users.map(({ body }) =>
      client.patch(`/Groups/${group}`, [{ op: 'add', path: 'members', value: [{ value: body.id }] }]),
    ),
  )
  assert.deepEqual(
    added.map(({ status }) => status),
    [200, 200, 200, 200, 200],
  )
  assert.equal((await client.get(`/Groups/${group}`)).body.members.length, 6)
})

test('a group gives its roles to its members, and takes them away with the membership', async () => {
  const slug = await house.tenant([{ username: 'thandi' }, { username: 'pieter' }])
  const client = scim(slug, ['tenant:admin'])
  const idOf = async (name: string) => (await house.call(slug, `/users/${name}`)).body.data.id
  const [thandi, pieter] = [await idOf('thandi'), await idOf('pieter')]
  const made = await client.addGroup({ displayName: 'Registrars', externalId: 'G-1', members: [{ value: thandi }] })
  assert.deepEqual([made.status, made.body.members[0].display], [201, 'thandi'])
  const groupId = made.body.id
  const admin = { method: 'PATCH', scopes: ['tenant:admin'], body: { roles: ['issuer'] } } as const
  assert.deepEqual((await house.call(slug, `/groups/${groupId}`, admin)).body.data.roles, ['issuer'])
  const shown = (await client.get(`/Users/${thandi}`)).body.groups
  assert.deepEqual(shown[0].display, 'Registrars')
  // Without the scopes of the role, nobody is put into the group, and nobody in it is changed.
  const lesser = scim(slug)
  const add = [{ op: 'add', path: 'members', value: [{ value: pieter }] }]
  assert.equal((await lesser.patch(`/Groups/${groupId}`, add)).status, 403)
  assert.equal(
    (await lesser.patch(`/Users/${thandi}`, [{ op: 'replace', path: 'displayName', value: 'T' }])).status,
    403,
  )
  assert.equal((await client.patch(`/Groups/${groupId}`, add)).body.members.length, 2)
  const removed = await client.patch(`/Groups/${groupId}`, [{ op: 'remove', path: `members[value eq "${thandi}"]` }])
  assert.deepEqual(
    removed.body.members.map(({ display }: { display: string }) => display),
    ['pieter'],
  )
  const named = await client.patch(`/Groups/${groupId}`, [{ op: 'replace', value: { displayName: 'R', members: [] } }])
  assert.deepEqual([named.body.displayName, named.body.members], ['R', []])
  assert.equal(
    (await client.patch(`/Groups/${groupId}`, [{ op: 'add', path: 'members', value: [{ value: 'x' }] }])).status,
    400,
  )
  assert.equal((await client.remove(`/Groups/${groupId}`)).status, 204)
})

test('a list is sorted, paged by index or by cursor, projected and searched', async () => {
  const slug = await house.tenant(
    ['d', 'b', 'a', 'c'].map((username) => ({ username, email: `${username}@example.org` })),
  )
  const client = scim(slug)
  const names = ({ body }: { body: { Resources: { userName: string }[] } }) =>
    body.Resources.map((one) => one.userName).join('')
  assert.equal(names(await client.get('/Users?sortBy=userName')), 'abcd')
  assert.equal(names(await client.get('/Users?sortBy=emails.value&sortOrder=descending')), 'dcba')
  const page = await client.get('/Users?sortBy=userName&startIndex=2&count=2')
  assert.deepEqual([names(page), page.body.totalResults, page.body.startIndex, page.body.itemsPerPage], ['bc', 4, 2, 2])
  for (const [query, expected] of [
    ['startIndex=0&count=1', 1],
    ['count=0', 0],
    ['count=-1', 0],
    ['startIndex=9', 0],
    ['count=9999', 4],
  ] as const) {
    const { body } = await client.get(`/Users?${query}`)
    assert.deepEqual([body.Resources.length, body.totalResults], [expected, 4], query)
  }
  const first = await client.get('/Users?cursor&count=3')
  assert.deepEqual([names(first), first.body.totalResults], ['dba', undefined])
  const rest = await client.get(`/Users?count=3&cursor=${first.body.nextCursor}`)
  assert.deepEqual([names(rest), rest.body.nextCursor], ['c', undefined])
  const only = await client.get('/Users?filter=userName eq "a"&attributes=emails.value,USERNAME')
  assert.deepEqual(Object.keys(only.body.Resources[0]).toSorted(), ['emails', 'id', 'schemas', 'userName'])
  assert.deepEqual(only.body.Resources[0].emails, [{ value: 'a@example.org' }])
  const without = await client.get('/Users?filter=userName eq "a"&excludedAttributes=emails,meta.version,id')
  assert.deepEqual([without.body.Resources[0].emails, without.body.Resources[0].meta.version], [undefined, undefined])
  assert.ok(without.body.Resources[0].id)
  const found = await client.post('/Users/.search', {
    schemas: [SEARCH],
    filter: 'userName sw "c"',
    attributes: ['userName'],
  })
  assert.equal(names(found), 'c')
  for (const bad of ['sortBy=groups', 'sortBy=a b', 'count=x', 'sortOrder=up', 'attributes=a..b', 'cursor=x']) {
    assert.equal((await client.get(`/Users?${bad}`)).status, 400, bad)
  }
})

test('a bulk request runs in turn, resolves what was created before, and stops after the errors that it allows', async () => {
  const slug = await house.tenant()
  const client = scim(slug)
  const bulk = (Operations: object[], more = {}) =>
    client.post('/Bulk', { schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'], ...more, Operations })
  const user = (bulkId: string, userName: string) => ({
    method: 'POST',
    path: '/Users',
    bulkId,
    data: { schemas: [userSchema.id], userName },
  })
  const { body } = await bulk([
    {
      method: 'POST',
      path: '/Groups',
      bulkId: 'g',
      data: { schemas: [groupSchema.id], displayName: 'G', members: [{ value: 'bulkId:a' }] },
    },
    user('a', 'ann'),
    user('b', 'ANN'),
    {
      method: 'PATCH',
      path: '/Users/bulkId:a',
      data: { schemas: [PATCH], Operations: [{ op: 'replace', path: 'displayName', value: 'A' }] },
    },
    {
      method: 'POST',
      path: '/Groups',
      bulkId: 'h',
      data: { schemas: [groupSchema.id], displayName: 'H', members: [{ value: 'bulkId:none' }] },
    },
  ])
  const statuses = body.Operations.map(({ status }: { status: string }) => status)
  assert.deepEqual(statuses, ['201', '201', '409', '200', '400'])
  assert.equal(body.Operations[2].response.scimType, 'uniqueness')
  const group = await client.get(new URL(body.Operations[0].location).pathname.replace('/onboarding/scim/v2', ''))
  assert.equal(group.body.members[0].display, 'ann')
  const stopped = await bulk([user('x', 'ann'), user('y', 'new')], { failOnErrors: 1 })
  assert.equal(stopped.body.Operations.length, 1)
  const circle = (bulkId: string, other: string) => ({
    method: 'POST',
    path: '/Groups',
    bulkId,
    data: { schemas: [groupSchema.id], displayName: bulkId, members: [{ value: `bulkId:${other}` }] },
  })
  const circular = await bulk([circle('c1', 'c2'), circle('c2', 'c1')])
  assert.ok(circular.body.Operations.some(({ status }: { status: string }) => status === '400'))
  const many = await bulk(Array.from({ length: 1001 }, (_, n) => user(`n${n}`, `n${n}`)))
  assert.deepEqual([many.status, many.body.scimType], [400, 'tooMany'])
  for (const bad of [
    { path: '/Users' },
    { method: 'POST', path: '/Users' },
    { method: 'GET', path: '/Users', bulkId: 'x' },
  ]) {
    assert.equal((await bulk([bad])).status, 400)
  }
})

test('discovery says what is so', async () => {
  const client = scim(await house.tenant())
  const { body } = await client.get('/ServiceProviderConfig')
  assert.deepEqual([body.patch.supported, body.bulk.maxOperations, body.filter.maxResults], [true, 1000, 200])
  assert.deepEqual(
    (await client.get('/ResourceTypes')).body.Resources.map(({ endpoint }: { endpoint: string }) => endpoint),
    ['/Users', '/Groups'],
  )
  assert.equal((await client.get('/ResourceTypes/User')).body.schema, userSchema.id)
  assert.equal((await client.get(`/Schemas/${groupSchema.id}`)).body.attributes[0].name, 'displayName')
  assert.equal((await client.get('/Schemas')).body.totalResults, 2)
  assert.equal((await client.get('/Schemas?filter=id pr')).status, 403)
  assert.equal((await client.get('/Schemas/x')).status, 404)
})

test('a provisioning token stands for its client until it is revoked or expires', async () => {
  const { slug, clientId } = await house.tenantWithClient('entra', both)
  const admin = { method: 'POST', scopes: ['tenant:admin'] } as const
  const make = async (more = {}) =>
    (await house.call(slug, '/scim-tokens', { ...admin, body: { clientId, name: 'E', ...more } })).body.data
  const { id, token } = await make()
  const get = (secret: string) => house.call(slug, '/scim/v2/Users', { headers: { authorization: `Bearer ${secret}` } })
  assert.equal((await get(token)).status, 200)
  const listed = (await house.call(slug, '/scim-tokens', { scopes: ['tenant:admin'] })).body.data
  assert.deepEqual([listed[0].id, listed[0].token, listed[0].lastUsedAt === null], [id, undefined, false])
  for (const wrong of [`${token.slice(0, -2)}AA`, 'A'.repeat(token.length)])
    assert.equal((await get(wrong)).status, 401)
  // At our own API it is no token at all.
  const elsewhere = await house.call(slug, '/users', { headers: { authorization: `Bearer ${token}` } })
  assert.equal(elsewhere.status, 403)
  const short = await make({ expiresInDays: 1 })
  house.shift(86_400)
  assert.equal((await get(short.token)).status, 401)
  const revoke = { method: 'DELETE', scopes: ['tenant:admin'] } as const
  assert.equal((await house.call(slug, `/scim-tokens/${id}`, revoke)).status, 204)
  assert.equal((await get(token)).status, 401)
  assert.equal((await house.call(slug, `/scim-tokens/${id}`, revoke)).status, 404)
  assert.equal(
    (await house.call(slug, '/scim-tokens', { ...admin, body: { clientId: 'none', name: 'E' } })).status,
    404,
  )
})

test('reading needs users:read, writing users:write; another tenant has nothing of it', async () => {
  const slug = await house.tenant([{ username: 'thandi' }])
  const other = scim(await house.tenant())
  const { id } = (await house.call(slug, '/users/thandi')).body.data
  const reader = scim(slug, ['users:read'])
  assert.equal((await reader.get(`/Users/${id}`)).status, 200)
  assert.deepEqual([(await reader.addUser(bjensen)).status, (await reader.remove(`/Users/${id}`)).status], [403, 403])
  assert.equal((await scim(slug, ['issuance:write']).get('/Users')).status, 403)
  assert.equal((await other.get(`/Users/${id}`)).status, 404)
  assert.equal((await other.patch(`/Users/${id}`, [{ op: 'replace', path: 'active', value: false }])).status, 404)
  assert.equal((await other.get('/Users')).body.totalResults, 0)
})

test('a body that is no SCIM message is refused as such', async () => {
  const client = scim(await house.tenant())
  for (const [body, scimType] of [
    [{ schemas: [groupSchema.id], userName: 'x' }, 'invalidSyntax'],
    [{ schemas: userSchema.id, userName: 'x' }, 'invalidSyntax'],
    [{}, 'invalidValue'],
    [[], 'invalidSyntax'],
    [{ schemas: [userSchema.id] }, 'invalidValue'],
    [{ schemas: [userSchema.id], userName: 7 }, 'invalidValue'],
    [{ schemas: [userSchema.id], userName: 'x'.repeat(256) }, 'invalidValue'],
    [{ schemas: [userSchema.id], userName: 'x', emails: [{ value: 'no address' }] }, 'invalidValue'],
    [{ schemas: [userSchema.id], userName: 'x', roles: [{ value: 'king' }] }, 'invalidValue'],
    [{ schemas: [userSchema.id], userName: 'x', active: 'perhaps' }, 'invalidValue'],
  ] as const) {
    const refused = await client.post('/Users', body)
    assert.deepEqual([refused.status, refused.body.scimType], [400, scimType], JSON.stringify(body))
  }
})
