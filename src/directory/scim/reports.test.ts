// Requests that users of identity systems report to their makers and to those of servers.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Scope } from '../../caller.ts'
import { type Directory, openDirectory } from '../test-support/directory.ts'
import { scimClient } from '../test-support/scim-client.ts'

let house: Directory
before(async () => {
  house = await openDirectory()
})
after(() => house.close())

const scopes: readonly Scope[] = ['users:read', 'users:write', 'issuance:read', 'issuance:write', 'trust:read']
const aClient = async () => scimClient(house, await house.tenant(), [...scopes, 'tenant:admin'])
type Client = Awaited<ReturnType<typeof aClient>>

async function userOf(client: Client, user: object): Promise<string> {
  const { status, body } = await client.addUser(user)
  assert.equal(status, 201, JSON.stringify(body))
  return body.id
}

// pond/scimitar, pull request 69: Entra ID changes the parts of a name, without the displayed name.
test('a displayed name that nobody set follows the parts of the name, and one that was set stays', async () => {
  const client = await aClient()
  const name = { givenName: 'Lerato', familyName: 'Dube' }
  const byDefault = await userOf(client, { userName: 'lerato', name })
  const set = await userOf(client, { userName: 'sipho', name, displayName: 'Dr Dube' })
  const married = [{ op: 'replace', value: { 'name.familyName': 'Khumalo' } }]
  assert.equal((await client.patch(`/Users/${byDefault}`, married)).body.displayName, 'Lerato Khumalo')
  assert.equal((await client.patch(`/Users/${set}`, married)).body.displayName, 'Dr Dube')
})

// Captain-P-Goldfish/SCIM-SDK, issue 416, and the requests of Microsoft's validator: of two addresses one is kept.
test('a change of the address that is not kept beside another one holds up no other change', async () => {
  const client = await aClient()
  const emails = [
    { Primary: true, type: 'work', value: 'testing@bob.example' },
    { Primary: false, type: 'home', value: 'testinghome@bob.example' },
  ]
  const path = `/Users/${await userOf(client, { UserName: 'UserName123', emails })}`
  const home = { op: 'Replace', path: 'emails[type eq "home"].value', value: 'home2@bob.example' }
  const off = await client.patch(path, [home, { op: 'Replace', path: 'active', value: 'False' }])
  assert.deepEqual([off.status, off.body.active, off.body.emails?.[0].value], [200, false, 'testing@bob.example'])
  const primary = { ...home, path: 'emails[type eq "home"]', value: { value: 'home2@bob.example', primary: true } }
  const chosen = await client.patch(path, [primary])
  assert.deepEqual([chosen.status, chosen.body.emails[0].value], [200, 'home2@bob.example'])
  const none = await client.patch(path, [{ op: 'Replace', path: 'emails[value eq "x@bob.example"].type', value: 'x' }])
  assert.deepEqual([none.status, none.body.scimType], [400, 'noTarget'])
  assert.match(none.body.detail, /op add/)
  const { status, body } = await client.patch(`/Users/${await userOf(client, { userName: 'none' })}`, [home])
  assert.deepEqual([status, body.scimType], [400, 'noTarget'])
})

// goauthentik/authentik, providers/scim/clients/groups.py and issue 20410: an operation a member, in pieces of
// bulk.maxOperations.
test('authentik: a PATCH has as many operations as the service says of bulk requests', async () => {
  const client = await aClient()
  const { maxOperations } = (await client.get('/ServiceProviderConfig')).body.bulk
  const member = await userOf(client, { userName: 'member' })
  const { id } = (await client.addGroup({ displayName: 'Registry' })).body
  const add = { op: 'add', path: 'members', value: [{ value: member }] }
  const operations = (count: number) => Array.from({ length: count }, () => add)
  const patched = await client.patch(`/Groups/${id}`, operations(maxOperations))
  assert.deepEqual([patched.status, patched.body.members?.length], [200, 1])
  const beyond = await client.patch(`/Groups/${id}`, operations(maxOperations + 1))
  assert.deepEqual([beyond.status, beyond.body.scimType], [400, 'tooMany'])
})

