// The foreign side is `oidc-provider`, which knows nothing of this project; what it would never issue is signed with
// its key by `jose`.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { generateKeyPair, SignJWT } from 'jose'
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { platformOn } from '../../../test/support/platform.ts'
import type { TenantId } from '../../caller.ts'
import { readConfig } from '../../config.ts'
import { applyBootstrap } from '../../directory/bootstrap/apply-bootstrap.ts'
import { getTenant } from '../../directory/tenants/find-tenant.ts'
import { openOutbound } from '../../http/outbound/outbound.ts'
import { limits } from '../../memory/limits.ts'
import { Memory } from '../../memory/memory.ts'
import type { Platform } from '../../platform.ts'
import { newId } from '../../store/row-id.ts'
import { sql } from '../../store/store.ts'
import { ForeignProvider } from '../test-support/foreign-provider.ts'
import { authenticate } from './authenticate.ts'
import type { IdentityProvider } from './identity-provider.ts'
import { putProvider } from './identity-provider-store.ts'

const API = 'https://chirograph.example/api'
const refused = { code: 'token.invalid' }
let db: TestDatabase
const foreign = new ForeignProvider(API)
const closers: (() => Promise<unknown>)[] = []
before(async () => {
  db = await openTestDatabase()
  await foreign.open()
})
after(async () => {
  for (const close of closers) await close()
  await foreign.stop()
  await db.close()
})

/**
 * A server with a clock of its own, which reaches foreign addresses. `fetched` counts the documents that it asked for.
 */
function aServer() {
  const clock = { shiftSeconds: 0, now: () => new Date(Date.now() + clock.shiftSeconds * 1000) }
  const config = readConfig({})
  const outbound = openOutbound({ config, memory: new Memory(), inside: () => Promise.reject(new Error('not called')) })
  closers.push(outbound.close)
  let fetched = 0
  const platform = platformOn({
    store: db.store,
    config,
    clock,
    fetch: (...call) => {
      fetched += 1
      return outbound.fetch(...call)
    },
  })
  const check = authenticate(platform)
  const send = (token: string, ip = '192.0.2.1') =>
    check({ headers: { authorization: `Bearer ${token}` }, method: 'GET', url: config.publicUrl }, 'r', ip)
  return { platform, clock, send, fetched: () => fetched }
}

const users = [
  { username: 'thandi', externalIdentifier: 'E1', roles: ['verifier' as const] },
  { username: 'gone', externalIdentifier: 'E2', enabled: false },
]

async function aTenant(platform: Platform, change: Partial<IdentityProvider> = {}) {
  const slug = `t-${newId()}`
  await applyBootstrap(platform, { tenants: [{ slug, name: 'Acme', users }] })
  const { id: tenantId } = await getTenant(platform, slug)
  const audience = change.audience ?? `${API}/${slug}`
  await addProvider(platform, tenantId, { audience, ...change })
  return { tenantId, slug, audience }
}

async function addProvider({ store }: Platform, tenantId: TenantId, change: Partial<IdentityProvider>) {
  const id = newId()
  const provider = {
    id,
    name: `p-${id}`,
    displayName: 'P',
    issuer: foreign.issuer,
    clientId: 'chirograph',
    sealedClientSecret: null,
    scopes: [],
    createsUsers: false,
    signIn: false,
    acceptTokens: true,
    audience: API,
    namesPeople: true,
    claims: {
      username: 'preferred_username',
      email: 'email',
      roles: '/realm/roles',
      externalIdentifier: 'employee_id',
    },
    roles: { issuing: ['issuer' as const] },
    ...change,
  }
  await store.inTenant(tenantId, (tx) => putProvider(tx, provider, new Date()))
  return id
}

