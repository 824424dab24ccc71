// Made from the lists of routes and endpoints: each operation is asked with every kind of token that must not open it,
// each of which is right in all but one respect. An operation that is not in the table of public ones, and forgets a
// check, fails here.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import { after, before, test } from 'node:test'
import { type App, buildApp } from '../../src/app.ts'
import { type Scope, scopes, type TenantId } from '../../src/caller.ts'
import { readConfig } from '../../src/config.ts'
import { endpoints, routes } from '../../src/contributions.ts'
import { sha256Base64url } from '../../src/crypto/digest.ts'
import { generateKeyPair, readPublicJwk, thumbprint } from '../../src/crypto/jwk.ts'
import { signCompact } from '../../src/crypto/jws.ts'
import { randomBytes } from '../../src/crypto/random.ts'
import { type SigningKey, softwareKey } from '../../src/crypto/signing-key.ts'
import { applyBootstrap } from '../../src/directory/bootstrap/apply-bootstrap.ts'
import { getTenant } from '../../src/directory/tenants/find-tenant.ts'
import { getUser } from '../../src/directory/users/find-user.ts'
import type { Endpoint } from '../../src/http/routes/endpoint.ts'
import type { Route } from '../../src/http/routes/route.ts'
import { newId } from '../../src/store/row-id.ts'
import { platformTenantId } from '../../src/store/store.ts'
import { openTestDatabase, type TestDatabase } from '../support/database.ts'
import { freePort } from '../support/free-port.ts'
import { makeEverything, type Objects } from '../support/main-job.ts'
import { publicOperations } from '../support/public-operations.ts'
import { ask, isOfPlatform, isPersonal, knownIdFor, nameOf, pathOf, unknownId } from '../support/route-requests.ts'
import { type Api, api, bootstrap, type Reply, vapidTestKey } from '../support/server.ts'

const issuance = ['issuance:read', 'issuance:write'] as const
const verification = ['verification:read', 'verification:write'] as const
const trust = ['trust:read', 'trust:write'] as const
const admin = ['tenant:admin', 'tenant:admin'] as const
const people = ['users:read', 'users:write'] as const
const everyCaller = [null, null] as const
/**
 * The scopes of each part of the API, to read and to change; the longest prefix counts. An operation with another one
 * is a mistake here or there.
 */
const scopesOf: Readonly<Record<string, readonly [read: Scope | null, write: Scope | null]>> = {
  '/wallet': ['wallet:read', 'wallet:write'],
  '/wallet/v2/credential-offers/resolve': ['wallet:read', 'wallet:read'],
  '/wallet/orgs/credentials': issuance,
  '/wallet/v2/orgs/credentials': issuance,
  '/wallet/v2/orgs/presentations': verification,
  '/wallet/v2/orgs/deliveries': people,
  '/creds/templates/credentials': issuance,
  '/creds/credentials': issuance,
  '/creds/credentials/issuance/{id}/attributes': ['issuance:write', null],
  '/creds/types': everyCaller,
  '/creds/templates/presentations': verification,
  '/creds/presentations': verification,
  '/creds/stats': ['audit:read', 'audit:read'],
  '/creds/overview': everyCaller,
  '/creds/search': everyCaller,
  '/creds/audit': ['audit:read', 'audit:read'],
  '/creds/certificates': trust,
  '/creds/trusted-entities': trust,
  '/creds/verification-pages': verification,
  '/creds/endpoints': ['events:read', 'webhooks:write'],
  '/creds/events': ['events:read', 'events:read'],
  '/onboarding/users': people,
  '/onboarding/groups': people,
  '/onboarding/clients': admin,
  '/onboarding/identity-providers': admin,
  '/onboarding/scim-tokens': admin,
  '/onboarding/me': everyCaller,
  '/onboarding/organisation': trust,
  '/onboarding/tenants': ['platform:admin', 'platform:admin'],
}

/** Bodies that fit their schema, for the endpoints that check it before the token. */
const endpointBodies: Readonly<Record<string, object>> = {
  'POST /issuers/{tenant}/deferred-credential': { transaction_id: 'none' },
  'POST /issuers/{tenant}/notification': { notification_id: 'none', event: 'credential_accepted' },
}