// GluuFederation/SCIM-Client, issue 53, after the test cases of the working group.
test('a resource that was changed since it was read is not deleted, and one that was not is', async () => {
  const client = await aClient()
  const user = await userOf(client, { userName: 'changed' })
  const { id: group } = (await client.addGroup({ displayName: 'Changed' })).body
  const stale = { 'if-match': 'W/"1"' }
  for (const path of [`/Users/${user}`, `/Groups/${group}`]) {
    const renamed = await client.patch(path, [{ op: 'replace', path: 'displayName', value: 'Other' }])
    assert.equal(renamed.body.meta.version, 'W/"2"')
    const refused = await client.remove(path, stale)
    assert.deepEqual([refused.status, refused.body.scimType], [412, 'invalidVers'])
    const bulk = (version: string) =>
      client.post('/Bulk', { Operations: [{ method: 'DELETE', path, version }] }).then(({ body }) => body.Operations[0])
    for (const version of ['W/"1"', 'no tag']) {
      assert.equal((await bulk(version)).status, '412', version)
      assert.equal((await client.get(path)).status, 200)
    }
    assert.equal((await bulk('W/"2"')).status, '204')
    assert.equal((await client.remove(path, stale)).status, 404)
  }
})

// goauthentik/authentik, issue 16677; simpleidserver/SimpleIdServer, issue 164; wso2/product-is, issues 6631 and 20497.
test('a filter has texts without quotation marks, and booleans with them', async () => {
  const client = await aClient()
  const guid = '2a69c9a6-1708-45b7-acbe-a7b4c8fb102a'
  const one = await userOf(client, { userName: '701984', externalId: guid, name: { givenName: "A'KELAH" } })
  await userOf(client, { userName: '0abc', externalId: '0123', name: { familyName: 'Öğüt' }, active: false })
  const found = async (filter: string) => {
    const { status, body } = await client.get(`/Users?filter=${encodeURIComponent(filter)}`)
    return [status, body.Resources?.map((user: { userName: string }) => user.userName).join(' ') ?? body.detail]
  }
  for (const [filter, expected] of [
    ['userName eq 701984', '701984'],
    ['userName eq 701984 or userName eq "x"', '701984'],
    [`externalId eq ${guid}`, '701984'],
    [`id eq ${one}`, '701984'],
    ["name.givenName Eq A'KELAH", '701984'],
    ['externalId eq 0123', '0abc'],
    ['name.familyName eq Öğüt', '0abc'],
    ['active eq "true"', '701984'],
    ['active eq "False" and userName sw 0', '0abc'],
    ['emails[primary eq "true"] or active ne "true"', '0abc'],
    ['meta.created gt 2011-05-13T04:42:34Z and userName ew bc', '0abc'],
  ] as const) {
    assert.deepEqual(await found(filter), [200, expected], filter)
  }
  for (const [filter, detail] of [
    ["userName eq '0abc'", /'0abc' is no JSON value; a text stands in double quotation marks/],
    ['active eq "yes"', /true or false/],
    ['active lt "true"', /by eq or ne/],
    ['userName eq 1.5', /compared with a text/],
  ] as const) {
    const [status, text] = await found(filter)
    assert.equal(status, 400, filter)
    assert.match(text, detail)
  }
  const { id } = (await client.addGroup({ displayName: 'Registry', members: [{ value: one }] })).body
  const left = await client.patch(`/Groups/${id}`, [{ op: 'remove', path: `members[value eq ${one}]` }])
  assert.deepEqual([left.status, left.body.members], [200, []])
})

