// The organisation in our API: what the bootstrap file fixes, who may change the rest, and that it takes effect in
// every process.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { type Api, api, type Deployment, deploy } from '../../../test/support/server.ts'
import { accentStyle, isReadableAccent } from '../../pages/look/accent.ts'
import { contrast } from '../../pages/look/credential-card.ts'

const PATH = '/onboarding/organisation'
const registered = [
  {
    clientId: 'desk',
    name: 'Desk',
    responseUris: ['https://desk.example/response'],
    keys: [{ kty: 'EC', crv: 'P-256', x: 'eA', y: 'eQ' }],
  },
]

let chirograph: Deployment
let acme: Api
let globex: Api
before(async () => {
  chirograph = await deploy({}, {}, { globex: { issuerPolicy: 'trusted', walletDpop: 'required' } })
  acme = await chirograph.backend('acme')
  globex = await chirograph.backend('globex')
})
after(() => chirograph.stop())

async function clientWith(roles: readonly string[], scopes: readonly string[] = []): Promise<Api> {
  const { body } = await acme.post('/onboarding/clients', { name: 'Test', roles, scopes })
  const { clientId, clientSecret } = body.data
  const grant = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret }
  return api(chirograph.url, (await chirograph.nobody.form('/auth/token', grant)).body.access_token)
}

/**
 * Waits until it is so four times in a row: two servers answer in turn, and the cache of the other one ends after five
 * seconds.
 */
async function waitUntil(isSo: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + 15_000
  for (let times = 0; times < 4; ) {
    times = (await isSo()) ? times + 1 : 0
    assert.ok(performance.now() < end)
    if (times === 0) await delay(50)
  }
}

test('every setting has its default, is changed alone, and has its default again after null', async () => {
  const { status, body, headers } = await acme.get(PATH)
  assert.equal(status, 200)
  assert.partialDeepStrictEqual(body.data, {
    slug: 'acme',
    name: 'Acme College',
    fixedMembers: ['name'],
    accentColor: null,
    offerTtlSeconds: null,
    issuerPolicy: 'any',
    walletFormats: ['vc+sd-jwt'],
    haip: false,
    languages: ['en', 'fr'],
    timeZone: 'UTC',
  })
  const change = {
    accentColor: '#7a1f4e',
    languages: ['fr', 'en'],
    timeZone: 'Africa/Johannesburg',
    haip: true,
    supportAddress: 'help@college.example',
    registeredVerifiers: registered,
    resultRetentionSeconds: 0,
  }
  const changed = await acme.patch(PATH, change)
  assert.equal(changed.status, 200, JSON.stringify(changed.body))
  assert.partialDeepStrictEqual(changed.body.data, change)
  assert.notEqual(changed.headers.get('etag'), headers.get('etag'))
  assert.deepEqual((await acme.get(PATH)).body, changed.body)
  const entry = (await acme.get('/creds/audit?filter[action]=tenant.changed')).body.data[0]
  assert.deepEqual(entry.detail.members.toSorted(), Object.keys(change).toSorted())
  const nothing = Object.fromEntries(Object.keys(change).map((name) => [name, null]))
  const reset = await acme.patch(PATH, nothing)
  assert.deepEqual({ ...reset.body.data, updatedAt: '' }, { ...body.data, updatedAt: '' })
})

for (const [what, change, pointer] of [
  ['a colour in which nothing can be read', { accentColor: '#9ec5ff' }, '/accentColor'],
  ['a colour that is CSS', { accentColor: 'red;}' }, '/accentColor'],
  ['a time zone that is none', { timeZone: 'Africa/Atlantis' }, '/timeZone'],
  ['a language without texts', { languages: ['xx'] }, '/languages/0'],
  ['a link to a script', { privacyUri: 'javascript:alert(1)' }, '/privacyUri'],
  ['a support address with a line break', { supportAddress: 'a@b.example\r\nBcc: c@d.example' }, '/supportAddress'],
  ['a sender with a line break', { mailFromName: 'College\r\nBcc: c@d.example' }, '/mailFromName'],
  ['an unknown policy', { issuerPolicy: 'all' }, '/issuerPolicy'],
  ['an offer that lives for a second', { offerTtlSeconds: 1 }, '/offerTtlSeconds'],
  ['an unknown member', { colour: '#000000' }, '/colour'],
] as const) {
  test(`${what} is refused at its member`, async () => {
    const { status, body } = await acme.patch(PATH, change)
    assert.equal(status, 400, JSON.stringify(body))
    assert.equal(body.errors[0].source.pointer, pointer)
  })
}

