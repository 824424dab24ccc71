// Sign-in providers, directory sync and groups, as an owner without scripts uses them.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { api } from '../../test/support/server.ts'
import { PlainBrowser } from '../authorization/sign-in/test-support/plain-browser.ts'
import { type ConsoleReader, openConsole } from './test-support/console-reader.ts'
import { controlsOf, sentFrom } from './test-support/form-of.ts'
import { made } from './test-support/made.ts'

const PROVIDERS = '/console/sign-in-providers'
const SYNC = '/console/directory-sync'
const secret = 'the-secret-of-our-client-there'
const campus = {
  displayName: 'Campus account',
  name: 'campus',
  issuer: 'https://login.campus.example',
  clientId: 'chirograph',
  clientSecret: secret,
  'claims-roles': 'groups',
  'roles-there-0': 'staff',
  'roles-here-0': 'issuer',
  'roles-there-1': 'staff',
  'roles-here-1': 'verifier',
  'roles-there-2': 'guests',
}

let opened: ConsoleReader
let owner: PlainBrowser
before(async () => {
  opened = await openConsole(['owner'])
  owner = new PlainBrowser(opened.chirograph.url)
  for (const pair of opened.cookie.split('; '))
    owner.cookies.set(pair.split('=')[0] ?? '', pair.slice(pair.indexOf('=') + 1))
})
after(() => opened.chirograph.stop())

/** Sends the form of the page that is open as a browser does, with these values typed. */
async function fill(path: string, values: Readonly<Record<string, string>>) {
  const html = owner.shown?.html ?? ''
  const [, content = ''] =
    new RegExp(`<form method="post" action="${path}"[^>]*>([\\s\\S]*?)</form>`).exec(html) ?? assert.fail(path)
  const members = new Map(sentFrom(controlsOf({ text: content })))
  for (const [name, value] of Object.entries(values)) members.set(name, [value])
  const pairs = [...members].flatMap(([name, all]) => all.map((one) => [name, one]))
  return owner.request('POST', path, String(new URLSearchParams(pairs)))
}

async function providers() {
  return (await opened.acme.get('/onboarding/identity-providers')).body.data
}

test('a provider is added on its page, which then says what to register there and never tells the secret', async () => {
  await owner.open(`${PROVIDERS}/new`)
  const shown = await fill(`${PROVIDERS}/new`, campus)
  const [saved] = await providers()
  assert.equal(shown.url, `${PROVIDERS}/${saved.id}`, shown.html)
  assert(shown.html.includes(`${opened.chirograph.url}/sign-in/external/acme/campus`))
  assert(shown.html.includes(`${opened.chirograph.url}/sign-in?tenant=acme`))
  assert.partialDeepStrictEqual(saved, {
    displayName: 'Campus account',
    hasClientSecret: true,
    signIn: true,
    createsUsers: false,
    claims: { username: 'preferred_username', email: 'email', roles: 'groups', externalIdentifier: null },
    roles: { staff: ['issuer', 'verifier'], guests: [] },
    scopes: ['openid', 'profile', 'email'],
    audience: null,
  })
  for (const path of ['', `/${saved.id}`, `/${saved.id}/change`])
    assert(!(await owner.open(PROVIDERS + path)).html.includes(secret), path)
})

test('a provider that is saved as it was opened keeps its secret; it is removed only where that is chosen', async () => {
  const [{ id }] = await providers()
  const path = `${PROVIDERS}/${id}/change`
  await owner.open(path)
  await fill(path, { displayName: 'Campus' })
  assert.partialDeepStrictEqual((await providers())[0], { displayName: 'Campus', hasClientSecret: true })
  await owner.open(path)
  await fill(path, { 'clientSecret-none': '1' })
  assert.equal((await providers())[0].hasClientSecret, false)
})

test('rows for roles are added without losing what was typed, and the secret is asked for again', async () => {
  await owner.open(`${PROVIDERS}/new`)
  const { status, html } = await fill(`${PROVIDERS}/new`, { ...campus, more: 'roles' })
  assert.equal(status, 200)
  assert.match(html, /name="roles-there-5"/)
  assert.match(html, /name="roles-there-0"[^>]* value="staff"/)
  assert.match(html, /Enter the secret again/)
  assert(!html.includes(secret))
})

