// multipaz (Kotlin) on the other side, in the program of peers/multipaz, in both formats: its wallet redeems our offers
// and answers our requests, and its verifier verifies what our wallet presents. Responses by redirect are encrypted: to
// requests without encryption multipaz responds with an unsecured JWT, which OpenID4VP does not have.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createPrivateKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { text as textOf } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { decodeJwt } from 'jose'
import type { PlainBrowser } from '../../src/authorization/sign-in/test-support/plain-browser.ts'
import { leafExtensions, openssl, rootExtensions } from '../../src/crypto/x509-path/test-support/openssl.ts'
import { mdl } from '../../src/protocols/mdoc/mdl.ts'
import { aPerson } from '../support/oauth-person.ts'
import { type Api, type Deployment, deploy } from '../support/server.ts'

const program = process.env.PEERS_MULTIPAZ
const skip = program === undefined ? 'the program with multipaz is not built: npm run test:peers builds it' : false

const text = { type: 'string' }
/** What is issued in each format, what is requested of it, and how multipaz names each claim. */
const formats = {
  'dc+sd-jwt': {
    template: {
      name: 'Diploma',
      attributes: { given_name: text, degree: text, address: { type: 'object', properties: { locality: text } } },
    },
    attributes: { given_name: 'Zoë', degree: 'BSc', address: { locality: 'Köln' } },
    requested: { degree: {}, address: { properties: { locality: text } } },
    shown: { degree: 'BSc', address: { locality: 'Köln' } },
    claims: { '["given_name"]': 'Zoë', '["degree"]': 'BSc', '["address"]': { locality: 'Köln' } },
    paths: [['degree'], ['address', 'locality']],
    shared: { '["degree"]': 'BSc', '["address"]': { locality: 'Köln' } },
  },
  mso_mdoc: {
    template: {
      name: 'Member card',
      format: 'mdoc',
      docType: 'org.example.card.1',
      attributes: {
        [mdl.nameSpace]: { family_name: text, birth_date: { type: 'date' }, age_over_18: { type: 'boolean' } },
      },
      batchSize: 2,
    },
    attributes: { [mdl.nameSpace]: { family_name: 'Molefe', birth_date: '2001-03-14', age_over_18: true } },
    requested: { [mdl.nameSpace]: { properties: { family_name: {}, age_over_18: {} } } },
    shown: { [mdl.nameSpace]: { family_name: 'Molefe', age_over_18: true } },
    claims: {
      [`${mdl.nameSpace}/family_name`]: 'Molefe',
      [`${mdl.nameSpace}/birth_date`]: '2001-03-14',
      [`${mdl.nameSpace}/age_over_18`]: true,
    },
    paths: [
      [mdl.nameSpace, 'family_name'],
      [mdl.nameSpace, 'age_over_18'],
    ],
    shared: { [`${mdl.nameSpace}/family_name`]: 'Molefe', [`${mdl.nameSpace}/age_over_18`]: true },
  },
}
type Name = keyof typeof formats
const names = ['dc+sd-jwt', 'mso_mdoc'] as const
let count = 0

/** A page on which a person shows a credential. */
const SHOP = 'https://shop.example'
const REQUEST_OBJECT = 'application/oauth-authz-req+jwt'
/** The wallet provider and the verifier of multipaz, certified by openssl. */
const tool = openssl()
const years = { from: '200101000000Z', until: '491231235959Z' }
const authority = tool.make({ subject: '/C=ZA/CN=Peers', extensions: rootExtensions, ...years })
const extensions = leafExtensions.slice(0, 3)
const certified = tool.make({ subject: '/C=ZA/CN=Peer', issuer: authority, extensions, ...years })
const ofPeer = {
  key: createPrivateKey(readFileSync(certified.keyFile)).export({ format: 'jwk' }),
  certificate: certified.pem,
}

