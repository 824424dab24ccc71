import assert from 'node:assert/strict'
import type { IncomingHttpHeaders } from 'node:http'
import { after, before, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import type { TenantId, UserId } from '../../caller.ts'
import { generateKeyPair } from '../../crypto/jwk.ts'
import { signCompact } from '../../crypto/jws.ts'
import { softwareKey } from '../../crypto/signing-key.ts'
import { applyBootstrap } from '../../directory/bootstrap/apply-bootstrap.ts'
import { getTenant } from '../../directory/tenants/find-tenant.ts'
import { newId } from '../../store/row-id.ts'
import { platformTenantId, sql } from '../../store/store.ts'
import { aPlatform } from '../test-support/a-platform.ts'
import { authenticate } from './authenticate.ts'
import { signAccessToken } from './platform-token.ts'

const disable = sql('test.authenticate.disable', 'update tenant set disabled_at = $1 where id = $2')

let db: TestDatabase
let platform: ReturnType<typeof aPlatform>
let check: ReturnType<typeof authenticate>
before(async () => {
  db = await openTestDatabase()
  platform = aPlatform(db.store)
  check = authenticate(platform)
})
after(() => db.close())

async function aTenant(): Promise<{ tenantId: TenantId; slug: string }> {
  const slug = `t-${newId()}`
  await applyBootstrap(platform, { tenants: [{ slug, name: 'Acme' }] })
  return { tenantId: (await getTenant(platform, slug)).id, slug }
}

function aToken(tenantId: TenantId) {
  return signAccessToken(platform, {
    tenantId,
    clientId: 'backend',
    userId: null,
    isActing: false,
    scopes: ['users:read'],
  })
}

function asked(headers: IncomingHttpHeaders) {
  return { headers, method: 'GET', url: `${platform.urls.publicUrl}/onboarding/whoami` }
}

function send(token: string) {
  return check(asked({ authorization: `Bearer ${token}` }), 'r1', '192.0.2.1')
}

test('a token identifies the caller', async () => {
  const { tenantId, slug } = await aTenant()
  const { scopes, expiresAt, ...caller } = await send(await aToken(tenantId))
  assert.deepEqual([...scopes], ['users:read'])
  assert.ok(expiresAt instanceof Date && expiresAt > platform.clock.now())
  assert.deepEqual(caller, {
    tenantId,
    tenantSlug: slug,
    actor: { kind: 'client', id: 'backend' },
    userId: null,
    clientId: 'backend',
    actingClientId: null,
    requestId: 'r1',
    ip: '192.0.2.1',
  })
})

test('a token of a client that acts for a user names both', async () => {
  const { tenantId } = await aTenant()
  const userId = newId() as UserId
  const token = await signAccessToken(platform, {
    tenantId,
    clientId: 'b',
    userId,
    isActing: true,
    scopes: ['wallet:read'],
  })
  const caller = await send(token)
  assert.partialDeepStrictEqual(caller, { actor: { kind: 'user', id: userId }, userId, actingClientId: 'b' })
})

test('a hot token costs no statement', async () => {
  const { tenantId } = await aTenant()
  const token = await aToken(tenantId)
  await send(token)
  const before = db.store.counts.statements
  await send(token)
  assert.equal(db.store.counts.statements, before)
})

test('no credentials, or those of another scheme, are not a bad token', async () => {
  await assert.rejects(check(asked({}), 'r', 'ip'), { code: 'token.missing' })
  await assert.rejects(check(asked({ authorization: 'Basic YTpi' }), 'r', 'ip'), { code: 'token.missing' })
  await assert.rejects(check(asked({ authorization: 'Bearer' }), 'r', 'ip'), { code: 'token.invalid' })
  await assert.rejects(check(asked({ authorization: 'Bearer a b' }), 'r', 'ip'), { code: 'token.invalid' })
})

test('a token ends at its exp, also when it is hot', async () => {
  const own = aPlatform(db.store)
  const { tenantId } = await aTenant()
  const token = await aToken(tenantId)
  const at = (seconds: number) => {
    own.clock.shiftSeconds = seconds
    return authenticate(own)(asked({ authorization: `Bearer ${token}` }), 'r', 'ip')
  }
  await at(0)
  await at(295)
  await assert.rejects(at(301), { code: 'token.invalid' })
})

test('the tokens of a tenant that was disabled are refused within seconds', async () => {
  const { tenantId } = await aTenant()
  const token = await aToken(tenantId)
  await send(token)
  await db.store.across('test', (tx) => tx.rows(disable, [new Date(), tenantId]))
  platform.clock.shiftSeconds += 6
  await assert.rejects(send(token), { code: 'token.invalid' })
})

for (const [what, claims, header] of [
  ['another issuer', { iss: 'https://other.example' }, {}],
  ['the issuer of a tenant', { iss: 'http://127.0.0.1:8080/issuers/acme' }, {}],
  ['another audience', { aud: 'https://other.example' }, {}],
  ['a list of audiences', { aud: ['http://127.0.0.1:8080', 'https://other.example'] }, {}],
  ['no exp', { exp: undefined }, {}],
  ['no scope', { scope: undefined }, {}],
  ['no tenant', { tenant: undefined }, {}],
  ['an unknown tenant', { tenant: newId() }, {}],
  ['the platform as its tenant', { tenant: platformTenantId }, {}],
  ['a subject that is neither user nor client', { sub: 'somebody' }, {}],
  ['a malformed act', { act: 'backend' }, {}],
  ['the type of another JWT [SEC-21]', {}, { typ: 'JWT' }],
  ['no type [SEC-21]', {}, { typ: undefined }],
  ['an unknown key', {}, { kid: 'unknown' }],
  ['no key id', {}, { kid: undefined }],
  ['a critical extension', {}, { crit: ['x'], x: 1 }],
] as const) {
  test(`a token with ${what} is refused`, async () => {
    const { tenantId } = await aTenant()
    const key = await platform.keys.current(platformTenantId, 'access-token')
    const good = { iss: platform.urls.auth, aud: platform.urls.publicUrl, sub: 'b', client_id: 'b', tenant: tenantId }
    const exp = Math.floor(platform.clock.now().getTime() / 1000) + 60
    const all = { ...good, scope: 'users:read', exp, ...claims }
    await assert.rejects(send(await signCompact({ typ: 'at+jwt', kid: key.kid, ...header }, all, key)), {
      code: 'token.invalid',
    })
  })
}

test('a token signed with a key of another use, or with a foreign key under our key id, is refused', async () => {
  const { tenantId } = await aTenant()
  const ours = await platform.keys.current(platformTenantId, 'access-token')
  const credentialKey = await platform.keys.current(tenantId, 'credential')
  const foreign = softwareKey(generateKeyPair().privateKey)
  const [, payload = ''] = (await aToken(tenantId)).split('.')
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
  for (const [key, kid] of [
    [credentialKey, credentialKey.kid],
    [foreign, ours.kid],
  ] as const) {
    await assert.rejects(send(await signCompact({ typ: 'at+jwt', kid }, claims, key)), { code: 'token.invalid' })
  }
})

test('tokens with invented key ids that arrive within a tenth of a second reload the keys once', async () => {
  const { tenantId } = await aTenant()
  await send(await aToken(tenantId))
  const foreign = softwareKey(generateKeyPair().privateKey)
  const before = db.store.counts.statements
  const signed = Array.from({ length: 20 }, (_, n) => signCompact({ typ: 'at+jwt', kid: `k${n}` }, {}, foreign))
  const tokens = await Promise.all(signed)
  await Promise.all(tokens.map((token) => assert.rejects(send(token), { code: 'token.invalid' })))
  assert(db.store.counts.statements - before <= 1)
})