// lightdash/lightdash, issue 24458; wso2/product-is, issue 16097; BerriAI/litellm, pull request 34997.
test('a member that is no user is an invalid value, and nothing of the request is done', async () => {
  const client = await aClient()
  const one = await userOf(client, { userName: 'one' })
  const { id: sub } = (await client.addGroup({ displayName: 'Sub' })).body
  const { id } = (await client.addGroup({ displayName: 'Registry', members: [{ value: one }] })).body
  for (const [op, value] of [
    ['add', [{ value: one }, { value: '01890000-0000-7000-8000-000000000000' }]],
    ['add', [{ value: sub, type: 'Group' }]],
    ['replace', [{ value: 'this-user-does-not-exist' }]],
    ['add', [{ value: '' }]],
    ['add', [{ display: 'one' }]],
  ] as const) {
    const { status, body } = await client.patch(`/Groups/${id}`, [
      { op: 'replace', path: 'displayName', value: 'Renamed' },
      { op, path: 'members', value },
    ])
    assert.deepEqual([status, body.scimType], [400, 'invalidValue'], JSON.stringify(body))
    assert.match(body.detail, /Members are users who exist already, not groups|needs the value of the id of a user/)
  }
  const { displayName, members } = (await client.get(`/Groups/${id}`)).body
  assert.deepEqual([displayName, members.length], ['Registry', 1])
})

// Metatavu/keycloak-scim-server, issue 109.
test('a conflict names the attribute as SCIM does', async () => {
  const client = await aClient()
  await userOf(client, { userName: 'one', externalId: 'E-1', emails: [{ value: 'one@example.org' }] })
  await client.addGroup({ displayName: 'One', externalId: 'E-1' })
  for (const [name, refused] of [
    ['externalId', await client.addUser({ userName: 'two', externalId: 'E-1' })],
    ['emails.value', await client.addUser({ userName: 'two', emails: [{ value: 'ONE@example.org' }] })],
    [
      'emails.value',
      await client.addUser({ userName: 'two', externalId: 'E-1', emails: [{ value: 'one@example.org' }] }),
    ],
    ['userName', await client.addUser({ userName: 'ONE', externalId: 'E-1', emails: [{ value: 'one@example.org' }] })],
    ['userName', await client.addUser({ userName: 'ONE' })],
    ['externalId', await client.addGroup({ displayName: 'Two', externalId: 'E-1' })],
    ['displayName', await client.addGroup({ displayName: 'ONE' })],
  ] as const) {
    assert.deepEqual([refused.status, refused.body.scimType], [409, 'uniqueness'])
    assert.match(refused.body.detail, new RegExp(`has this ${name}\\.$`))
  }
})

// wso2/product-is, issue 7744: a form sends every field, filled in or not.
test('an element without a text is none: the address beside it is kept, and no role is given', async () => {
  const client = await aClient()
  const emails = [
    { primary: true, type: 'work', value: '' },
    { type: 'home', value: 'home@example.org' },
  ]
  const { status, body } = await client.addUser({ userName: 'one', emails, roles: [{ value: '' }] })
  assert.equal(status, 201, JSON.stringify(body))
  assert.deepEqual([body.emails, body.roles], [[{ value: 'home@example.org', type: 'home', primary: true }], undefined])
  assert.equal((await client.addUser({ userName: 'two', emails: [emails[0]], roles: '' })).body.emails, undefined)
  const unknown = await client.addUser({ userName: 'three', roles: [{ value: 'Internal/everyone' }] })
  assert.deepEqual([unknown.status, unknown.body.scimType], [400, 'invalidValue'])
  assert.match(unknown.body.detail, /Internal\/everyone is no role here\. Send .*issuer.*, or none\./)
})

const CORE = 'urn:ietf:params:scim:schemas:core:2.0:User'