let chirograph: Deployment
let school: Api
let thandi: Api
let root: string
let college: Api
let collegeRoot: string
let anele: PlainBrowser
before(async () => {
  if (skip !== false) return
  const walletFormats = ['vc+sd-jwt', 'mso_mdoc']
  chirograph = await deploy({}, {}, { acme: { walletFormats }, globex: { haip: true } })
  school = await chirograph.backend('acme')
  thandi = await chirograph.wallet('acme', 'thandi')
  const about = { keyType: 'P-256', countryName: 'NL', issuerAlternativeNameUrl: `${chirograph.url}/issuers/acme` }
  root = (await made(school, '/creds/certificates', { type: 'issuerRoot', ...about })).certificate
  await made(school, '/creds/certificates', { type: 'verifierRoot', ...about })
  college = await chirograph.backend('globex')
  collegeRoot = (await made(college, '/creds/certificates', { type: 'issuerRoot', ...about })).certificate
  await made(college, '/creds/certificates', { type: 'verifierRoot', ...about })
  const peers = { name: 'Peers', certificates: [authority.pem] }
  await made(school, '/creds/trusted-entities', { ...peers, purposes: ['verifier'] })
  await made(college, '/creds/trusted-entities', { ...peers, purposes: ['attester'] })
  anele = await aPerson(chirograph, college, 'anele')
})
after(async () => {
  tool.remove()
  await chirograph?.stop()
})

async function made(by: Api, path: string, body: object) {
  const reply = await by.post(path, body)
  assert.ok(reply.status < 300, JSON.stringify(reply.body))
  return reply.body.data
}

/**
 * Returns what the program answers: see peers/multipaz/src/main/kotlin/Main.kt.
 *
 * @param answered Returns the answer to what the program asks.
 */
async function peer(ask: object, answered?: (asks: string) => Promise<string>) {
  const java = process.env.JAVA_HOME === undefined ? 'java' : `${process.env.JAVA_HOME}/bin/java`
  const child = spawn(java, ['-jar', program ?? ''], { stdio: 'pipe' })
  const log = textOf(child.stderr)
  child.stdin.write(`${JSON.stringify(ask)}\n`)
  try {
    for await (const line of createInterface(child.stdout)) {
      const said = JSON.parse(line)
      if (said.asks === undefined) return said
      child.stdin.write(`${await answered?.(said.asks)}\n`)
    }
    assert.fail(await log)
  } finally {
    child.stdin.end()
  }
}

/** Makes a template and offers it. @returns its id and type, the link of the offer and the transaction code */
async function offered(by: Api, name: Name, more: { readonly template?: object; readonly issuance?: object } = {}) {
  const template = { ...formats[name].template, code: `type-${++count}`, ...more.template }
  const { id: templateId, type } = await made(by, '/creds/templates/credentials', template)
  const issuance = { credentialTemplateId: templateId, attributes: formats[name].attributes, ...more.issuance }
  const { offerUri: offer, txCode } = await made(by, '/creds/credentials/issuance', issuance)
  return { templateId, type, offer, ...(txCode !== undefined && { txCode }) }
}

/** Requests a credential. @returns the request, and how its result is checked */
async function requested(by: Api, name: Name, type: string, more: object = {}) {
  const asked = { type, attributes: formats[name].requested, ...(name === 'mso_mdoc' && { format: 'mdoc' }) }
  const { id: presentationTemplateId } = await made(by, '/creds/templates/presentations', {
    name: 'Club',
    description: 'To join',
    credentials: [asked],
    verifierConfig: { signer: 'certificate', responseMode: 'direct_post.jwt' },
  })
  const request = await made(by, '/creds/presentations/request', { presentationTemplateId, ...more })
  const assertVerified = async () => {
    const { data } = (await by.get(`/creds/presentations/${request.id}`)).body
    assert.equal(data.status, 'verified', JSON.stringify(data))
    assert.deepEqual(data.credentials[0].attributes, formats[name].shown)
  }
  return { ...request, assertVerified }
}

/** What multipaz says of the credentials that it got. */
function assertHeld(held: Awaited<ReturnType<typeof peer>>, name: Name): void {
  const copies = name === 'mso_mdoc' ? 2 : 1
  assert.deepEqual(held.findings, Array(copies).fill([]))
  assert.deepEqual(held.isTrusted, Array(copies).fill(true))
  for (const claims of held.claims) assert.partialDeepStrictEqual(claims, formats[name].claims)
}