test('a token of the provider is the user whom it names, with the mapped roles, in the tenant of the provider', async () => {
  const { platform, send } = aServer()
  const { tenantId, slug, audience } = await aTenant(platform)
  const other = await aTenant(platform)
  const claims = { employee_id: 'E1', realm: { roles: ['issuing', 'king', 'owner'] }, tenant: other.tenantId }
  const caller = await send(await foreign.token(claims, audience))
  assert.deepEqual([caller.tenantId, caller.tenantSlug, caller.actor.kind], [tenantId, slug, 'user'])
  const expected = ['issuance:read', 'issuance:write', 'trust:read', 'users:read', 'wallet:read', 'wallet:write']
  assert.deepEqual([...caller.scopes].toSorted(), expected)
})

test('a token names its user by a claim with one value in an array, as a sign-in does', async () => {
  const { platform, send } = aServer()
  const { audience } = await aTenant(platform)
  const [plain, wrapped] = [{ employee_id: 'E1' }, { employee_id: ['E1'] }]
  const { actor } = await send(await foreign.token(plain, audience))
  assert.deepEqual((await send(await foreign.token(wrapped, audience))).actor, actor)
  await assert.rejects(send(await foreign.token({ employee_id: ['E1', 'E9'] }, audience)), refused)
})

const impersonations = sql(
  'test.authorization.impersonations',
  `select subject_id as subject, actor_kind as "actorKind", actor_id as "actorId", result, detail from audit_entry
   where tenant_id = $1 and action = 'user.impersonated'`,
)

test('that a token stands for a person is in the audit trail, once a token', async () => {
  const { platform, send } = aServer()
  const { tenantId, audience } = await aTenant(platform)
  const token = await foreign.token({ employee_id: 'E1' }, audience)
  const { actor } = await send(token)
  await send(token)
  const found = await db.store.single(tenantId, (tx) => tx.rows<Record<string, unknown>>(impersonations, [tenantId]))
  const [{ actorId, ...entry } = {}, ...others] = found
  assert.deepEqual(entry, {
    subject: actor.id,
    actorKind: 'client',
    result: 'done',
    detail: { way: 'token_of_identifier' },
  })
  assert.match(String(actorId), /^identity_provider [0-9a-f-]{36}$/)
  assert.deepEqual(others, [])
})

test('without a claim for roles, those of the user here count; without one for the identifier, the username', async () => {
  const { platform, send } = aServer()
  const claims = { username: 'preferred_username', email: 'email', roles: null, externalIdentifier: null }
  const { audience } = await aTenant(platform, { claims })
  const caller = await send(
    await foreign.token({ preferred_username: 'THANDI', realm: { roles: ['issuing'] } }, audience),
  )
  assert(caller.scopes.has('verification:write') && !caller.scopes.has('issuance:write'))
})

for (const alg of ['RS256', 'PS256', 'EdDSA', 'ES256']) {
  test(`a token signed with ${alg} is accepted, and a new key is found`, async () => {
    const { platform, send, clock } = aServer()
    const { audience } = await aTenant(platform)
    await send(await foreign.token({ employee_id: 'E1' }, audience))
    await foreign.rotate(alg)
    clock.shiftSeconds = 61
    await send(await foreign.token({ employee_id: 'E1' }, audience))
  })
}

test('unknown keys are looked for once a minute', async () => {
  const { platform, send, clock, fetched } = aServer()
  const { audience } = await aTenant(platform)
  await send(await foreign.token({ employee_id: 'E1' }, audience))
  const start = fetched()
  const invented = () => foreign.forged({ employee_id: 'E1', aud: audience }, { kid: newId() })
  for (let n = 0; n < 5; n += 1) await assert.rejects(send(await invented()), refused)
  assert.equal(fetched() - start, 0)
  clock.shiftSeconds = 61
  await Promise.all([1, 2, 3, 4].map(async () => assert.rejects(send(await invented()), refused)))
  assert.equal(fetched() - start, 2, 'metadata and keys, once')
})

