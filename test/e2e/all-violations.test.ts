// Who corrects a body wants to know all that is wrong with it, not first what its schema refuses and then what the
// values mean.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Api, type Deployment, deploy } from '../support/server.ts'

let chirograph: Deployment
let school: Api
before(async () => {
  chirograph = await deploy()
  school = await chirograph.backend('acme')
})
after(() => chirograph.stop())

const root = {
  type: 'issuerRoot',
  keyType: 'P-256',
  countryName: 'ZA',
  issuerAlternativeNameUrl: 'https://acme.example',
}
const csr = { type: 'verifierSignRequest', keyType: 'P-256', countryName: 'ZA' }
const client = { name: 'x', grantTypes: ['authorization_code'], redirectUris: ['https://a.example/'] }
const provider = { name: 'school', issuer: 'https://login.example', clientId: 'x' }
const endpoint = { url: 'https://a.example/' }

for (const [what, path, body, pointers] of [
  ['two values', '/creds/certificates', { ...root, countryName: 'XX', issuerAlternativeNameUrl: 'ftp://x' }, 2],
  ['a country and a kind of key', '/creds/certificates', { ...root, countryName: 'XX', keyType: 'RSA' }, 2],
  [
    'an address, a name and an unknown member',
    '/creds/certificates',
    { ...root, issuerAlternativeNameUrl: 'ftp://x', commonName: ' ', country: 'ZA' },
    3,
  ],
  ['a country and a missing type', '/creds/certificates/csrs', { ...csr, type: undefined, countryName: 'XX' }, 2],
  [
    'a country and a capability',
    '/creds/certificates/csrs',
    { ...csr, countryName: 'XX', capabilities: { signMdl: true } },
    2,
  ],
  [
    'redirect URIs and a role',
    '/onboarding/clients',
    { ...client, roles: ['king'], redirectUris: ['http://a.example/', 'https://a.example/', 'https://b.example/#x'] },
    3,
  ],
  ['an address of keys and a scope', '/onboarding/clients', { ...client, scopes: ['x'], jwksUri: 'ftp://x' }, 2],
  ['an issuer and a flag', '/onboarding/identity-providers', { ...provider, issuer: 'ftp://x', signIn: 'yes' }, 2],
  [
    'an issuer and an audience',
    '/onboarding/identity-providers',
    { ...provider, issuer: 'http://login.example/#x', acceptTokens: true, audience: 'of another organisation' },
    2,
  ],
  ['a URL and a member', '/creds/endpoints', { ...endpoint, url: 'https://10.0.0.1/#x', secret: 'x' }, 2],
] as const) {
  test(`${what} are refused at once at ${path}`, async () => {
    const reply = await school.post(path, body)
    assert.equal(reply.status, 400, JSON.stringify(reply.body))
    const found = reply.body.errors.map((one: { source: { pointer: string } }) => one.source.pointer)
    assert.equal(new Set(found).size, pointers, JSON.stringify(reply.body))
    assert.equal(found.length, pointers)
  })
}

test('so are those of the organisation and of a verification page', async () => {
  const pointersOf = async (reply: ReturnType<Api['post']>) =>
    (await reply).body.errors.map((one: { source: { pointer: string } }) => one.source.pointer).toSorted()
  const change = { timeZone: 'Mars/Base', accentColor: '#ffffff', haip: 'yes' }
  assert.deepEqual(await pointersOf(school.patch('/onboarding/organisation', change)), [
    '/accentColor',
    '/haip',
    '/timeZone',
  ])
  const page = { name: 1, presentationTemplateId: 'x', origins: ['https://a.example', 'https://a.example/path'] }
  assert.deepEqual((await pointersOf(school.post('/creds/verification-pages', page))).slice(0, 2), [
    '/name',
    '/origins/1',
  ])
})

test('a rule says nothing about a member that its schema refuses', async () => {
  const { body } = await school.post('/creds/certificates', { ...root, countryName: 7, keyType: 'RSA' })
  const found = body.errors.map((one: { source: { pointer: string } }) => one.source.pointer)
  assert.deepEqual(found.toSorted(), ['/countryName', '/keyType'])
  assert.equal((await school.post('/creds/certificates', [])).body.errors.length, 1)
})
