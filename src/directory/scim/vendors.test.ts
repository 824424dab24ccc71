// Requests as identity systems send them, after their documentation and the reports of their users.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Scope } from '../../caller.ts'
import { type Directory, openDirectory } from '../test-support/directory.ts'
import { scimClient } from '../test-support/scim-client.ts'

const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
const USER = 'urn:ietf:params:scim:schemas:core:2.0:User'
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

let house: Directory
before(async () => {
  house = await openDirectory()
})
after(() => house.close())

const scopes: readonly Scope[] = ['users:read', 'users:write', 'issuance:read', 'issuance:write', 'trust:read']
const aClient = async () => scimClient(house, await house.tenant(), [...scopes, 'tenant:admin'])

test('Okta renames a group and sends its id with the name; another id is refused', async () => {
  const client = await aClient()
  const { id } = (await client.addGroup({ displayName: 'Registry' })).body
  const rename = (sent: string) =>
    client.patch(`/Groups/${id}`, [{ op: 'replace', value: { id: sent, displayName: 'Registry staff' } }])
  const renamed = await rename(id)
  assert.deepEqual([renamed.status, renamed.body.displayName], [200, 'Registry staff'])
  const other = await rename('01890000-0000-7000-8000-000000000000')
  assert.deepEqual([other.status, other.body.scimType], [400, 'mutability'])
})

test('a user is patched with the members that the server sets, as long as they are what they are', async () => {
  const client = await aClient()
  const { body: user } = await client.addUser({ userName: 'ayanda' })
  const echoed = { id: user.id, meta: { resourceType: 'User', created: user.meta.created }, displayName: 'Ayanda' }
  const patched = await client.patch(`/Users/${user.id}`, [{ op: 'replace', value: echoed }])
  assert.deepEqual([patched.status, patched.body.displayName], [200, 'Ayanda'])
})

// goauthentik/authentik, tests of providers/scim.
test('authentik: a user is made, found again after a conflict, replaced, and leaves a group', async () => {
  const client = await aClient()
  const user = (formatted: string) => ({
    schemas: [USER],
    active: true,
    emails: [{ primary: true, type: 'other', value: 'lindiwe@example.org' }],
    externalId: '6f0c',
    name: { familyName: 'Dube', formatted, givenName: 'Lindiwe' },
    displayName: formatted,
    userName: 'lindiwe',
  })
  assert.equal((await client.get('/ServiceProviderConfig')).body.patch.supported, true)
  const { status, body: made } = await client.post('/Users', user('Lindiwe Dube'))
  assert.deepEqual([status, made.externalId, made.emails[0].value], [201, '6f0c', 'lindiwe@example.org'])
  assert.equal((await client.post('/Users', { ...user('Lindiwe Dube'), externalId: 'other' })).status, 409)
  const found = await client.get(`/Users?filter=${encodeURIComponent('userName eq "lindiwe"')}`)
  assert.deepEqual([found.body.totalResults, found.body.Resources[0].id], [1, made.id])
  const put = await client.put(`/Users/${made.id}`, { ...user('Lindiwe Khumalo'), id: made.id })
  assert.deepEqual([put.status, put.body.displayName], [200, 'Lindiwe Khumalo'])
  const { body: group } = await client.addGroup({ externalId: '77', displayName: 'Registry' })
  const members = `/Groups/${group.id}`
  const added = await client.patch(members, [{ op: 'add', path: 'members', value: [{ value: made.id }] }])
  assert.ok(added.status < 300, JSON.stringify(added.body))
  const ids = async () => ((await client.get(members)).body.members ?? []).map((one: { value: string }) => one.value)
  assert.deepEqual(await ids(), [made.id])
  await client.patch(members, [{ op: 'remove', path: `members[value eq "${made.id}"]` }])
  assert.deepEqual(await ids(), [])
  assert.equal((await client.remove(`/Users/${made.id}`)).status, 204)
})