for (const [what, values, said] of [
  ['nothing', { displayName: '', issuer: '', clientId: '', name: '' }, 'Fill in “Client id”'],
  ['a short name that is no part of an address', { name: 'A b' }, 'This does not have the right form'],
  ['a short name that is taken', {}, 'Another one has this already'],
  ['an address with a question mark', { name: 'other', issuer: 'https://a.example/?x' }, 'without a question mark'],
  ['a private address', { name: 'other', issuer: 'https://10.0.0.1' }, 'listed in OUTBOUND_ALLOWED_HOSTS'],
  ['roles without a place where they are named', { name: 'other', 'claims-roles': '' }, 'Say where the provider names'],
  ['no openid', { name: 'other', scopes: 'email' }, 'Without “openid” nobody can sign in'],
  ['tokens without an audience', { name: 'other', acceptTokens: '1' }, 'Enter the audience'],
  ['the audience of another', { name: 'other', acceptTokens: '1', audience: 'x' }, 'does not name your organisation'],
] as const)
  test(`a provider with ${what} is refused in words, and nothing is made`, async () => {
    const count = (await providers()).length
    await owner.open(`${PROVIDERS}/new`)
    const { status, title, html } = await fill(`${PROVIDERS}/new`, { ...campus, ...values })
    assert.equal(status, 400)
    assert.match(title, /^Error: /)
    assert(html.includes(said), html)
    assert((await providers()).length === count)
  })

test('an owner hears at the form that a provider whose tokens are accepted needs more than an owner may do', async () => {
  await owner.open(`${PROVIDERS}/new`)
  const audience = `${opened.chirograph.url}/issuers/acme`
  const sent = { ...campus, name: 'other', acceptTokens: '1', audience }
  const { status, html } = await fill(`${PROVIDERS}/new`, sent)
  assert.equal(status, 400)
  assert.match(html, /Only the operator of the server/)
  assert.match(html, /value="https:\/\/login\.campus\.example"/)
  assert.match(html, /<a href="#clientSecret">Enter the secret again/)
})

test('two people who change a provider: the second one sees both versions, and can save theirs then', async () => {
  const [{ id }] = await providers()
  const path = `${PROVIDERS}/${id}/change`
  await owner.open(path)
  await opened.acme.patch(`/onboarding/identity-providers/${id}`, {
    displayName: 'Theirs',
    roles: { all: ['auditor'] },
  })
  const both = await fill(path, { displayName: 'Mine' })
  assert.equal(both.status, 412)
  for (const text of ['changed in the meantime', 'Theirs', 'Mine', 'all → Auditor', 'staff → Issuer, Verifier'])
    assert(both.html.includes(text), text)
  assert.equal((await providers())[0].displayName, 'Theirs')
  const saved = await fill(path, {})
  assert.equal(saved.url, `${PROVIDERS}/${id}`)
  assert.partialDeepStrictEqual((await providers())[0], {
    displayName: 'Mine',
    roles: { staff: ['issuer', 'verifier'] },
  })
})

test('a provider is deleted after a question', async () => {
  const [{ id }] = await providers()
  const asked = await owner.open(`${PROVIDERS}/${id}/delete`)
  assert.match(asked.html, /Delete this provider\?/)
  assert.equal((await providers()).length, 1)
  await owner.send(`${PROVIDERS}/${id}/delete`)
  assert.deepEqual(await providers(), [])
})

test('a token for an identity system is told once, works at the address beside it, and ends at once', async () => {
  const { acme, chirograph } = opened
  await made(acme, '/onboarding/clients', { name: 'Entra ID', roles: ['user-admin'] })
  const { data: clients } = (await acme.get('/onboarding/clients')).body
  const { clientId } = clients.find(({ name }: { name: string }) => name === 'Entra ID')
  await owner.open(`${SYNC}/new`)
  const told = await fill(`${SYNC}/new`, { name: 'Sync', clientId, expiresInDays: '30' })
  const [, token = ''] = /<code class="secret">([^<]+)<\/code>/.exec(told.html) ?? []
  assert(told.html.includes(`${chirograph.url}/onboarding/scim/v2`))
  const system = api(chirograph.url, token)
  assert.equal((await system.get('/onboarding/scim/v2/Users')).status, 200)
  const list = await owner.open(SYNC)
  assert(!list.html.includes(token))
  assert.match(list.html, /Entra ID/)
  const { data } = (await acme.get('/onboarding/scim-tokens')).body
  assert.deepEqual(
    data.map(({ name }: { name: string }) => name),
    ['Sync'],
  )
  await owner.open(`${SYNC}/${data[0].id}/delete`)
  await owner.send(`${SYNC}/${data[0].id}/delete`)
  assert.equal((await system.get('/onboarding/scim/v2/Users')).status, 401)
  assert.match((await owner.open(SYNC)).html, /No system has a token yet/)
})

