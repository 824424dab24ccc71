import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { after, before, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../../../test/support/database.ts'
import type { TenantId } from '../../../caller.ts'
import { readPublicJwk } from '../../../crypto/jwk.ts'
import { signCompact } from '../../../crypto/jws.ts'
import { softwareKey } from '../../../crypto/signing-key.ts'
import { applyBootstrap } from '../../../directory/bootstrap/apply-bootstrap.ts'
import type { HashCaller } from '../../../keys/slow-hashes.ts'
import { Memory } from '../../../memory/memory.ts'
import { RateLimiter } from '../../../memory/rate-limiter.ts'
import { newId } from '../../../store/row-id.ts'
import { aPlatform } from '../../test-support/a-platform.ts'
import { platformInstance } from '../platform/platform-instance.ts'
import { authenticateClient } from './authenticate-client.ts'
import { SecretChecker } from './check-secret.ts'

const first = 'the-first-secret-of-at-least-32-characters'
const second = 'the-second-secret-of-at-least-32-characters'
const limited = { code: 'request.rate_limited' }
const refused = { code: 'client.unauthenticated' }
const right = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const wrong = generateKeyPairSync('ec', { namedCurve: 'P-256' })

let db: TestDatabase
let platform: ReturnType<typeof aPlatform>
let addresses = 0
before(async () => {
  db = await openTestDatabase()
  platform = aPlatform(db.store)
})
after(() => db.close())

/** An address that no other test uses. */
function anAddress(): string {
  addresses += 1
  return `198.51.${Math.floor(addresses / 250)}.${(addresses % 250) + 1}`
}

async function aClient(clientSecret?: string) {
  const clientId = `client-${newId()}`
  const slug = `t-${newId()}`
  const jwks = { keys: [{ ...readPublicJwk(right.publicKey.export({ format: 'jwk' })) }] }
  const put = async (proof: { clientSecret: string } | { jwks: typeof jwks }) => {
    const clients = [{ clientId, scopes: ['users:read' as const], ...proof }]
    await applyBootstrap(platform, { tenants: [{ slug, name: 'Acme', clients }] })
  }
  await put(clientSecret === undefined ? { jwks } : { clientSecret })
  return { clientId, rotate: (to: string) => put({ clientSecret: to }) }
}

function withSecret(clientId: string, secret: string, ip: string) {
  return authenticateClient(platform, platformInstance(platform), { method: 'secret', clientId, secret }, ip)
}

type Assert = { readonly claims?: object; readonly namedClient?: string }

async function withAssertion(
  clientId: string,
  { privateKey }: typeof right,
  ip: string,
  { claims, namedClient }: Assert = {},
) {
  const exp = platform.clock.now().getTime() / 1000 + 60
  const good = { iss: clientId, sub: clientId, aud: platform.urls.auth, exp, jti: newId() }
  const assertion = await signCompact({ typ: 'JWT' }, { ...good, ...claims }, softwareKey(privateKey))
  return authenticateClient(
    platform,
    platformInstance(platform),
    { method: 'assertion', assertion, clientId: namedClient ?? null },
    ip,
  )
}

for (const [what, claimsAt] of [
  ['expired five minutes ago (client-assertion-with-exp-is-5-minutes-in-past)', (now: number) => ({ exp: now - 300 })],
  ['has no exp', () => ({ exp: undefined })],
  ['is valid for two hours', (now: number) => ({ exp: now + 7200 })],
  ['has no sub (client-assertion-with-no-sub)', () => ({ sub: undefined })],
  ['has another sub', () => ({ sub: 'another' })],
  ['has another iss', () => ({ iss: 'another' })],
  ['has no jti', () => ({ jti: undefined })],
  ['has no aud', () => ({ aud: undefined })],
  ['is for the PAR endpoint (par-endpoint-as-audience)', () => ({ aud: `${platform.urls.auth}/par` })],
  [
    'is for the PAR endpoint in a list (par-endpoint-as-array-audience)',
    () => ({ aud: [`${platform.urls.auth}/par`] }),
  ],
  ['is for the token endpoint (par-token-endpoint-as-audience)', () => ({ aud: `${platform.urls.auth}/token` })],
  ['was issued over 60 s in the future (iat-nbf-over-60-seconds)', (now: number) => ({ iat: now + 70, nbf: now + 70 })],
] as const) {
  test(`[FAPI 2.0 Security Profile 5.3.2.1] a client assertion that ${what} is refused`, async () => {
    const { clientId } = await aClient()
    const claims = claimsAt(Math.floor(platform.clock.now().getTime() / 1000))
    await assert.rejects(withAssertion(clientId, right, anAddress(), { claims }), refused)
  })
}

test('[FAPI 2.0 Security Profile 5.3.2.1] clocks may differ by 8 s, and client_id names the client of the assertion', async () => {
  const { clientId } = await aClient()
  const early = Math.floor(platform.clock.now().getTime() / 1000) + 8
  const accepted = await withAssertion(clientId, right, anAddress(), { claims: { iat: early, nbf: early } })
  assert.equal(accepted.clientId, clientId)
  await assert.rejects(withAssertion(clientId, right, anAddress(), { namedClient: 'another' }), refused)
})

test('forged assertions do not lock a client out, not even at its own address', async () => {
  const { clientId } = await aClient()
  const ip = anAddress()
  for (let n = 0; n < 101; n += 1) await assert.rejects(withAssertion(clientId, wrong, ip))
  assert.equal((await withAssertion(clientId, right, ip)).clientId, clientId)
})

test('[SEC-74] forged assertions count by address: after a hundred in a minute the address waits', async () => {
  const ip = anAddress()
  for (let n = 0; n < 100; n += 1) await assert.rejects(withAssertion(`client ${n}`, wrong, ip), refused)
  await assert.rejects(withAssertion('yet another', wrong, ip), limited)
  await assert.rejects(withAssertion('yet another', wrong, anAddress()), refused)
})

test('a client that proved itself within the day is not locked out by wrong secrets from its address', async () => {
  const { clientId } = await aClient(first)
  const ip = anAddress()
  await withSecret(clientId, first, ip)
  platform.clock.shiftSeconds += 7200
  for (let n = 0; n < 12; n += 1) await assert.rejects(withSecret(clientId, `guess ${n}`, ip))
  assert.equal((await withSecret(clientId, first, ip)).clientId, clientId)
})

test('a client that proved itself to another process is not locked out by wrong secrets here either', async () => {
  const { clientId } = await aClient(first)
  const ip = anAddress()
  await withSecret(clientId, first, anAddress())
  const other = { ...platform, memory: new Memory(), rateLimiter: new RateLimiter() }
  const at = (secret: string) =>
    authenticateClient(other, platformInstance(other), { method: 'secret', clientId, secret }, ip)
  for (let times = 0; times < 12; times += 1) await assert.rejects(at(`${second} ${times}`), refused)
  assert.equal((await at(first)).clientId, clientId)
})

test('a client that proved itself within the day has tries of its own for a new secret', async () => {
  const { clientId, rotate } = await aClient(first)
  const ip = anAddress()
  await withSecret(clientId, first, ip)
  await rotate(second)
  for (let n = 0; n < 12; n += 1) await assert.rejects(withSecret(clientId, `guess ${n}`, ip), refused)
  for (let n = 0; n < 101; n += 1) await assert.rejects(withSecret(`invented ${n}`, `guess ${n}`, ip))
  assert.equal((await withSecret(clientId, second, ip)).clientId, clientId)
})

test('[SEC-74] the tries of a client that proved itself are bounded, too', async () => {
  const { clientId } = await aClient(first)
  const ip = anAddress()
  await withSecret(clientId, first, ip)
  for (let n = 0; n < 60; n += 1) await assert.rejects(withSecret(clientId, `guess ${n}`, ip), refused)
  await assert.rejects(withSecret(clientId, 'one more', ip), limited)
})

test('of one network 2 slow hashes are computed and 32 wait, of a tenant whose clients proved themselves as many', async () => {
  const secrets = new SecretChecker(new Memory())
  const now = new Date()
  const checks = (count: number, caller: HashCaller) =>
    Array.from({ length: count }, () => secrets.check(null, newId(), now, caller))
  const tenantId = newId() as TenantId
  const outcomes = await Promise.allSettled([...checks(100, { ip: '192.0.2.1' }), ...checks(100, { tenantId })])
  const done = outcomes.map(({ status }) => (status === 'fulfilled' ? 1 : 0))
  assert.deepEqual(
    [done.slice(0, 100), done.slice(100)].map((some) => some.filter((one) => one === 1).length),
    // The network has two of three places, which leaves the tenant one.
    [34, 33],
  )
  for (const one of outcomes) if (one.status === 'rejected') assert.equal(one.reason.code, 'request.rate_limited')
})

test('a client that proved itself gets in while invented clients take all other places', async () => {
  const { clientId, rotate } = await aClient(first)
  await withSecret(clientId, first, anAddress())
  await rotate(second)
  const flood = Array.from({ length: 200 }, (_, n) => withSecret(`flood ${n}`, `guess ${n}`, anAddress()))
  const [own] = (await Promise.allSettled([...flood, withSecret(clientId, second, anAddress())])).toReversed()
  assert.equal(own?.status, 'fulfilled')
})
