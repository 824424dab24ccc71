import { createHash, generateKeyPairSync, type KeyObject, randomBytes, randomUUID, sign } from 'node:crypto'
import type { Dispatcher } from 'undici'
import { type Json, read, text } from '../demo/json.ts'

/** What the flows of one run share. */
export type Party = {
  /** Connections to the server. */
  readonly pool: Dispatcher
  readonly origin: string
  /** Access token of the organisation, and the template that it issues from. */
  readonly token: string
  readonly templateId: string
  /** Private key of the wallet provider, and its certificate in the form of the header `x5c`. */
  readonly provider: { readonly key: KeyObject; readonly x5c: readonly string[] }
  /** The nonce of DPoP, which is the challenge of attestations too. Each answer that has a new one replaces it. */
  nonce: string
}

/** A user and the cookies of the signed-in browser. */
export type Person = { readonly username: string; readonly cookie: string }

/** One issuance by HAIP 1.0: its requests in order, by name. Each needs those before it. */
export type Flow = Readonly<Record<(typeof requests)[number], () => Promise<void>>>

/** The requests of a flow. */
export const requests = [
  'issuance',
  'offer',
  'push',
  'authorize',
  'consent page',
  'consent',
  'code',
  'token',
  'nonce',
  'credential',
] as const

const WALLET = 'https://wallet.example'
const REDIRECT = 'https://wallet.example/cb'
const LIFETIME_SECONDS = 300

type Got = { readonly headers: Readonly<Record<string, unknown>>; readonly body: Json; readonly source: string }
type Sent = { readonly method?: Dispatcher.HttpMethod; readonly body?: string; readonly headers?: Headers }
type Headers = Readonly<Record<string, string>>
type Key = { readonly private: KeyObject; readonly jwk: object }

/** A flow under way, with what the next request needs from those before it. */
type Underway = {
  readonly party: Party
  readonly person: Person
  readonly issuer: string
  readonly key: Key
  readonly verifier: string
  address: string
  form: Record<string, string>
  issuerState: string
  accessToken: string
  cNonce: string
}

/** Returns the flow of a person with a wallet that has a new key. */
export function aFlow(party: Party, person: Person): Flow {
  const verifier = randomBytes(32).toString('base64url')
  const fixed = { party, person, issuer: `${party.origin}/issuers/acme`, key: aKey(), verifier }
  const flow: Underway = { ...fixed, address: '', form: {}, issuerState: '', accessToken: '', cNonce: '' }
  return { ...beforeTheBrowser(flow), ...inTheBrowser(flow), ...afterTheBrowser(flow) }
}

function beforeTheBrowser(flow: Underway) {
  const { party, person, issuer, key, verifier } = flow
  return {
    issuance: async () => {
      const recipient = { identifierType: 'username', value: person.username }
      const about = { credentialTemplateId: party.templateId, attributes: { name: 'x' }, recipient }
      const sent = json({ ...about, grants: ['authorization_code'] }, { authorization: `Bearer ${party.token}` })
      const { body } = await send(party, '/creds/credentials/issuance', sent, 200)
      flow.address = new URL(text(body, 'data', 'offerUri')).searchParams.get('credential_offer_uri') ?? ''
    },
    offer: async () => {
      const { body } = await send(party, flow.address, { method: 'GET' }, 200)
      flow.issuerState = text(body, 'grants', 'authorization_code', 'issuer_state')
    },
    push: async () => {
      const request = {
        client_id: WALLET,
        response_type: 'code',
        redirect_uri: REDIRECT,
        scope: 'student',
        state: 's',
        code_challenge: digest(verifier),
        code_challenge_method: 'S256',
        issuer_state: flow.issuerState,
      }
      const { body } = await send(party, `${issuer}/par`, posted(request, attested(party, key, issuer)), 201)
      const query = new URLSearchParams({ client_id: WALLET, request_uri: text(body, 'request_uri') })
      flow.address = `${issuer}/authorize?${query}`
    },
  }
}

function inTheBrowser(flow: Underway) {
  const { party, person } = flow
  const browser = { method: 'GET', headers: { cookie: person.cookie } } as const
  const redirected = async () => {
    flow.address = String((await send(party, flow.address, browser, 303)).headers.location)
  }
  return {
    authorize: redirected,
    'consent page': async () => {
      const { source } = await send(party, flow.address, browser, 200)
      const hidden = [...source.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)]
      flow.form = Object.fromEntries(hidden.map(([, name = '', value = '']) => [name, decoded(value)]))
    },
    consent: async () => {
      const headers = { ...browser.headers, 'sec-fetch-site': 'same-origin' }
      const got = await send(party, flow.address, posted({ ...flow.form, answer: 'allow' }, headers), 200)
      flow.address = String(got.headers.refresh).replace(/^0;url=/, '')
    },
    code: redirected,
  }
}