// Captain-P-Goldfish/scim-for-keycloak, issue 126.
test('Keycloak: a whole user with attributes that are not kept is put', async () => {
  const client = await aClient()
  const { body: made } = await client.addUser({ userName: 'sipho' })
  const put = await client.put(`/Users/${made.id}`, {
    schemas: [USER],
    locale: 'en_us',
    emails: [{ primary: true, value: 'sipho@example.org' }],
    name: { givenName: 'Sipho', familyName: 'Nkosi' },
    timezone: 'Africa/Johannesburg',
    [ENTERPRISE]: { division: 'executive', organization: 'Example', department: 'management' },
    title: 'Registrar',
    externalId: 'c2lwaG8',
    userName: 'sipho',
    active: true,
  })
  assert.deepEqual([put.status, put.body.externalId, put.body.name.familyName], [200, 'c2lwaG8', 'Nkosi'])
})

const OF_ONELOGIN = ['urn:scim:schemas:core:2.0', 'urn:scim:schemas:extension:enterprise:2.0']

/** Adds a user to a group, and removes it with the operation that the identity system sends. */
async function joinAndLeave(client: Awaited<ReturnType<typeof aClient>>, group: string, user: string, leave: object) {
  const value = [{ value: user }]
  for (const [operation, expected] of [
    [{ op: 'add', path: 'members', value }, value],
    [leave, []],
  ] as const) {
    const { status, body } = await client.patch(`/Groups/${group}`, [operation])
    const members = (body.members ?? []).map((one: { value: string }) => ({ value: one.value }))
    assert.deepEqual([status, members], [200, expected], JSON.stringify(body))
  }
}

// goauthentik/authentik, issue 11249, has the log of a server that OneLogin writes to. That emails may be one object,
// and how users are deactivated, is in the sources and guides of other servers.
test('OneLogin: a user is made, found, replaced, deactivated and made a member', async () => {
  const client = await aClient()
  const user = (familyName: string) => ({
    schemas: OF_ONELOGIN,
    userName: 'onelogin-test-user01',
    name: { familyName, givenName: 'AAA Test', formatted: `AAA Test ${familyName}` },
    emails: [{ value: 'onelogin01@example.org', type: 'work', primary: true }],
    phoneNumbers: [{ value: '', type: 'work' }],
    externalId: '215763417',
    'urn:scim:schemas:extension:enterprise:2.0': { department: 'Registry', manager: {} },
    active: true,
  })
  assert.equal((await client.get('/ServiceProviderConfig')).status, 200)
  const none = await client.get('/Users?filter=userName+eq+%22onelogin-test-user01%22&')
  assert.deepEqual([none.status, none.body.totalResults], [200, 0])
  const made = await client.post('/Users', user('User 01'))
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const { id } = made.body
  const found = await client.get('/Users?filter=userName+eq+%22onelogin-test-user01%22&')
  assert.deepEqual([found.body.totalResults, found.body.Resources[0].id], [1, id])
  const put = await client.put(`/Users/${id}?`, user(' User 02'))
  assert.deepEqual(
    [put.status, put.body.externalId, put.body.active],
    [200, '215763417', true],
    JSON.stringify(put.body),
  )
  const one = await client.put(`/Users/${id}?`, { ...user('User 02'), emails: { value: 'onelogin02@example.org' } })
  assert.deepEqual([one.status, one.body.emails?.[0]?.value], [200, 'onelogin02@example.org'])
  const off = await client.patch(`/Users/${id}?`, [{ op: 'replace', path: 'active', value: false }])
  assert.deepEqual([off.status, off.body.active], [200, false])
  const { status, body: group } = await client.post('/Groups', { schemas: OF_ONELOGIN, displayName: 'Registry' })
  assert.equal(status, 201, JSON.stringify(group))
  await joinAndLeave(client, `${group.id}?`, id, { op: 'remove', path: `members[value eq "${id}"]` })
})