test('what the bootstrap file names is shown as fixed and cannot be changed, the rest can', async () => {
  assert.deepEqual((await globex.get(PATH)).body.data.fixedMembers, ['issuerPolicy', 'name', 'walletDpop'])
  const refused = await globex.patch(PATH, { name: 'Initech', issuerPolicy: 'any', haip: true })
  assert.equal(refused.status, 409)
  const pointers = refused.body.errors.map((one: { source: { pointer: string } }) => one.source.pointer)
  assert.deepEqual(pointers, ['/name', '/issuerPolicy'])
  const { data } = (await globex.get(PATH)).body
  assert.partialDeepStrictEqual(data, { name: 'Globex Corporation', issuerPolicy: 'trusted', haip: false })
})

test('of two changes from the same state one is made, also when they arrive together', async () => {
  const etag = (await acme.get(PATH)).headers.get('etag') ?? ''
  const headers = { 'content-type': 'application/json', 'if-match': etag }
  const uris = ['https://one.example/', 'https://two.example/', 'https://three.example/']
  const answers = await Promise.all(
    uris.map((privacyUri) => acme.send('PATCH', PATH, JSON.stringify({ privacyUri }), headers)),
  )
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 412, 412])
  const without = await Promise.all(
    ['logoUri', 'privacyUri', 'supportAddress'].map((name) => acme.patch(PATH, { [name]: 'https://a.example/' })),
  )
  assert.deepEqual(
    without.map(({ status }) => status),
    [200, 200, 200],
  )
  const { logoUri, privacyUri, supportAddress } = (await acme.get(PATH)).body.data
  assert.deepEqual([logoUri, privacyUri, supportAddress], Array(3).fill('https://a.example/'))
})

test('the role trust-admin changes policies and nothing else; a role that only reads changes nothing', async () => {
  const admin = await clientWith(['trust-admin'])
  assert.equal((await admin.patch(PATH, { clientAuthentication: 'required' })).status, 200)
  const refused = await admin.patch(PATH, { clientAuthentication: 'optional', accentColor: null })
  assert.equal(refused.status, 403)
  assert.equal(refused.body.errors[0].meta.requiredScope, 'tenant:admin')
  assert.equal((await acme.patch(PATH, { clientAuthentication: null })).status, 200)
  const issuer = await clientWith(['issuer'])
  assert.equal((await issuer.get(PATH)).status, 200)
  assert.equal((await issuer.patch(PATH, { haip: true })).status, 403)
  assert.equal((await (await clientWith(['user-admin'])).get(PATH)).status, 403)
})

test('a change takes effect in every process: metadata for wallets, lifetimes, the caller', async () => {
  const logoUri = 'https://college.example/logo.svg'
  const change = { logoUri, credentialEncryption: 'required', offerTtlSeconds: 120, accentColor: '#7a1f4e' }
  assert.equal((await acme.patch(PATH, change)).status, 200)
  const metadata = '/.well-known/openid-credential-issuer/issuers/acme'
  await waitUntil(async () => {
    const { body } = await chirograph.nobody.get(metadata)
    return body.display[0].logo?.uri === logoUri && body.credential_request_encryption?.encryption_required === true
  })
  await waitUntil(async () => (await acme.get('/onboarding/me')).body.data.organisation.accentColor === '#7a1f4e')
  const { body } = await acme.post('/creds/templates/credentials', {
    name: 'Badge',
    code: 'badge',
    attributes: { name: { type: 'string' } },
  })
  const ask = { credentialTemplateId: body.data.id, attributes: { name: 'Thandi' } }
  const offered = (await acme.post('/creds/credentials/issuance', ask)).body.data
  const lifetime = Date.parse(offered.expiresAt ?? '') - Date.parse(offered.createdAt)
  assert.ok(Math.abs(lifetime - 120_000) < 5000, String(lifetime))
})

test('an accent that is accepted can be read on light pages, and on dark ones after it was lightened', () => {
  assert.equal(accentStyle('#9ec5ff'), '')
  assert.equal(accentStyle('#1f4e79}*{display:none'), '')
  for (const colour of ['#1f4e79', '#7a1f4e', '#000000', '#0a5c2c']) {
    assert.ok(isReadableAccent(colour))
    const [, light = '', dark = ''] = /--accent:light-dark\((#\w{6}),(#\w{6})\)/.exec(accentStyle(colour)) ?? []
    assert.ok(contrast(light, '#faf9f6') >= 4.5 && contrast(light, '#ffffff') >= 4.5, colour)
    assert.ok(contrast(dark, '#14161a') >= 4.5 && contrast(dark, '#1c1f25') >= 4.5, colour)
  }
})