test('the keys serve for a day while the provider does not answer, and a withdrawn key ends', async () => {
  const { platform, send, clock } = aServer()
  const { audience } = await aTenant(platform)
  const token = (shift: number) =>
    foreign.forged({ employee_id: 'E1', aud: audience, exp: Math.floor(Date.now() / 1000) + shift + 300, jti: newId() })
  await send(await token(0))
  await foreign.stop()
  for (const shift of [3_600, 43_200, 86_000]) {
    clock.shiftSeconds = shift
    await send(await token(shift))
  }
  clock.shiftSeconds = 86_500
  await assert.rejects(send(await token(86_500)), refused)
  await foreign.start()
  clock.shiftSeconds = 86_700
  await send(await token(86_700))
  const old = await token(90_000)
  await foreign.rotate()
  clock.shiftSeconds = 88_000
  // Served by the known key while the keys are loaded again.
  await send(
    await foreign.forged({ employee_id: 'E1', aud: audience, exp: Math.floor(Date.now() / 1000) + 90_000 }),
  ).catch(() => undefined)
  await new Promise((resolve) => setTimeout(resolve, 300))
  await assert.rejects(send(old), refused)
})

test('a provider that is down from the start refuses tokens, and is asked once a minute', async () => {
  const { platform, send, clock, fetched } = aServer()
  const { audience } = await aTenant(platform)
  const token = await foreign.token({ employee_id: 'E1' }, audience)
  await foreign.stop()
  for (let n = 0; n < 3; n += 1) await assert.rejects(send(token), refused)
  assert.equal(fetched(), 1)
  await foreign.start()
  clock.shiftSeconds = 61
  await send(token)
})

const seconds = () => Math.floor(Date.now() / 1000)
const good = { employee_id: 'E1' }
for (const [what, claims, header] of [
  ['an expiry more than 60 s ago', () => ({ exp: seconds() - 62 }), {}],
  ['no expiry', () => ({ exp: undefined }), {}],
  ['a start more than 60 s from now', () => ({ nbf: seconds() + 65 }), {}],
  ['another audience', () => ({ aud: 'https://other.example' }), {}],
  ['no audience', () => ({ aud: undefined }), {}],
  ['a slash more in the issuer', () => ({ iss: `${foreign.issuer}/` }), {}],
  ['a number as issuer', () => ({ iss: 1 }), {}],
  ['a nonce, as ID tokens have', () => ({ nonce: 'n' }), { typ: 'JWT' }],
  ['a hash of another token, as ID tokens have', () => ({ at_hash: 'h' }), { typ: 'JWT' }],
  ['no type', () => ({}), { typ: undefined }],
  ['the type of a logout token', () => ({}), { typ: 'logout+jwt' }],
  ['a critical extension', () => ({}), { crit: ['b64'], b64: true }],
  ['a binding to a key', () => ({ cnf: { jkt: 'x' } }), {}],
  ['an unknown user', () => ({ employee_id: 'E9' }), {}],
  ['a disabled user', () => ({ employee_id: 'E2' }), {}],
  ['no claim for the user', () => ({ employee_id: undefined }), {}],
  ['a NUL in the claim', () => ({ employee_id: 'E1\0' }), {}],
  ['only the username of a user', () => ({ employee_id: undefined, preferred_username: 'thandi' }), {}],
] as const) {
  test(`an external token with ${what} is refused`, async () => {
    const { platform, send } = aServer()
    const { audience } = await aTenant(platform)
    await send(await foreign.forged({ ...good, aud: audience }))
    await assert.rejects(send(await foreign.forged({ ...good, aud: audience, ...claims() }, header)), refused)
  })
}

test('a leeway of 60 s is given to the clock of the provider, and typ JWT is accepted', async () => {
  const { platform, send } = aServer()
  const { audience } = await aTenant(platform)
  await send(await foreign.forged({ ...good, aud: audience, exp: seconds() - 50 }))
  await send(await foreign.forged({ ...good, aud: audience, nbf: seconds() + 50 }, { typ: 'JWT' }))
  await send(await foreign.forged({ ...good, aud: ['account', audience] }))
})