// Object.keys loses the type of the keys.
const allScopes = Object.keys(scopes) as Scope[]
let db: TestDatabase
let app: App
let url: string
let objects: Objects
let nobody: Api
const tenants = new Map<string, TenantId>()
const users = new Map<string, string>()

before(async () => {
  db = await openTestDatabase()
  const port = await freePort()
  url = `http://127.0.0.1:${port}`
  const quiet = () => undefined
  const log = { debug: quiet, info: quiet, warn: quiet, error: console.error }
  const env = { PORT: String(port), PUBLIC_URL: url, VAPID_PRIVATE_KEY: vapidTestKey }
  const config = readConfig({ ...env, DRAIN_SECONDS: '0' })
  const clock = { now: () => new Date() }
  app = buildApp({ config, store: db.store, masterKey: randomBytes(32), log, clock, keyDevice: null })
  const lerato = { username: 'lerato', email: 'lerato@example.org', externalIdentifier: 'ACME-ONLY' }
  await applyBootstrap(app.platform, {
    tenants: bootstrap.tenants.map((one) => ({
      ...one,
      users: one.slug === 'acme' ? [...one.users, lerato] : one.users,
    })),
  })
  for (const { slug } of bootstrap.tenants) {
    const { id } = await getTenant(app.platform, slug)
    tenants.set(slug, id)
    for (const name of ['thandi', 'pieter']) {
      users.set(`${slug} ${name}`, (await db.store.single(id, (tx) => getUser(tx, 'username', name))).id)
    }
  }
  await app.listen()
  nobody = api(url, null)
  const holder = async (tenant: string, name: string) => api(url, await tokenOf(walletOf(tenant, name)))
  const backend = async (tenant: string) => api(url, await tokenOf(backendOf(tenant)))
  const people = { nobody, backend, idle: backend, operator: () => backend('globex'), wallet: holder }
  const deployment = { url, servers: [url], ...people, stop: app.close }
  const made = await makeEverything(deployment)
  // Names that only one tenant has, so that finding them is finding those of the other one.
  objects = { ...made, '/onboarding/users': 'lerato', '/onboarding/users/by-external-identifier': 'ACME-ONLY' }
})
after(async () => {
  await app.close()
  await db.close()
})

type Claims = Readonly<Record<string, unknown>>
type Forge = { readonly claims?: Claims; readonly header?: Claims; readonly key?: SigningKey }

function backendOf(tenant: string): Claims {
  const id = `${tenant}-backend`
  return { sub: id, client_id: id, tenant: tenants.get(tenant), scope: 'tenant:admin users:impersonate' }
}

/** What its token has besides that of a backend. */
const operator = { scope: 'platform:admin' }

function walletOf(tenant: string, user: string): Claims {
  const scope = 'wallet:read wallet:write'
  return { ...backendOf(tenant), sub: users.get(`${tenant} ${user}`), act: { sub: `${tenant}-backend` }, scope }
}