/** The client of an identity system: an owner may have a token made for it. */
async function clientOfSystem(): Promise<string> {
  const { data } = (await opened.acme.get('/onboarding/clients')).body
  return data.find(({ name }: { name: string }) => name === 'Entra ID').clientId
}

test('a form for a token that is sent twice makes one', async () => {
  const clientId = await clientOfSystem()
  await owner.open(`${SYNC}/new`)
  const page = owner.shown
  await fill(`${SYNC}/new`, { name: 'Twice', clientId })
  owner.shown = page
  await fill(`${SYNC}/new`, { name: 'Twice', clientId })
  assert.equal((await opened.acme.get('/onboarding/scim-tokens')).body.data.length, 1)
})

for (const [what, values] of [
  ['no name', { name: '' }],
  ['no whole number of days', { expiresInDays: '1.5' }],
  ['too many days', { expiresInDays: '3651' }],
  ['an application that is not there', { clientId: 'nobody' }],
] as const)
  test(`a token with ${what} is refused at its field`, async () => {
    await owner.open(`${SYNC}/new`)
    const { status, html } = await fill(`${SYNC}/new`, { name: 'Refused', clientId: await clientOfSystem(), ...values })
    assert.equal(status, 400)
    assert.match(html, new RegExp(`id="${Object.keys(values)[0]}-error"`))
  })

test('an owner makes no token for a client that may act for people', async () => {
  await owner.open(`${SYNC}/new`)
  const refused = await fill(`${SYNC}/new`, { name: 'More', clientId: 'acme-backend' })
  assert.equal(refused.status, 403)
})

test('a group gives its roles to its members, and both versions are shown when two people change it', async () => {
  await owner.open('/console/groups/new')
  const shown = await fill('/console/groups/new', { displayName: 'Registrars', 'roles[]': 'issuer' })
  const path = shown.url
  await owner.open(`${path}/members`)
  assert.match((await fill(`${path}/members`, { username: 'nobody' })).html, /Nobody has this username/)
  assert.match((await fill(`${path}/members`, { username: 'thandi' })).html, /thandi/)
  const members = `/onboarding/groups/${path.split('/').at(-1)}/members`
  const names = async () =>
    (await opened.acme.get(members)).body.data.map(({ username }: { username: string }) => username)
  assert.deepEqual(await names(), ['thandi'])
  await owner.open(path)
  await opened.acme.patch(members.replace('/members', ''), { roles: ['auditor'] })
  const both = await fill(path, { displayName: 'Registry' })
  assert.equal(both.status, 412)
  assert.match(both.html, /changed in the meantime[\s\S]*Auditor/)
  await owner.open(`${path}/members/thandi/remove`)
  await owner.send(`${path}/members/thandi/remove`)
  assert.deepEqual(await names(), [])
  await owner.open(`${path}/delete`)
  await owner.send(`${path}/delete`)
  assert.equal((await owner.open(path)).status, 404)
})

test('a person who is disabled sees no page from then on, and the last owner cannot be disabled', async () => {
  const { acme } = opened
  const disable = () => acme.patch('/onboarding/users/naledi', { enabled: false })
  const refused = await disable()
  assert.deepEqual([refused.status, refused.body.errors[0].code], [409, 'CONFLICT'])
  await made(acme, '/onboarding/users', { username: 'successor', roles: ['owner'] })
  assert.equal((await disable()).status, 200)
  assert.match((await owner.open('/console/groups')).title, /^(Sign in|One moment)/)
})