// Paul-E/scim-v2-rust, src/test_data/jumpcloud_*.json. JumpCloud's article on custom SCIM: it first creates and deletes
// a user and a group of its own.
test('JumpCloud: a user is made, changed a member at a time, and a group is left by a value', async () => {
  const client = await aClient()
  assert.equal((await client.get('/Users?count=1&startIndex=1')).status, 200)
  const user = {
    schemas: [USER, ENTERPRISE],
    userName: 'jcloud',
    displayName: 'Jo Cloud',
    name: { givenName: 'Jo', familyName: 'Cloud', middleName: '', formatted: 'Jo Cloud' },
    emails: [{ value: 'jcloud@example.org', type: 'work', primary: true }],
    phoneNumbers: [],
    addresses: [],
    title: '',
    active: true,
    [ENTERPRISE]: { department: '', costCenter: '', employeeNumber: '' },
  }
  const { status, body: made } = await client.post('/Users', user)
  assert.deepEqual([status, made.active], [201, true], JSON.stringify(made))
  const replace = (path: string, value: unknown) => ({ op: 'replace', path, value })
  const patched = await client.patch(`/Users/${made.id}`, [
    replace('name.givenName', 'John'),
    replace('name.familyName', 'Doe'),
    replace('active', false),
  ])
  const { name, active } = patched.body
  assert.deepEqual([patched.status, name?.givenName, name?.familyName, active], [200, 'John', 'Doe', false])
  const put = await client.put(`/Users/${made.id}`, { ...user, id: made.id, active: true })
  assert.deepEqual([put.status, put.body.active, put.body.name.givenName], [200, true, 'Jo'])
  const { body: group } = await client.addGroup({ displayName: 'Desk', members: [] })
  await joinAndLeave(client, group.id, made.id, { op: 'remove', path: 'members', value: [{ value: made.id }] })
  assert.equal((await client.remove(`/Groups/${group.id}`)).status, 204)
  assert.equal((await client.remove(`/Users/${made.id}`)).status, 204)
})

// docs.pingidentity.com/integrations/scim: users are found by userName or emails, and replaced; groups are found among
// all, and patched.
test('PingFederate and PingOne: a user is found by the address, replaced and disabled, a group among all', async () => {
  const client = await aClient()
  const user = {
    schemas: [USER, ENTERPRISE],
    userName: 'ping',
    externalId: 'b1946ac9',
    name: { givenName: 'Pi', familyName: 'Ng', honorificPrefix: 'Dr' },
    emails: [{ type: 'work', primary: true, value: 'ping@example.org' }],
    addresses: [{ type: 'work', country: 'ZA', primary: true }],
    [ENTERPRISE]: { department: 'Registry', manager: { value: '26118915' } },
    active: true,
  }
  const { status, body: made } = await client.post('/Users', user)
  assert.equal(status, 201, JSON.stringify(made))
  for (const filter of ['userName eq "ping"', 'emails eq "ping@example.org"', 'emails.value eq "ping@example.org"']) {
    const found = await client.get(`/Users?filter=${encodeURIComponent(filter)}`)
    assert.deepEqual([found.status, found.body.Resources?.[0]?.id], [200, made.id], filter)
  }
  const put = await client.put(`/Users/${made.id}`, { ...user, id: made.id, active: false })
  assert.deepEqual([put.status, put.body.active], [200, false])
  const again = await client.put(`/Users/${made.id}`, { ...user, id: made.id })
  assert.deepEqual([again.status, again.body.active], [200, true])
  const { body: group } = await client.addGroup({ displayName: 'Registry/Exams' })
  const { body: all } = await client.get('/Groups?startIndex=1&count=100')
  assert.deepEqual(
    all.Resources.map((one: { id: string; displayName: string }) => [one.id, one.displayName]),
    [[group.id, 'Registry/Exams']],
  )
  await joinAndLeave(client, group.id, made.id, { op: 'remove', path: `members[value eq "${made.id}"]` })
  const renamed = await client.patch(`/Groups/${group.id}`, [{ op: 'replace', path: 'displayName', value: 'Exams' }])
  assert.deepEqual([renamed.status, renamed.body.displayName], [200, 'Exams'])
})