// python-scim/scim2-server, pull request 12, and apache/directory-scimple, pull request 694: the path is a schema.
// PowerDMS/Owin.Scim, issue 3: the schemas are patched. SAP-archive/scimono, pull request 202: a list of one element.
for (const [what, operation] of [
  ['the schema as the path', { path: CORE, value: { displayName: 'B', emails: [{ value: 'b@example.org' }] } }],
  ['an empty path', { path: '', value: { displayName: 'B', emails: [{ value: 'b@example.org' }] } }],
  ['a list of one element', { path: 'emails[value eq "a@example.org"]', value: [{ value: 'b@example.org' }] }],
] as const) {
  for (const op of ['add', 'replace']) {
    test(`a PATCH is read: ${op} with ${what}`, async () => {
      const client = await aClient()
      const id = await userOf(client, { userName: 'one', displayName: 'B', emails: [{ value: 'a@example.org' }] })
      const schemas = {
        op: 'add',
        path: 'schemas',
        value: ['urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'],
      }
      const { status, body } = await client.patch(`/Users/${id}`, [schemas, { op, ...operation }])
      assert.deepEqual([status, body.displayName, body.schemas], [200, 'B', [CORE]], JSON.stringify(body))
      if (op === 'replace') assert.deepEqual(body.emails[0].value, 'b@example.org')
    })
  }
}

test('a PATCH is refused: a schema is removed, or a list of two is one element', async () => {
  const client = await aClient()
  const path = `/Users/${await userOf(client, { userName: 'one', emails: [{ value: 'a@example.org' }] })}`
  const two = [{ value: 'b@example.org' }, { value: 'c@example.org' }]
  for (const [operation, scimType] of [
    [{ op: 'remove', path: CORE }, 'invalidPath'],
    [{ op: 'remove', path: '' }, 'noTarget'],
    [{ op: 'replace', path: 'emails[value eq "a@example.org"]', value: two }, 'invalidValue'],
  ] as const) {
    const { status, body } = await client.patch(path, [operation])
    assert.deepEqual([status, body.scimType], [400, scimType], JSON.stringify(body))
  }
})

// SAP-archive/scimono, issue 81.
test('an attribute that a resource needs is not removed', async () => {
  const client = await aClient()
  const user = await userOf(client, { userName: 'one' })
  const { id: group } = (await client.addGroup({ displayName: 'Registry' })).body
  for (const [path, name] of [
    [`/Users/${user}`, 'userName'],
    [`/Groups/${group}`, 'displayName'],
  ] as const) {
    const removed = await client.patch(path, [{ op: 'remove', path: name }])
    assert.deepEqual([removed.status, removed.body.scimType], [400, 'mutability'])
    assert.equal(removed.body.detail, `${name} is needed; replace it instead.`)
    const emptied = await client.patch(path, [{ op: 'replace', path: name, value: '' }])
    assert.deepEqual([emptied.status, emptied.body.scimType], [400, 'invalidValue'])
  }
})

// AzureAD/SCIMReferenceCode, issue 44: Microsoft's own tests send GET /Users/?filter=...
test('a slash at the end of a path changes nothing', async () => {
  const client = await aClient()
  const { status, body: user } = await client.post('/Users/', { userName: 'one', displayName: 'BobIsAmazing' })
  assert.equal(status, 201)
  assert.equal(user.meta.location.endsWith(`/Users/${user.id}`), true)
  const found = await client.get('/Users/?filter=DisplayName+eq+%22BobIsAmazing%22')
  assert.deepEqual([found.status, found.body.totalResults], [200, 1])
  assert.equal((await client.get(`/Users/${user.id}/`)).body.id, user.id)
  assert.equal(
    (await client.patch(`/Users/${user.id}/`, [{ op: 'replace', path: 'active', value: false }])).status,
    200,
  )
  for (const path of ['/Groups/', '/Schemas/', '/ResourceTypes/', '/ServiceProviderConfig/', '/ResourceTypes/User/']) {
    assert.equal((await client.get(path)).status, 200, path)
  }
  assert.equal((await client.post('/Users/.search/', { filter: 'active eq false' })).body.totalResults, 1)
  const { body } = await client.post('/Bulk/', { Operations: [{ method: 'DELETE', path: `/Users/${user.id}/` }] })
  assert.equal(body.Operations[0].status, '204')
  assert.equal((await client.get(`/Users/${user.id}/x`)).status, 404)
  assert.equal((await client.put('/Users/', { userName: 'one' })).status, 405)
})

