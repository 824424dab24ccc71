// An identity system keeps a tenant's people by SCIM, written from RFC 7644 alone. On PostgreSQL two server processes
// take its requests in turn.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { type Api, api, backendSecret } from '../support/server.ts'
import { type ServerChildren, serverChildren } from '../support/server-children.ts'

const BASE = '/onboarding/scim/v2'
const USER = 'urn:ietf:params:scim:schemas:core:2.0:User'
const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group'
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
const BULK = 'urn:ietf:params:scim:api:messages:2.0:BulkRequest'
/** Operations that the client sends in one bulk request. */
const BULK_SIZE = 300

/** A person in the identity system. */
type Person = { readonly externalId: string; readonly name: string; readonly active: boolean }
type Operation = { readonly method: string; readonly path: string; readonly data?: object }

let server: ServerChildren
let school: Api
let token: string
/** The people of the identity system, by `externalId`. */
const people = new Map<string, Person>()
before(async () => {
  const backend = {
    clientId: 'acme-backend',
    clientSecret: backendSecret,
    scopes: ['tenant:admin', 'users:impersonate'],
  }
  server = await serverChildren({ tenants: [{ slug: 'acme', name: 'Acme College', clients: [backend] }] })
  school = api(server.url, (await tokenFor({ grant_type: 'client_credentials' })).access_token)
  const made = await school.post('/onboarding/clients', { name: 'Entra ID', roles: ['user-admin', 'issuer'] })
  const { clientId } = made.body.data
  token = (await school.post('/onboarding/scim-tokens', { clientId, name: 'Sync' })).body.data.token
})
after(() => server.stop())

async function tokenFor(form: Record<string, string>) {
  const client = { client_id: 'acme-backend', client_secret: backendSecret }
  const { status, body } = await api(server.url, null).form('/auth/token', { ...form, ...client })
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

async function scim(method: string, path: string, data?: object, at = server.url) {
  const body = data === undefined ? undefined : JSON.stringify(data)
  const headers = body === undefined ? undefined : { 'content-type': 'application/scim+json' }
  return api(at, token).send(method, path.startsWith('http') ? path : at + BASE + path, body, headers)
}

function person(n: number, kind = 'p'): Person {
  return { externalId: `${kind}-${String(n).padStart(4, '0')}`, name: `Person ${n}`, active: true }
}

function resourceOf({ externalId, name, active }: Person) {
  const userName = `${externalId}@college.example`
  const [givenName = '', familyName = ''] = name.split(' ')
  const emails = [{ value: userName, type: 'work', primary: true }]
  return { schemas: [USER], userName, externalId, name: { givenName, familyName }, emails, active }
}

/** Everybody whom the server has, by `externalId`, read by cursor. @throws AssertionError if there is one twice */
async function everybody(): Promise<Map<string, Person & { readonly id: string }>> {
  const found = new Map<string, Person & { readonly id: string }>()
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const { status, body }: Awaited<ReturnType<typeof scim>> = await scim('GET', `/Users?count=200&cursor=${cursor}`)
    assert.equal(status, 200, JSON.stringify(body))
    for (const { id, externalId, name, active } of body.Resources) {
      assert(!found.has(externalId), `${externalId} is there twice`)
      found.set(externalId, { id, externalId, active, name: name.formatted })
    }
    cursor = body.nextCursor
  }
  return found
}

/** Sends operations in bulk. @returns their statuses */
async function bulk(operations: readonly Operation[], at = server.url): Promise<string[]> {
  const Operations = operations.map((one, n) => ({ ...one, ...(one.method === 'POST' && { bulkId: `b${n}` }) }))
  const { status, body } = await scim('POST', '/Bulk', { schemas: [BULK], Operations }, at)
  assert.equal(status, 200, JSON.stringify(body))
  return body.Operations.map((one: { status: string }) => one.status)
}

const create = (one: Person): Operation => ({ method: 'POST', path: '/Users', data: resourceOf(one) })

