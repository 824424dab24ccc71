// What does an issuance by HAIP 1.0 cost the server, beside the crypto floor under the same load? Of each flow: the issuance, a pushed request with a
// client attestation, the pages of the holder, token and credential with DPoP, and a key attestation. Run: node bench/haip.ts [--seconds 20]
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, randomUUID, sign } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Pool } from 'undici'
import { type Json, read, text } from '../demo/json.ts'
import { startServer } from '../demo/server-process.ts'
import { PlainBrowser } from '../src/authorization/sign-in/test-support/plain-browser.ts'
import { leafExtensions, openssl, rootExtensions } from '../src/crypto/x509-path/test-support/openssl.ts'
import { startPostgres } from '../test/support/postgres.ts'
import { startFloorBeside } from './crypto-floor.ts'
import { countersOf, openClient } from './measure.ts'

/** A flow costs the server at most so many times the crypto floor of a plain issuance. */
const TIMES_MAX = 15
const AT_ONCE = 8
const WALLET = 'https://wallet.example'
const REDIRECT = 'https://wallet.example/cb'

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '20' } } })
const seconds = Number(values.seconds)
if (!(seconds > 0)) throw new Error('--seconds must be a number above 0')

const secret = 'a-secret-for-the-bench-only-0123456789abcdef'
const people = Array.from({ length: AT_ONCE }, (_, at) => `person-${at}`)
const clients = [{ clientId: 'backend', clientSecret: secret, scopes: ['tenant:admin', 'users:impersonate'] }]
const users = people.map((username) => ({ username, enabled: true }))
const tenants = [{ slug: 'acme', name: 'Acme College', settings: { haip: true }, clients, users }]

const tool = openssl()
const years = { from: '200101000000Z', until: '491231235959Z' }
const authority = tool.make({ subject: '/C=ZA/CN=Providers', extensions: rootExtensions, ...years })
const subject = { subject: '/C=ZA/CN=Provider', issuer: authority, extensions: leafExtensions.slice(0, 3), ...years }
const provider = tool.make(subject)
const postgres = await startPostgres({ durable: true })
const folder = mkdtempSync(join(tmpdir(), 'chirograph-bench-'))
const file = join(folder, 'bootstrap.json')
writeFileSync(file, JSON.stringify({ tenants }))
const server = await startServer({ DATABASE_URL: postgres.url, DATA_DIR: folder, BOOTSTRAP_FILE: file })
const client = openClient([server.url], 4)
const pool = new Pool(server.url, { connections: AT_ONCE })
const issuer = `${server.url}/issuers/acme`

type Sent = { readonly body?: string; readonly headers?: Record<string, string> }
type Got = { readonly status: number; readonly headers: Record<string, unknown>; readonly body: Json }

async function post(path: string, { body = '', headers = {} }: Sent): Promise<Got> {
  const answer = await pool.request({ method: 'POST', path: path.replace(server.url, ''), body, headers })
  const source = await answer.body.text()
  return { status: answer.statusCode, headers: answer.headers, body: source.startsWith('{') ? read(source) : source }
}

const json = (body: object, headers: Record<string, string> = {}) => ({
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json', ...headers },
})
const form = (body: Record<string, string>, headers: Record<string, string>) => ({
  body: new URLSearchParams(body).toString(),
  headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
})

type Key = { readonly private: KeyObject; readonly jwk: object }

function aKey(): Key {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return { private: privateKey, jwk: publicKey.export({ format: 'jwk' }) }
}

function jwt(key: KeyObject | string, header: object, payload: object): string {
  const parts = [
    { alg: 'ES256', ...header },
    { iat: Math.floor(Date.now() / 1000), ...payload },
  ]
  const input = parts.map((one) => Buffer.from(JSON.stringify(one)).toString('base64url')).join('.')
  return `${input}.${sign('sha256', Buffer.from(input), { key: key as KeyObject, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`
}

const providerKey = readFileSync(provider.keyFile, 'utf8')
const x5c = [provider.certificate.der.toString('base64')]
const soon = () => Math.floor(Date.now() / 1000) + 300
/** The nonce of DPoP and the challenge of attestations are one. */
let nonce = ''

function attested(key: Key): Record<string, string> {
  const about = { iss: WALLET, sub: WALLET, exp: soon(), cnf: { jwk: key.jwk } }
  const proof = { iss: WALLET, aud: issuer, jti: randomUUID(), challenge: nonce }
  return {
    'oauth-client-attestation': jwt(providerKey, { typ: 'oauth-client-attestation+jwt', x5c }, about),
    'oauth-client-attestation-pop': jwt(key.private, { typ: 'oauth-client-attestation-pop+jwt' }, proof),
  }
}

function dpop(key: Key, url: string, token?: string): Record<string, string> {
  const ath = token === undefined ? {} : { ath: createHash('sha256').update(token).digest('base64url') }
  const claims = { htm: 'POST', htu: url, jti: randomUUID(), nonce, ...ath }
  return { dpop: jwt(key.private, { typ: 'dpop+jwt', jwk: key.jwk }, claims) }
}

function expect(got: Got, status: number): Json {
  if (typeof got.headers['dpop-nonce'] === 'string') nonce = got.headers['dpop-nonce']
  if (got.status !== status) throw new Error(`${got.status} ${JSON.stringify(got.body)}`)
  return got.body
}