/** A token as the platform signs it, except for what is forged. */
async function tokenOf(subject: Claims, { claims = {}, header = {}, key }: Forge = {}): Promise<string> {
  const own = await app.platform.keys.current(platformTenantId, 'access-token')
  const now = Math.floor(Date.now() / 1000)
  const good = { iss: `${url}/auth`, aud: url, iat: now, exp: now + 300, jti: newId(), ...subject }
  return signCompact({ typ: 'at+jwt', kid: own.kid, ...header }, { ...good, ...claims }, key ?? own)
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

/** The headers of a request, from the claims of the subject that may use the operation. */
type Row = (
  subject: Claims,
  operation: { readonly method: string; readonly url: string },
) => Promise<Record<string, string>>

function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` }
}

const forged = (forge: Forge | (() => Forge)): Row => {
  return async (subject) => bearer(await tokenOf(subject, typeof forge === 'function' ? forge() : forge))
}

const boundKey = generateKeyPair()
const otherKey = generateKeyPair()
const boundClaims = { cnf: { jkt: thumbprint(boundKey.publicJwk) } }

/** A token that is bound to a key, sent with a proof of another one that is right in every other respect. */
const proofOfAnotherKey: Row = async (subject, { method, url: htu }) => {
  const token = await tokenOf(subject, { claims: boundClaims })
  const headers = async (htm: string, htu: string, nonce?: string) => {
    const iat = Math.floor(Date.now() / 1000)
    const claims = { htm, htu, iat, jti: newId(), ath: sha256Base64url(token), nonce }
    const proof = await signCompact(
      { typ: 'dpop+jwt', jwk: otherKey.publicJwk },
      claims,
      softwareKey(otherKey.privateKey),
    )
    return { authorization: `DPoP ${token}`, dpop: proof }
  }
  // The first answer tells the nonce.
  const types = `${url}/creds/types`
  const { headers: answered } = await fetch(types, { headers: await headers('GET', types) })
  return headers(method, htu, answered.get('dpop-nonce') ?? undefined)
}

const dpopRows: Readonly<Record<string, Row>> = {
  'a DPoP token as Bearer, without a proof': forged({ claims: boundClaims }),
  'a DPoP token without a proof': async (subject) => ({
    authorization: `DPoP ${await tokenOf(subject, { claims: boundClaims })}`,
  }),
  'a DPoP token with the proof of another key': proofOfAnotherKey,
}

const rows: Readonly<Record<string, Row>> = {
  'no token': async () => ({}),
  'a malformed token': async () => bearer('not-a-token'),
  'a token in another scheme': async (subject) => ({ authorization: `Basic ${await tokenOf(subject)}` }),
  'an expired token': forged(() => ({ claims: { exp: Math.floor(Date.now() / 1000) - 1 } })),
  'a token without an end': forged({ claims: { exp: undefined } }),
  'a token of another issuer': forged({ claims: { iss: 'https://other.example/auth' } }),
  "a token of a tenant's issuer": forged(() => ({ claims: { iss: `${url}/issuers/acme` } })),
  'a token for another audience': forged({ claims: { aud: 'https://other.example' } }),
  'a token of an unknown tenant': forged({ claims: { tenant: unknownId } }),
  'a token of the platform itself': forged({ claims: { tenant: platformTenantId } }),
  'an ID token': forged({ header: { typ: 'JWT' } }),
  'a token signed with another key': forged(() => ({ key: softwareKey(generateKeyPair().privateKey) })),
  'a token with alg none': async (subject) => {
    const [, payload = ''] = (await tokenOf(subject)).split('.')
    return bearer(`${encoded({ typ: 'at+jwt', alg: 'none' })}.${payload}.`)
  },
  'a token with a MAC under the public key': async (subject) => {
    const { kid, publicJwk } = await app.platform.keys.current(platformTenantId, 'access-token')
    const [, payload = ''] = (await tokenOf(subject)).split('.')
    const input = `${encoded({ typ: 'at+jwt', alg: 'HS256', kid })}.${payload}`
    const mac = createHmac('sha256', JSON.stringify(readPublicJwk(publicJwk)))
      .update(input)
      .digest('base64url')
    return bearer(`${input}.${mac}`)
  },
  ...dpopRows,
}

for (const route of routes) {
  const name = nameOf(route)
  const subjectOf = () =>
    isPersonal(route) ? walletOf('acme', 'thandi') : { ...backendOf('acme'), ...(isOfPlatform(route) && operator) }

  test(`${name}: a token that may is let through, and no other token is`, async () => {
    const path = pathOf(route, unknownId)
    const good = await ask(nobody, route, path, bearer(await tokenOf(subjectOf())))
    assert(![401, 403].includes(good.status), `the right token: ${good.status}`)
    for (const [what, row] of Object.entries(rows)) {
      const headers = await row(subjectOf(), { method: route.method, url: `${url}${path}` })
      const reply = await ask(nobody, route, path, headers)
      assert.equal(reply.status, 401, `${what}: ${JSON.stringify(reply.body)}`)
    }
  })

  test(`${name}: it needs the scope of its part of the API`, () => {
    const path = `/${route.group}${route.path}`
    const prefixes = Object.keys(scopesOf).filter((one) => path === one || path.startsWith(`${one}/`))
    const [read, write] = scopesOf[prefixes.toSorted().at(-1) ?? ''] ?? []
    assert.notEqual(read, undefined, 'no row says which scope it needs')
    assert.equal(route.scope, route.method === 'GET' ? read : write)
  })

  const { scope } = route
  if (scope !== null) {
    test(`${name}: a token with every scope but its own is refused`, async () => {
      const others = allScopes.filter(
        (one) => one !== scope && (one !== 'tenant:admin' || scope === 'users:impersonate'),
      )
      const token = await tokenOf(subjectOf(), { claims: { scope: others.join(' ') } })
      const path = pathOf(route, knownOr(route))
      refused(await ask(nobody, route, path, bearer(token)), [403])
      if (route.body === undefined) return
      for (const [what, length] of Object.entries(unfinished)) {
        assert.equal(await beforeBody(route.method, path, { ...bearer(token), ...length }), 403, what)
      }
    })
  }

  if (route.path.includes('{')) {
    test(`${name}: ids of another tenant, or of another person's wallet, open nothing`, async () => {
      const path = pathOf(route, knownIdFor(objects, route))
      const strangers = isPersonal(route)
        ? [walletOf('globex', 'thandi'), walletOf('acme', 'pieter')]
        : [backendOf('globex')]
      for (const stranger of strangers) {
        refused(await ask(nobody, route, path, bearer(await tokenOf(stranger))), [403, 404])
      }
    })
  }

  // It names the caller, user or client, and nothing of a wallet.
  if (isPersonal(route) && route.path !== '/v2/whoami') {
    test(`${name}: a client that acts for no user has no wallet`, async () => {
      const token = await tokenOf(backendOf('acme'), { claims: { scope: 'wallet:read wallet:write tenant:admin' } })
      refused(await ask(nobody, route, pathOf(route, knownOr(route)), bearer(token)), [401, 403, 404])
    })
  }
}