for (const [name, template] of [
  ['dc+sd-jwt', { txCode: { length: 6, inputMode: 'numeric' } }],
  ['mso_mdoc', {}],
] as const)
  test(`the wallet of multipaz redeems an offer of ${name} and answers our request with it`, { skip }, async () => {
    const { type, ...offer } = await offered(school, name, { template })
    const { authorizationRequestUri: link, assertVerified } = await requested(school, name, type)
    assertHeld(await peer({ do: 'hold', ...offer, root, link }), name)
    await assertVerified()
  })

for (const [name, signing] of [
  ['dc+sd-jwt', 'signed'],
  ['mso_mdoc', 'unsigned'],
] as const)
  test(`under HAIP the wallet of multipaz gets ${name} by sign-in, attested, and shows it to a page`, {
    skip,
  }, async () => {
    const recipient = { identifierType: 'username', value: 'anele' }
    const { type, offer } = await offered(college, name, { issuance: { recipient, grants: ['authorization_code'] } })
    const digitalCredentials = { origins: [SHOP], protocols: [signing] }
    const { digitalCredentialsUri: uri, assertVerified } = await requested(college, name, type, { digitalCredentials })
    const [request] = (await chirograph.nobody.get(uri)).body.digital.requests
    assert.equal(request.protocol, `openid4vp-v1-${signing}`)
    const ask = { do: 'hold', offer, attester: ofPeer, root: collegeRoot }
    const held = await peer({ ...ask, browser: { ...request, origin: SHOP } }, agreed)
    assertHeld(held, name)
    const { protocol, data } = held.answer
    const form = { protocol, data: JSON.stringify(data) }
    const posted = await chirograph.nobody.form(uri, form, { origin: SHOP })
    assert.equal(posted.status, 200, JSON.stringify(posted.body))
    await assertVerified()
  })

/** Lets Anele agree at the college. @returns where the browser is sent */
async function agreed(address: string): Promise<string> {
  const page = await anele.open(address.replace(chirograph.url, ''))
  assert.equal(page.status, 200, page.html)
  const { url } = await anele.send('/issuers/globex/consent', { answer: 'allow' })
  return new URL(url, chirograph.url).href
}

/** Verifies by multipaz what our wallet presents to it. */
async function verifiedByPeer(dcql: object, trusted: string) {
  const forms: URLSearchParams[] = []
  let object = ''
  const server = createServer(async (request, response) => {
    if (request.method === 'POST') forms.push(new URLSearchParams(await textOf(request)))
    const [type, body] = request.method === 'POST' ? ['application/json', '{}'] : [REQUEST_OBJECT, object]
    response.writeHead(200, { 'content-type': type }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  try {
    const ask = { do: 'verify', dcql, responseUri: `${url}/response`, verifier: ofPeer, root: trusted }
    return await peer(ask, async (asks) => {
      object = asks
      const { client_id } = decodeJwt(asks) as { client_id: string }
      const link = new URLSearchParams({ client_id, request_uri: `${url}/request` })
      const { id } = await made(thandi, '/wallet/v2/presentations', { presentationRequest: `openid4vp://?${link}` })
      const { status, body } = await thandi.patch(`/wallet/v2/presentations/${id}`, { status: 'answered' })
      assert.equal(status, 200, JSON.stringify(body))
      return JSON.stringify(Object.fromEntries(forms[0] ?? []))
    })
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

for (const name of names)
  test(`multipaz verifies the ${name} that our wallet presents, and its status`, { skip }, async () => {
    const { templateId, type, offer: credentialOffer } = await offered(school, name)
    const [{ id }] = await made(thandi, '/wallet/v2/credentials', { credentialOffer })
    await thandi.patch(`/wallet/v2/credentials/${id}`, { status: 'accepted' })
    const meta = name === 'mso_mdoc' ? { doctype_value: type } : { vct_values: [type] }
    const claims = formats[name].paths.map((path) => ({ path }))
    const query = { credentials: [{ id: 'q', format: name, meta, claims }] }
    const before = await verifiedByPeer(query, root)
    assert.deepEqual([before.isTrusted, before.status], [true, 'VALID'])
    assert.partialDeepStrictEqual(before.claims, formats[name].shared)
    const stranger = await verifiedByPeer(query, authority.pem)
    assert.equal(stranger.isTrusted, false)
    await made(school, '/creds/credentials/revoke', { filter: { templateId } })
    assert.equal((await verifiedByPeer(query, root)).status, 'INVALID')
  })