test('a user and a group that were read are put back as they are', async () => {
  const client = await aClient()
  const { id: userId } = (await client.addUser({ userName: 'naledi', active: true })).body
  const members = [{ value: userId }]
  const { id: groupId } = (await client.addGroup({ displayName: 'Registry', members })).body
  for (const path of [`/Users/${userId}`, `/Groups/${groupId}`]) {
    const { body: read } = await client.get(path)
    const put = await client.put(path, read)
    assert.deepEqual([put.status, put.body.id], [200, read.id], path)
    const { meta: before, ...same } = read
    const { meta: after, ...kept } = (await client.get(path)).body
    assert.deepEqual(kept, same)
    assert.equal(after.created, before.created)
  }
})

test('provisioning takes the last owner from no organisation', async () => {
  const slug = await house.tenant([{ username: 'ada', roles: ['owner'] }])
  const client = scimClient(house, slug, [...scopes, 'tenant:admin'])
  const { Resources } = (await client.get('/Users')).body
  const [{ id, ...ada }] = Resources
  const path = `/Users/${id}`
  for (const [what, refused] of [
    ['PATCH', await client.patch(path, [{ op: 'replace', path: 'active', value: false }])],
    ['PATCH of roles', await client.patch(path, [{ op: 'remove', path: 'roles' }])],
    ['PUT', await client.put(path, { ...ada, active: false })],
    ['DELETE', await client.remove(path)],
  ] as const) {
    assert.equal(refused.status, 409, `${what} ${JSON.stringify(refused.body)}`)
  }
  const { active, roles } = (await client.get(path)).body
  assert.deepEqual([active, roles.map(({ value }: { value: string }) => value)], [true, ['owner']])
})

for (const filter of [
  'emails[type eq "work"].value eq "lerato@contoso.example"',
  'emails[type eq "work" and value eq "lerato@contoso.example"]',
  'active eq true and emails[type eq "work"].value eq "LERATO@contoso.example"',
]) {
  test(`Entra ID finds a user by ${filter}`, async () => {
    const client = await aClient()
    await client.addUser({ userName: 'lerato', emails: [{ value: 'lerato@contoso.example', type: 'work' }] })
    await client.addUser({ userName: 'other', emails: [{ value: 'other@contoso.example', type: 'work' }] })
    const found = await client.get(`/Users?filter=${encodeURIComponent(filter)}`)
    assert.deepEqual(
      [found.status, found.body.Resources?.map((one: { userName: string }) => one.userName)],
      [200, ['lerato']],
    )
  })
}

for (const rest of ['emails[type eq "work"].', 'emails[type eq "work"].value', 'emails[type eq "work"] eq "x"']) {
  test(`the filter ${rest} stays invalid`, async () => {
    const found = await (await aClient()).get(`/Users?filter=${encodeURIComponent(rest)}`)
    assert.deepEqual([found.status, found.body.scimType], [400, 'invalidFilter'])
  })
}

for (const op of ['Add', 'Replace']) {
  test(`Entra ID: ${op} of the whole enterprise extension, and of its members, is accepted and not kept`, async () => {
    const client = await aClient()
    const { id } = (await client.addUser({ userName: 'sipho' })).body
    for (const operation of [
      { op, path: ENTERPRISE, value: { department: 'Exams', costCenter: 'C1' } },
      { op, path: `${ENTERPRISE}:department`, value: 'Exams' },
      { op, value: { [`${ENTERPRISE}:department`]: 'Exams', [ENTERPRISE]: { costCenter: 'C1' } } },
    ]) {
      const patched = await client.patch(`/Users/${id}`, [operation, { op, path: 'displayName', value: 'Sipho' }])
      assert.deepEqual([patched.status, patched.body.displayName], [200, 'Sipho'])
    }
  })
}