// wso2/product-is, issue 12813, among others: parameters as clients write them.
test('the parameters of a list are read in any case, empty and large', async () => {
  const client = await aClient()
  for (const userName of ['b', 'a', 'c']) await userOf(client, { userName })
  const found = async (query: string) => {
    const { status, body } = await client.get(`/Users?${query}`)
    return [status, body.Resources?.map((user: { userName: string }) => user.userName).join('') ?? body.scimType]
  }
  for (const [query, expected] of [
    ['startindex=2&count=1', 'a'],
    ['StartIndex=2&Count=1', 'a'],
    ['startIndex=2&count=9223372036854775807', 'ac'],
    ['startIndex=9223372036854775807', ''],
    ['sortBy=userName&sortOrder=Descending', 'cba'],
    ['sortBy=&sortOrder=&filter=', 'bac'],
    ['sortby=userName', 'abc'],
  ] as const) {
    assert.deepEqual(await found(query), [200, expected], query)
  }
  for (const [query, scimType, detail] of [
    ['sortBy=foo', 'invalidPath', /^Nothing is sorted by foo\. Sort by id, .*username/],
    ['sortBy=roles', 'invalidPath', /^Nothing is sorted by roles\./],
    ['sortOrder=up', 'invalidValue', /ascending or descending/],
    [
      'filter=groups.display eq "x"',
      'invalidFilter',
      /^Nothing is found by groups\.display\. Filter by .*groups\.value/,
    ],
    ['count=1&count=2', 'invalidSyntax', /^count is repeated\.$/],
    ['count=1.5', 'invalidValue', /integer/],
  ] as const) {
    const { status, body } = await client.get(`/Users?${query}`)
    assert.deepEqual([status, body.scimType], [400, scimType], query)
    assert.match(body.detail, detail)
  }
})

// ssoready/dummyidp, issue 17; MicrosoftDocs/azure-docs, issue 116775.
test('a body without a media type is JSON, and one of another type is 415', async () => {
  const slug = await house.tenant()
  const send = (type: string, userName: string) =>
    house.call(slug, '/scim/v2/Users', { method: 'POST', body: { userName }, headers: { 'content-type': type } })
  for (const type of ['', 'application/json', 'application/scim+json; charset=utf-8', 'Application/SCIM+JSON']) {
    assert.equal((await send(type, `user of ${type}`)).status, 201, type)
  }
  for (const type of ['text/plain;charset=UTF-8', 'application/x-www-form-urlencoded', 'text/json']) {
    const { status, body } = await send(type, 'other')
    assert.deepEqual([status, body.status, body.detail], [415, '415', 'Send the body as application/json.'], type)
  }
})

// goauthentik/authentik, pull request 23950: only where it sees a list of members it adds the missing ones.
test('a group without members says so, unless its members are not asked for', async () => {
  const client = await aClient()
  const { body: made } = await client.addGroup({ displayName: 'Registry' })
  const path = `/Groups/${made.id}`
  const listed = async (query: string) => (await client.get(`/Groups${query}`)).body.Resources[0]
  for (const group of [made, (await client.get(path)).body, await listed(''), await listed('?attributes=members')]) {
    assert.deepEqual(group.members, [])
  }
  for (const query of ['?excludedAttributes=members', '?attributes=displayName']) {
    assert.equal((await listed(query)).members, undefined)
    assert.equal((await client.get(`${path}${query}`)).body.members, undefined)
  }
})