test('no signature, a MAC under the public key, another key, another algorithm of the key: refused', async () => {
  const { platform, send } = aServer()
  const { audience } = await aTenant(platform)
  await foreign.rotate('RS256')
  const token = await foreign.token(good, audience)
  await send(token)
  const [head = '', payload = '', signature = ''] = token.split('.')
  const header = JSON.parse(Buffer.from(head, 'base64url').toString())
  const encoded = (change: object) => Buffer.from(JSON.stringify({ ...header, ...change })).toString('base64url')
  const { n, e, kty, kid } = foreign.key()
  const publicKeys = [JSON.stringify({ kty, n, e }), JSON.stringify({ kty, n, e, kid }), n ?? '']
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
  const macs = publicKeys.map((secret) =>
    new SignJWT(claims).setProtectedHeader({ ...header, alg: 'HS256' }).sign(new TextEncoder().encode(secret)),
  )
  const { privateKey } = await generateKeyPair('RS256')
  const other = await new SignJWT(claims).setProtectedHeader(header).sign(privateKey)
  const bad = [
    `${encoded({ alg: 'none' })}.${payload}.`,
    `${encoded({ alg: 'none' })}.${payload}.${signature}`,
    `${encoded({ alg: 'PS256' })}.${payload}.${signature}`,
    `${encoded({ alg: 'RS512' })}.${payload}.${signature}`,
    `${head}.${payload}.${signature.slice(0, -4)}AAAA`,
    `${head}.${encoded({ ...claims, employee_id: 'E3' })}.${signature}`,
    other,
    ...(await Promise.all(macs)),
  ]
  for (const one of bad) await assert.rejects(send(one), refused)
  await foreign.rotate()
})

test('two tenants at one provider are told apart by the audience; a token for both is refused', async () => {
  const { platform, send } = aServer()
  const [one, two] = [await aTenant(platform), await aTenant(platform)]
  for (const { tenantId, audience } of [one, two]) {
    assert.equal((await send(await foreign.token(good, audience))).tenantId, tenantId)
  }
  await assert.rejects(send(await foreign.forged({ ...good, aud: [one.audience, two.audience] })), refused)
  await assert.rejects(addProvider(platform, two.tenantId, { audience: one.audience }), { code: '23505' })
})

test('a provider that accepts no tokens, or whose metadata are those of another issuer, opens nothing', async () => {
  const { platform, send } = aServer()
  const { audience } = await aTenant(platform, { acceptTokens: false })
  await assert.rejects(send(await foreign.token(good, audience)), refused)
  const issuer = foreign.issuer.replace('127.0.0.1', 'localhost')
  const lying = await aTenant(platform, { issuer })
  await assert.rejects(send(await foreign.forged({ ...good, aud: lying.audience, iss: issuer })), refused)
})

test('a hot external token costs no statement; a change of the user shows within a minute', async () => {
  const { platform, send, clock } = aServer()
  const { audience, slug } = await aTenant(platform)
  const token = await foreign.token(good, audience)
  await send(token)
  const before = db.store.counts.statements
  await send(token)
  assert.equal(db.store.counts.statements, before)
  const changed = [{ username: 'thandi', externalIdentifier: 'E1', enabled: false }]
  await applyBootstrap(platform, { tenants: [{ slug, name: 'Acme', users: changed }] })
  clock.shiftSeconds = 61
  await assert.rejects(send(token), refused)
})

test('[SEC-74] tokens of unknown issuers are counted by address; a known issuer, other addresses and the next minute are not concerned', async () => {
  const { platform, send, clock } = aServer()
  const { audience } = await aTenant(platform)
  await send(await foreign.token({ employee_id: 'E1' }, audience))
  const { countMax } = limits['authorization.unknown_issuers']
  const invented = () => foreign.forged({ aud: audience, iss: `https://${newId()}.example` })
  for (let n = 0; n < countMax; n += 1) await assert.rejects(send(await invented()), refused)
  await assert.rejects(send(await invented()), { code: 'request.rate_limited' })
  await assert.rejects(send(await invented(), '192.0.2.2'), refused)
  await send(await foreign.token({ employee_id: 'E1' }, audience))
  clock.shiftSeconds = 61
  await assert.rejects(send(await invented()), refused)
})