/**
 * Makes the server have the people of the identity system, as such systems do: compares, and sends what differs in
 * bulk.
 */
async function sync(): Promise<readonly string[]> {
  const there = await everybody()
  const operations: Operation[] = []
  for (const one of people.values()) {
    const known = there.get(one.externalId)
    const value = { ...resourceOf(one), schemas: undefined }
    const data = { schemas: [PATCH], Operations: [{ op: 'replace', value }] }
    if (known === undefined) operations.push(create(one))
    else if (known.name !== one.name || known.active !== one.active) {
      operations.push({ method: 'PATCH', path: `/Users/${known.id}`, data })
    }
  }
  for (const { externalId, id } of there.values()) {
    if (!people.has(externalId)) operations.push({ method: 'DELETE', path: `/Users/${id}` })
  }
  const statuses: string[] = []
  for (let at = 0; at < operations.length; at += BULK_SIZE) {
    statuses.push(...(await bulk(operations.slice(at, at + BULK_SIZE))))
  }
  return statuses
}

function counted(statuses: readonly string[]): Record<string, number> {
  return Object.fromEntries(
    Object.entries(Object.groupBy(statuses, (one) => one)).map(([one, all]) => [one, all?.length ?? 0]),
  )
}

/** The list of users, the look-ups of some, and SCIM say what the identity system says. */
async function agrees(): Promise<void> {
  const expected = [...people.values()].map(({ externalId, name, active }) => `${externalId} ${name} ${active}`)
  const listed: string[] = []
  for (let next: string | undefined = '/onboarding/users?page[size]=100'; next !== undefined; ) {
    const { status, body }: Awaited<ReturnType<typeof scim>> = await school.get(next)
    assert.equal(status, 200, JSON.stringify(body))
    for (const { username, firstName, lastName, enabled } of body.data) {
      listed.push(`${username.split('@')[0]} ${firstName} ${lastName} ${enabled}`)
    }
    next = body.links.next
  }
  assert.deepEqual(listed.toSorted(), expected.toSorted())
  const there = await everybody()
  assert.deepEqual(
    [...there.values()].map((one) => `${one.externalId} ${one.name} ${one.active}`).toSorted(),
    expected.toSorted(),
  )
  const total = (await scim('GET', '/Users?count=0')).body.totalResults
  assert.equal(total, people.size)
  const some = [...people.values()].filter((_, n) => n % 97 === 0)
  for (const { externalId } of some) {
    const id = there.get(externalId)?.id
    for (const path of [`by-external-identifier/${externalId}`, encodeURIComponent(`${externalId}@COLLEGE.example`)]) {
      const { body } = await school.get(`/onboarding/users/${path}`)
      assert.equal(body.data?.id, id, JSON.stringify(body))
    }
    assert.equal((await scim('GET', `/Users?filter=externalId eq "${externalId}"`)).body.Resources[0].id, id)
  }
}

test('1,000 users are synced up, in bulk and one by one, and the look-ups agree', async () => {
  for (let n = 0; n < 900; n += 1) people.set(person(n).externalId, person(n))
  assert.deepEqual(counted(await sync()), { 201: 900 })
  for (let n = 900; n < 1000; n += 1) {
    people.set(person(n).externalId, person(n))
    const { status, body } = await scim('POST', '/Users', resourceOf(person(n)))
    assert.equal(status, 201, JSON.stringify(body))
  }
  await agrees()
  assert.deepEqual(await sync(), [], 'a second run has nothing to do')
})

test('users are changed, disabled and removed, and the look-ups agree', async () => {
  const removed: string[] = []
  for (const [n, one] of [...people.values()].entries()) {
    if (n % 10 === 1) people.set(one.externalId, { ...one, name: `Renamed ${n}` })
    if (n % 10 === 2) people.set(one.externalId, { ...one, active: false })
    if (n % 20 === 3) removed.push(one.externalId)
  }
  for (const externalId of removed) people.delete(externalId)
  assert.deepEqual(counted(await sync()), { 200: 200, 204: 50 })
  await agrees()
  for (const externalId of removed.slice(0, 3)) {
    assert.equal((await school.get(`/onboarding/users/by-external-identifier/${externalId}`)).status, 404)
  }
})