function afterTheBrowser(flow: Underway) {
  const { party, issuer, key, verifier } = flow
  return {
    token: async () => {
      const code = new URL(flow.address).searchParams.get('code') ?? ''
      const grant = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: REDIRECT }
      const proofs = { ...attested(party, key, issuer), ...dpop(party, key, `${issuer}/token`) }
      const { body } = await send(party, `${issuer}/token`, posted({ ...grant, client_id: WALLET }, proofs), 200)
      flow.accessToken = text(body, 'access_token')
    },
    nonce: async () => {
      flow.cNonce = text((await send(party, `${issuer}/nonce`, {}, 200)).body, 'c_nonce')
    },
    credential: async () => {
      const { accessToken, cNonce } = flow
      const header = { typ: 'openid4vci-proof+jwt', jwk: key.jwk, key_attestation: keyAttestation(party, key, cNonce) }
      const proof = jwt(key.private, header, { iss: WALLET, aud: issuer, nonce: cNonce })
      const bound = dpop(party, key, `${issuer}/credential`, accessToken)
      const body = { credential_configuration_id: 'student', proofs: { jwt: [proof] } }
      const sent = json(body, { authorization: `DPoP ${accessToken}`, ...bound })
      await send(party, `${issuer}/credential`, sent, 200)
    },
  }
}

/** @throws Error for another status */
async function send(party: Party, address: string, sent: Sent, status: number): Promise<Got> {
  const { method = 'POST', body = null, headers = {} } = sent
  const path = address.replace(party.origin, '')
  const answer = await party.pool.request({ origin: party.origin, method, path, body, headers })
  const source = await answer.body.text()
  if (answer.statusCode !== status) throw new Error(`${method} ${path}: ${answer.statusCode} ${source.slice(0, 500)}`)
  if (typeof answer.headers['dpop-nonce'] === 'string') party.nonce = answer.headers['dpop-nonce']
  return { headers: answer.headers, body: source.startsWith('{') ? read(source) : source, source }
}

function json(body: object, headers: Headers): Sent {
  return { body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } }
}

function posted(body: Record<string, string>, headers: Headers): Sent {
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  return { body: new URLSearchParams(body).toString(), headers: { ...type, ...headers } }
}

function attested({ provider, nonce }: Party, key: Key, issuer: string): Headers {
  const about = { iss: WALLET, sub: WALLET, exp: expiry(), cnf: { jwk: key.jwk } }
  const proof = { iss: WALLET, aud: issuer, jti: randomUUID(), challenge: nonce }
  const header = { typ: 'oauth-client-attestation+jwt', x5c: provider.x5c }
  return {
    'oauth-client-attestation': jwt(provider.key, header, about),
    'oauth-client-attestation-pop': jwt(key.private, { typ: 'oauth-client-attestation-pop+jwt' }, proof),
  }
}

function keyAttestation({ provider }: Party, { jwk }: Key, nonce: string): string {
  const header = { typ: 'key-attestation+jwt', x5c: provider.x5c }
  return jwt(provider.key, header, { attested_keys: [jwk], nonce, exp: expiry() })
}

function dpop({ nonce }: Party, key: Key, url: string, token?: string): Headers {
  const ath = token === undefined ? {} : { ath: digest(token) }
  const claims = { htm: 'POST', htu: url, jti: randomUUID(), nonce, ...ath }
  return { dpop: jwt(key.private, { typ: 'dpop+jwt', jwk: key.jwk }, claims) }
}

function aKey(): Key {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return { private: privateKey, jwk: publicKey.export({ format: 'jwk' }) }
}

function jwt(key: KeyObject, header: object, payload: object): string {
  const parts = [
    { alg: 'ES256', ...header },
    { iat: Math.floor(Date.now() / 1000), ...payload },
  ]
  const input = parts.map((one) => Buffer.from(JSON.stringify(one)).toString('base64url')).join('.')
  const signature = sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' })
  return `${input}.${signature.toString('base64url')}`
}

function expiry(): number {
  return Math.floor(Date.now() / 1000) + LIFETIME_SECONDS
}

function digest(value: string): string {
  return createHash('sha256').update(value).digest('base64url')
}

function decoded(value: string): string {
  return value.replaceAll(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
}