test('Entra ID: the role of a single assignment is added, replaced by the same path, and removed', async () => {
  const client = await aClient()
  const { id } = (await client.addUser({ userName: 'zola' })).body
  const path = 'roles[primary eq "True"].value'
  const rolesAfter = async (op: string, value?: string) => {
    const { status, body } = await client.patch(`/Users/${id}`, [{ op, path, ...(value !== undefined && { value }) }])
    assert.equal(status, 200, JSON.stringify(body))
    return (body.roles ?? []).map((one: { value: string }) => one.value)
  }
  assert.deepEqual(await rolesAfter('Add', 'issuer'), ['issuer'])
  assert.deepEqual(await rolesAfter('Replace', 'verifier'), ['verifier'])
  assert.deepEqual(await rolesAfter('Replace', 'issuer'), ['issuer'])
  assert.deepEqual(await rolesAfter('Remove'), [])
})

test('Entra ID: assignments of application roles are the JSON texts of objects', async () => {
  const client = await aClient()
  const { id } = (await client.addUser({ userName: 'naledi' })).body
  const assigned = JSON.stringify({ id: 'c1', value: 'issuer', displayName: 'Issuer' })
  const patched = await client.patch(`/Users/${id}`, [{ op: 'Add', path: 'roles', value: [{ value: assigned }] }])
  assert.deepEqual(
    patched.body.roles.map((one: { value: string }) => one.value),
    ['issuer'],
  )
  const unknown = await client.patch(`/Users/${id}`, [{ op: 'Add', path: 'roles', value: [{ value: '{"value":' }] }])
  assert.deepEqual([unknown.status, unknown.body.scimType], [400, 'invalidValue'])
})

test('null is an attribute without a value, in a resource and in a PATCH', async () => {
  const client = await aClient()
  const nothing = { name: null, emails: null, externalId: null, displayName: null }
  const { status, body: user } = await client.addUser({ userName: 'themba', ...nothing })
  assert.equal(status, 201, JSON.stringify(user))
  const members = [{ value: user.id }]
  const { id } = (await client.addGroup({ displayName: 'Exams', members, externalId: null })).body
  const renamed = await client.patch(`/Groups/${id}`, [{ op: 'replace', path: null, value: { displayName: 'E' } }])
  assert.deepEqual([renamed.status, renamed.body.displayName, renamed.body.members.length], [200, 'E', 1])
  const emptied = await client.patch(`/Groups/${id}`, [{ op: 'remove', path: 'members', value: null }])
  assert.deepEqual([emptied.status, emptied.body.members], [200, []])
})

test('members of a group are named without a path in any case, and qualified', async () => {
  const client = await aClient()
  const ids = await Promise.all(['ann', 'ben'].map(async (userName) => (await client.addUser({ userName })).body.id))
  const [ann, ben] = ids
  const { id } = (await client.addGroup({ displayName: 'Desk' })).body
  const qualified = 'urn:ietf:params:scim:schemas:core:2.0:Group:members'
  const value = { Members: [{ value: ann }], [qualified]: [{ value: ben }], displayName: 'Front desk' }
  const { body } = await client.patch(`/Groups/${id}`, [{ op: 'add', value }])
  assert.deepEqual([body.displayName, body.members?.length], ['Front desk', 2])
})

test('members of a group that a filter names: only remove takes them out', async () => {
  const client = await aClient()
  const ids = await Promise.all(['eva', 'ike'].map(async (userName) => (await client.addUser({ userName })).body.id))
  const [eva, ike] = ids
  const { id } = (await client.addGroup({ displayName: 'Shift', members: [{ value: eva }] })).body
  const after = async (operation: object) => {
    const { status, body } = await client.patch(`/Groups/${id}`, [operation])
    assert.equal(status, 200, JSON.stringify(body))
    return (body.members ?? []).map((one: { value: string }) => one.value).toSorted()
  }
  const named = (user: string) => `members[value eq "${user}"]`
  assert.deepEqual(await after({ op: 'replace', path: `${named(eva)}.display`, value: 'Eva' }), [eva])
  assert.deepEqual(await after({ op: 'add', path: named(ike), value: { display: 'Ike' } }), [eva, ike].toSorted())
  assert.deepEqual(await after({ op: 'replace', path: named(ike), value: { value: ike } }), [eva, ike].toSorted())
  assert.deepEqual(await after({ op: 'remove', path: named(ike) }), [eva])
  assert.deepEqual(await after({ op: 'replace', path: `${named(eva)}.value`, value: ike }), [ike])
})

