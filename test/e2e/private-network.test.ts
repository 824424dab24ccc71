// Servers in production whose sign-in provider, webhook receiver and issuer are at a private address: this machine,
// over https.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { after, before, test } from 'node:test'
import { createServer as createTlsServer, type Server } from 'node:tls'
import { OpenidProvider } from '../../src/authorization/sign-in/test-support/openid-provider.ts'
import { PlainBrowser } from '../../src/authorization/sign-in/test-support/plain-browser.ts'
import { platformTenantId } from '../../src/store/store.ts'
import { postgresUrl } from '../support/database.ts'
import { freePort } from '../support/free-port.ts'
import { makeTemplate, openIssuance } from '../support/main-job.ts'
import { type OpenSsl, openSsl } from '../support/openssl.ts'
import { type ServerChild, serverChild } from '../support/server-child.ts'

// Production needs a PostgreSQL server.
const skip = postgresUrl === null
const setting = /OUTBOUND_ALLOWED_HOSTS/
const providers = '/onboarding/identity-providers'
const fronts: Server[] = []
const received: string[] = []
let tool: OpenSsl
let provider: OpenidProvider
let hook: string
let peerUrl: string
let offerUri: string
let peer: ServerChild
let closed: ServerChild
let open: ServerChild

before(async () => {
  if (skip) return
  tool = openSsl()
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', 'key.pem']
  const name = ['-subj', '/CN=lan', '-addext', 'subjectAltName=IP:127.0.0.1']
  tool.run('req', '-x509', '-days', '2', ...key, ...name, '-out', 'ca.pem')
  const tls = { cert: tool.read('ca.pem'), key: tool.read('key.pem') }
  const at = await listening(createServer(tls, answer))
  provider = new OpenidProvider(at)
  hook = `${at}/hook`

  const port = await freePort()
  const trust = { NODE_EXTRA_CA_CERTS: tool.path('ca.pem') }
  peerUrl = `https://127.0.0.1:${port}`
  peer = await serverChild({ PUBLIC_URL: peerUrl })
  const { port: behind } = new URL(peer.url)
  const front = createTlsServer(tls, (socket) => {
    const onward = connect(Number(behind), '127.0.0.1')
    socket.on('error', () => onward.destroy()).pipe(onward)
    onward.on('error', () => socket.destroy()).pipe(socket)
  })
  await listening(front, port)
  const school = await peer.backend()
  offerUri = (await openIssuance(school, (await makeTemplate(school, 'badge')).id)).offerUri

  const MASTER_KEY = randomBytes(32).toString('base64')
  const production = { NODE_ENV: 'production', PUBLIC_URL: 'https://chirograph.example', MASTER_KEY, ...trust }
  closed = await serverChild(production)
  open = await serverChild({ ...production, OUTBOUND_ALLOWED_HOSTS: '127.0.0.1' })
})
after(async () => {
  if (skip) return
  for (const one of [peer, closed, open]) await one?.remove()
  for (const one of fronts) one.close()
  tool.close()
})

async function listening(server: Server, port = 0): Promise<string> {
  fronts.push(server)
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done))
  server.unref()
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** The provider, and the receiver beside it. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { url = '', method, headers } = request
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const body = Buffer.concat(chunks).toString()
  received.push(url)
  if (url === '/hook') {
    response.writeHead(204).end()
    return
  }
  const { authorization = '' } = headers
  const asked = { ...(method === 'POST' && { body }), headers: { authorization }, accept: [], bytesMax: 0 }
  const answered = await provider.fetch(platformTenantId, provider.issuer + url, asked)
  response.writeHead(answered.status, { 'content-type': 'application/json' }).end(answered.body)
}

function providerBody() {
  const { issuer, clientSecret } = provider
  return { name: 'lan', issuer, clientId: 'chirograph', clientSecret, createsUsers: true }
}

test('a private address is refused where it is configured, with the name of the setting', { skip }, async () => {
  const school = await closed.backend()
  for (const [path, body, pointer] of [
    [providers, providerBody(), '/issuer'],
    ['/creds/endpoints', { url: hook }, '/url'],
  ] as const) {
    const { status, body: reply } = await school.post(path, body)
    assert.deepEqual([status, reply.errors?.[0].source.pointer], [400, pointer], JSON.stringify(reply))
    assert.match(reply.errors[0].detail, setting)
  }
  const thandi = await closed.wallet('thandi')
  const { status, body } = await thandi.post('/wallet/v2/credentials', { credentialOffer: offerUri })
  assert.deepEqual([status, body.errors?.[0].code], [502, 'UPSTREAM_ERROR'], JSON.stringify(body))
  assert.match(body.errors[0].detail, setting)
  assert.deepEqual(received, [])
})

test('with OUTBOUND_ALLOWED_HOSTS people sign in at a provider of the private network', { skip }, async () => {
  const made = await (await open.backend()).post(providers, providerBody())
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const browser = new PlainBrowser(open.url)
  await browser.open('/sign-in?tenant=acme')
  const { url } = await browser.send('/sign-in/provider/lan')
  assert.ok(url.startsWith(`${provider.issuer}/authorize?`), url)
  provider.person = { sub: '1', preferred_username: 'lerato', name: 'Lerato' }
  const account = await browser.open(provider.authorize(url))
  assert.deepEqual([account.url, account.status], ['/account', 200], account.html)
})

test('with OUTBOUND_ALLOWED_HOSTS a receiver of the private network gets its webhooks', { skip }, async () => {
  const school = await open.backend()
  const made = await school.post('/creds/endpoints', { url: hook })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const tested = await school.post(`/creds/endpoints/${made.body.data.id}/test`)
  assert.partialDeepStrictEqual(tested.body.data.attempt, { statusCode: 204, error: null })
  assert.ok(received.includes('/hook'))
})

test('with OUTBOUND_ALLOWED_HOSTS a wallet receives from an issuer of the private network', { skip }, async () => {
  const thandi = await open.wallet('thandi')
  const school = await open.backend()
  const issuer = `${peerUrl}/issuers/acme`
  const trusted = await school.post('/creds/trusted-entities', { name: 'Peer', issuers: [issuer] })
  assert.equal(trusted.status, 201, JSON.stringify(trusted.body))
  const { status, body } = await thandi.post('/wallet/v2/credentials', { credentialOffer: offerUri })
  assert.equal(status, 201, JSON.stringify(body))
})