for (const endpoint of endpoints) {
  const name = `${endpoint.method} ${endpoint.path}`
  if (name in publicOperations) continue
  test(`${name}: no token of ours, right or wrong, opens it`, async () => {
    const path = endpoint.path.replace('{tenant}', 'acme').replaceAll(/\{[^}]+\}/g, unknownId)
    for (const [what, row] of Object.entries(rows)) {
      const reply = await askEndpoint(
        endpoint,
        path,
        await row(backendOf('acme'), { method: endpoint.method, url: `${url}${path}` }),
      )
      assert([401, 403, 404].includes(reply.status), `${what}: ${reply.status} ${JSON.stringify(reply.body)}`)
    }
    if (endpoint.callerOf === undefined || endpoint.accepts === 'none') return
    const lesser = bearer(await tokenOf(backendOf('acme'), { claims: { scope: 'audit:read' } }))
    for (const [what, length] of Object.entries(unfinished)) {
      const status = await beforeBody(endpoint.method, path, { ...lesser, ...length })
      assert([401, 403, 404].includes(status ?? 0), `${what}: ${status}`)
    }
  })
}

function knownOr(route: Route): string {
  return route.path.includes('{') ? knownIdFor(objects, route) : unknownId
}

function askEndpoint(endpoint: Endpoint, to: string, headers: Record<string, string>): Promise<Reply> {
  const { method, accepts, path: written } = endpoint
  if (accepts === 'none') return nobody.send(method, to, undefined, headers)
  const type = accepts === 'form' ? 'application/x-www-form-urlencoded' : 'application/json'
  const body = accepts === 'form' ? '' : JSON.stringify(endpointBodies[`${method} ${written}`] ?? {})
  return nobody.send(method, to, body, { 'content-type': type, ...headers })
}

const unfinished = {
  'a body without an end': {},
  'a body of a terabyte': { 'content-length': '1000000000000' },
}

/** Sends the head of a request and the begin of its body, which never ends. @returns the status of the answer */
async function beforeBody(method: string, path: string, headers: Record<string, string>): Promise<number | undefined> {
  const sent = request(`${url}${path}`, { method, headers: { 'content-type': 'application/json', ...headers } })
  sent.write('{"a":"')
  try {
    const [{ statusCode }] = await once(sent, 'response', { signal: AbortSignal.timeout(5000) })
    return statusCode
  } finally {
    sent.on('error', () => undefined).destroy()
  }
}

function refused(reply: Reply, statuses: readonly number[]): void {
  assert(statuses.includes(reply.status), `${reply.status} ${JSON.stringify(reply.body)}`)
}