const CUSTOM = 'urn:ietf:params:scim:schemas:extension:CustomExtensionName:2.0:User'

test('an extension that the server does not have is not kept, in a resource and in a PATCH', async () => {
  const client = await aClient()
  const extended = { [CUSTOM]: { tag: 'x' }, [`${CUSTOM}:tag`]: 'x', 'a name': 1, 'x:y': 2 }
  const made = await client.addUser({ userName: 'lindiwe', ...extended, schemas: [USER, CUSTOM] })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const operation = { op: 'Add', value: { ...extended, displayName: 'Lindiwe' } }
  const patched = await client.patch(`/Users/${made.body.id}`, [operation])
  assert.deepEqual([patched.status, patched.body.displayName], [200, 'Lindiwe'])
  const named = await client.patch(`/Users/${made.body.id}`, [{ op: 'Add', path: `${CUSTOM}:tag`, value: 'x' }])
  assert.deepEqual([named.status, named.body.scimType], [400, 'invalidPath'])
})

test('Entra ID: the formatted name, which is derived, holds up no other change', async () => {
  const client = await aClient()
  const name = { givenName: 'Nomsa', familyName: 'Dube' }
  const { id } = (await client.addUser({ userName: 'nomsa', name })).body
  const value = { 'name.familyName': 'Khumalo', 'name.formatted': 'Nomsa Khumalo' }
  for (const operation of [
    { op: 'Replace', value },
    { op: 'Replace', path: 'name.formatted', value: 'N. Khumalo' },
    { op: 'Remove', path: 'name.formatted' },
  ]) {
    const { status, body } = await client.patch(`/Users/${id}`, [operation])
    assert.deepEqual([status, body.name?.formatted], [200, 'Nomsa Khumalo'], JSON.stringify(body))
  }
})

test('the members of a message have names of any case', async () => {
  const slug = await house.tenant()
  const send = (method: 'POST' | 'PATCH', path: string, body: object) =>
    house.call(slug, `/scim/v2${path}`, { method, scopes, body, headers: { 'content-type': 'application/scim+json' } })
  const made = await send('POST', '/Users', { Schemas: [USER], username: 'vusi' })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const operations = [{ Op: 'replace', Path: 'displayName', Value: 'Vusi' }]
  const patched = await send('PATCH', `/Users/${made.body.id}`, { schemas: [PATCH], operations })
  assert.deepEqual([patched.status, patched.body.displayName], [200, 'Vusi'])
})

test('a message that names no schema, or that of SCIM 1, is what its address says; an unquoted word is a string', async () => {
  const slug = await house.tenant()
  const send = (method: 'GET' | 'POST' | 'PUT' | 'PATCH', path: string, body?: object) =>
    house.call(slug, `/scim/v2${path}`, { method, scopes, body, headers: { 'content-type': 'application/scim+json' } })
  const made = await send('POST', '/Users', { userName: 'jyoung', externalId: 'jyoung' })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const { id } = made.body
  const schemas = ['urn:scim:schemas:core:1.0']
  const replaced = await send('PUT', `/Users/${id}`, { schemas, userName: 'jyoung', externalId: 'jyoung' })
  assert.equal(replaced.status, 200, JSON.stringify(replaced.body))
  const Operations = [{ op: 'replace', path: 'displayName', value: 'J. Young' }]
  const patched = await send('PATCH', `/Users/${id}`, { Operations })
  assert.deepEqual([patched.status, patched.body.displayName], [200, 'J. Young'])
  assert.equal((await send('POST', '/Users', { userName: 'other' })).status, 201)
  const found = async (query: string) => (await send('GET', `/Users?${query}`)).body.totalResults
  assert.deepEqual([await found('filter=externalId%20eq%20jyoung'), await found('filter=')], [1, 2])
})