test('a group gives its role to its members, as long as they are in it', async () => {
  const there = await everybody()
  const [ann, bob] = [there.get('p-0000')?.id ?? '', there.get('p-0004')?.id ?? '']
  const group = { schemas: [GROUP], displayName: 'Registrars', members: [{ value: ann }, { value: bob }] }
  const { status, body } = await scim('POST', '/Groups', group)
  assert.equal(status, 201, JSON.stringify(body))
  const mapped = await school.patch(`/onboarding/groups/${body.id}`, { roles: ['issuer'] })
  assert.equal(mapped.status, 200, JSON.stringify(mapped.body))
  const mayIssue = async (externalId: string) => {
    const subject_token = (await tokenFor({ grant_type: 'client_credentials' })).access_token
    const exchanged = await tokenFor({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token,
      subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      requested_subject: `${externalId}@college.example`,
    })
    const me = await api(server.url, exchanged.access_token).get('/onboarding/me')
    return me.body.data.roles.includes('issuer')
  }
  assert.deepEqual([await mayIssue('p-0000'), await mayIssue('p-0004'), await mayIssue('p-0005')], [true, true, false])
  const Operations = [
    { op: 'remove', path: `members[value eq "${bob}"]` },
    { op: 'add', path: 'members', value: [{ value: there.get('p-0005')?.id }] },
  ]
  const changed = await scim('PATCH', `/Groups/${body.id}`, { schemas: [PATCH], Operations })
  assert.equal(changed.body.members.length, 2, JSON.stringify(changed.body))
  assert.deepEqual([await mayIssue('p-0000'), await mayIssue('p-0004'), await mayIssue('p-0005')], [true, false, true])
  assert.equal((await scim('DELETE', `/Users/${ann}`)).status, 204)
  people.delete('p-0000')
  const { members } = (await scim('GET', `/Groups/${body.id}`)).body
  assert.deepEqual(
    members.map((one: { display: string }) => one.display),
    ['p-0005@college.example'],
  )
})

test('killed in the middle of a bulk, and sent the same bulk again, the server has every user once', async () => {
  const added = Array.from({ length: 600 }, (_, n) => person(n, 'k'))
  const operations = added.map(create)
  const answer = bulk(operations, server.urls[0]).then(
    () => 'answered',
    () => 'cut',
  )
  const survivor = server.urls[1]
  const done = async (at: string) =>
    (await scim('GET', '/Users?count=0&filter=userName sw "k-"', undefined, at)).body.totalResults
  for (let tries = 0; tries < 2000 && (await done(survivor)) < 50; tries += 1) await setTimeout(2)
  await server.kill(0)
  assert.equal(await answer, 'cut')
  if (survivor === server.urls[0]) await server.start(0)
  const before = await done(survivor)
  assert(before >= 50 && before < 600, String(before))
  assert.deepEqual(counted(await bulk(operations, survivor)), { 201: 600 - before, 409: before })
  if (survivor !== server.urls[0]) await server.start(0)
  for (const one of added) people.set(one.externalId, one)
  assert.deepEqual(await sync(), [])
  await agrees()
  const subjects: string[] = []
  for (let next: string | undefined = '/creds/events?filter[type]=user.created&page[size]=100'; next !== undefined; ) {
    const { status, body }: Awaited<ReturnType<typeof scim>> = await school.get(next)
    assert.equal(status, 200, JSON.stringify(body))
    subjects.push(...body.data.map((one: { subject: { id: string } }) => one.subject.id))
    next = body.links.next
  }
  const created = new Set(subjects)
  assert.deepEqual([subjects.length, created.size], [1600, 1600], 'a user has two events, or none')
})