/** One issuance of a person by a wallet with a new key. */
async function flow(token: string, templateId: string, at: number, browser: PlainBrowser): Promise<void> {
  const recipient = { identifierType: 'username', value: people[at] }
  const made = {
    credentialTemplateId: templateId,
    attributes: { name: 'x' },
    recipient,
    grants: ['authorization_code'],
  }
  const bearer = { authorization: `Bearer ${token}` }
  const issuance = expect(await post('/creds/credentials/issuance', json(made, bearer)), 200)
  const offerUri = new URL(text(issuance, 'data', 'offerUri')).searchParams.get('credential_offer_uri') ?? ''
  const offer = read(await (await fetch(offerUri)).text())
  const [key, verifier] = [aKey(), randomBytes(32).toString('base64url')]
  const request = {
    ...{ client_id: WALLET, response_type: 'code', redirect_uri: REDIRECT, scope: 'student', state: 's' },
    ...{ code_challenge: createHash('sha256').update(verifier).digest('base64url'), code_challenge_method: 'S256' },
    issuer_state: text(offer, 'grants', 'authorization_code', 'issuer_state'),
  }
  const pushed = expect(await post(`${issuer}/par`, form(request, attested(key))), 201)
  const opened = new URLSearchParams({ client_id: WALLET, request_uri: text(pushed, 'request_uri') })
  await browser.open(`/issuers/acme/authorize?${opened}`)
  const { url } = await browser.send('/issuers/acme/consent', { answer: 'allow' })
  const code = new URL(url).searchParams.get('code') ?? ''
  const grant = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: REDIRECT }
  const proofs = { ...attested(key), ...dpop(key, `${issuer}/token`) }
  const tokens = expect(await post(`${issuer}/token`, form({ ...grant, client_id: WALLET }, proofs)), 200)
  const cNonce = text(expect(await post(`${issuer}/nonce`, {}), 200), 'c_nonce')
  const attestation = { attested_keys: [key.jwk], nonce: cNonce, exp: soon() }
  const key_attestation = jwt(providerKey, { typ: 'key-attestation+jwt', x5c }, attestation)
  const header = { typ: 'openid4vci-proof+jwt', jwk: key.jwk, key_attestation }
  const proof = jwt(key.private, header, { iss: WALLET, aud: issuer, nonce: cNonce })
  const accessToken = text(tokens, 'access_token')
  const headers = { authorization: `DPoP ${accessToken}`, ...dpop(key, `${issuer}/credential`, accessToken) }
  const body = { credential_configuration_id: 'student', proofs: { jwt: [proof] } }
  expect(await post(`${issuer}/credential`, json(body, headers)), 200)
}

async function prepare(): Promise<{ token: string; templateId: string; browsers: PlainBrowser[] }> {
  const grant = { grant_type: 'client_credentials', client_id: 'backend', client_secret: secret }
  const token = text(await client.send('POST', '/auth/token', { form: grant }), 'access_token')
  const about = { type: 'issuerRoot', keyType: 'P-256', countryName: 'ZA' }
  const root = { ...about, issuerAlternativeNameUrl: 'https://acme.example' }
  await client.send('POST', '/creds/certificates', { token, json: root })
  const trusted = { name: 'Providers', certificates: [authority.pem], purposes: ['attester'] }
  await client.send('POST', '/creds/trusted-entities', { token, json: trusted })
  const student = { name: 'Student', code: 'student', attributes: { name: { type: 'string', required: true } } }
  const templateId = text(
    await client.send('POST', '/creds/templates/credentials', { token, json: student }),
    'data',
    'id',
  )
  const browsers: PlainBrowser[] = []
  for (const username of people) {
    const invited = await client.send('POST', `/onboarding/users/${username}/invitation`, { token, json: {} })
    const browser = new PlainBrowser(server.url)
    await browser.open(text(invited, 'data', 'link'))
    await browser.send('/sign-in/link', { password: secret, repeated: secret })
    browsers.push(browser)
  }
  nonce = text(expect(await post(`${issuer}/challenge`, {}), 200), 'attestation_challenge')
  return { token, templateId, browsers }
}

async function run(lasts: number, work: Awaited<ReturnType<typeof prepare>>): Promise<number> {
  const until = performance.now() + lasts * 1000
  let flows = 0
  const worker = async (browser: PlainBrowser, at: number) => {
    while (performance.now() < until) {
      await flow(work.token, work.templateId, at, browser)
      flows += 1
    }
  }
  await Promise.all(work.browsers.map(worker))
  return flows
}

try {
  console.log(`${cpus()[0]?.model}, ${cpus().length} cores, Node ${process.version}, ${seconds} s`)
  const work = await prepare()
  await run(seconds / 2, work)
  const beside = startFloorBeside('issuance')
  const before = await countersOf(client)
  const flows = await run(seconds, work)
  const after = await countersOf(client)
  const { median } = await beside.stop()
  const cpuMs = ((after.cpuSeconds - before.cpuSeconds) / flows) * 1000
  const statements = (after.statements - before.statements) / flows
  const verdict = cpuMs / median <= TIMES_MAX ? 'pass' : 'FAIL'
  console.log(
    `${verdict}  haip: ${flows} flows, CPU ${cpuMs.toFixed(2)} ms a flow, floor beside it ${median.toFixed(3)} ms: ${(cpuMs / median).toFixed(1)} times of at most ${TIMES_MAX}; ${statements.toFixed(1)} statements`,
  )
  if (verdict === 'FAIL') process.exitCode = 1
} finally {
  await pool.close()
  await client.close()
  await server.stop()
  await postgres.stop()
  tool.remove()
  rmSync(folder, { recursive: true, force: true })
}
