import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { sql } from '../../../store/store.ts'
import { aPerson, atProvider, warningsIn } from '../test-support/at-a-provider.ts'
import { type Lie, OpenidProvider } from '../test-support/openid-provider.ts'
import { aBrowser, aName, type Servers, twoServers } from '../test-support/person.ts'
import type { FailureReason } from './failure-reason.ts'
import { beginProviderSignIn, finishProviderSignIn } from './sign-in-by-provider.ts'

const op = new OpenidProvider()
const lines: Record<string, unknown>[] = []
let servers: Servers
const { aTenant, begin, signIn } = atProvider(op, () => servers)
before(async () => {
  servers = await twoServers({ fetch: op.fetch, log: warningsIn(lines) })
})
after(() => servers.db.close())
beforeEach(() => {
  op.lie = {}
  lines.length = 0
})

const refusals = sql(
  'test.failure_reason.refusals',
  `select detail from audit_entry where tenant_id = $1 and action = 'user.authenticated' and result = 'refused'`,
)
const seconds = () => Math.floor(Date.now() / 1000)
const failures: readonly (readonly [what: string, reason: FailureReason, lie: Lie, person?: object])[] = [
  [
    'an algorithm that the metadata do not name',
    'signature',
    { metadata: { id_token_signing_alg_values_supported: ['HS256'] } },
  ],
  ['another key', 'signature', { isSignedByAnother: true }],
  ['no signature', 'signature', { alg: 'none' }],
  ['encryption', 'signature', { tokens: { id_token: 'eyJhbGciOiJSU0EtT0FFUCJ9.e.e.e.e' } }],
  ['another issuer', 'issuer', { claims: { iss: 'https://op.example/' } }],
  ['another audience', 'audience', { claims: { aud: 'another' } }],
  ['more audiences without azp', 'audience', { claims: { aud: ['chirograph', 'another'] } }],
  ['another nonce', 'nonce', { claims: { nonce: 'AAAA' } }],
  ['no nonce', 'claims', { claims: { nonce: undefined } }],
  ['an expiry in the past', 'clock', { claims: { exp: seconds() - 3600 } }],
  ['a validity in the future', 'clock', { claims: { nbf: seconds() + 3600 } }],
  ['a subject that is no ASCII text', 'subject', {}, { sub: 'jérôme' }],
  ['a subject that is a number', 'claims', {}, { sub: 7 }],
  ['no ID token beside it', 'response', { tokens: { id_token: undefined } }],
  ['another kind of access token', 'response', { tokens: { token_type: 'mac' } }],
]
for (const [what, reason, lie, person] of failures) {
  test(`a sign-in by an ID token with ${what} fails for the reason ${reason}, in the log and the audit trail`, async () => {
    const { tenantId, ...tenant } = await aTenant({ createsUsers: true })
    op.lie = lie
    const outcome = await signIn(tenant, { ...aPerson({ preferred_username: aName() }), ...person })
    assert.ok(outcome.kind === 'refused' && outcome.problem === 'provider')
    assert.deepEqual([...new Set(lines.map((line) => line.reason))], [reason])
    const found = await servers.one.store.single(tenantId, (tx) =>
      tx.rows<{ detail: Record<string, unknown> }>(refusals, [tenantId]),
    )
    assert.deepEqual(
      found.map(({ detail }) => detail.reason),
      [reason],
    )
  })
}

test('a person of whom only an unverified address could be known is refused for that reason', async () => {
  const username = aName()
  const tenant = await aTenant({}, [{ username, email: `${username}@example.org` }])
  for (const [email, reason] of [
    [`${username}@example.org`, 'unverified_address'],
    [undefined, 'unknown'],
  ]) {
    lines.length = 0
    const outcome = await signIn(tenant, aPerson({ email }))
    assert.ok(outcome.kind === 'refused' && outcome.problem === 'unknown')
    assert.deepEqual(
      lines.map((line) => line.reason),
      [reason],
    )
  }
})

const answers: readonly (readonly [reason: FailureReason, change: (back: string) => string])[] = [
  ['declined', (back) => back.replace(/code=[^&]+/, 'error=access_denied')],
  ['authorization', (back) => back.replace(/code=[^&]+/, 'error=invalid_scope')],
  ['declined', (back) => back.replace(/code=[^&]+/, 'error=access_denied').replace(/&state=[^&]+/, '')],
  ['code', (back) => back.replace(/code=[^&]+/, 'code=wrong')],
  ['issuer', (back) => back.replace(/iss=[^&]+/, `iss=${encodeURIComponent('https://evil.example')}`)],
  ['issuer', (back) => back.replace(/&iss=[^&]+/, '')],
]
for (const [reason, change] of answers) {
  test(`the answer ${change('?code=&state=&iss=')} fails for the reason ${reason}`, async () => {
    const tenant = await aTenant({ createsUsers: true })
    op.person = aPerson()
    const { url, cookie } = await begin(tenant)
    const outcome = await finishProviderSignIn(servers.two, change(op.authorize(url)), aBrowser(cookie))
    assert.ok(outcome.kind === 'refused' && outcome.problem === 'provider')
    assert.deepEqual([...new Set(lines.map((line) => line.reason))], [reason])
  })
}

const plainly = (status: number, body: string) => {
  const contentType = 'text/plain'
  return { status, contentType, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: Buffer.from(body) }
}
for (const [reason, detail, tokenAnswer] of [
  ['client', 'invalid_client', plainly(400, '{"error":"invalid_client"}')],
  ['code', 'invalid_grant', plainly(400, '{"error":"invalid_grant"}')],
  ['response', 'unexpected HTTP response status code', plainly(400, '<p>secret</p>')],
  ['response', 'unexpected HTTP response status code', plainly(502, 'secret')],
] as const) {
  test(`a token response ${tokenAnswer.status} ${tokenAnswer.body} fails for the reason ${reason}`, async () => {
    const tenant = await aTenant({ createsUsers: true })
    op.lie = { tokenAnswer }
    const outcome = await signIn(tenant, aPerson())
    assert.ok(outcome.kind === 'refused' && outcome.problem === 'provider')
    const [line] = lines
    assert.deepEqual([line?.reason, line?.detail], [reason, detail])
  })
}

test('a log line has the fault of the outbound client', async () => {
  const { slug: tenantSlug } = await aTenant()
  op.lie = { isDown: true }
  assert.equal(await beginProviderSignIn(servers.one, { tenantSlug, provider: 'school', loginHint: null }, null), null)
  const [line] = lines
  assert.deepEqual([line?.reason, line?.detail], ['unavailable', 'upstream.unreachable'])
})

test('an answer with an error and a code, but without the state, signs nobody in', async () => {
  const tenant = await aTenant({ createsUsers: true })
  op.person = aPerson()
  const { url, cookie } = await begin(tenant)
  const back = `${op.authorize(url).replace(/&state=[^&]+/, '')}&error=access_denied`
  const outcome = await finishProviderSignIn(servers.two, back, aBrowser(cookie))
  assert.ok(outcome.kind === 'refused' && outcome.problem === 'provider')
})

test('a log line says which check failed, and nothing of the response', async () => {
  const { slug: tenantSlug } = await aTenant()
  op.lie = { metadata: { issuer: 'https://secret.example' } }
  assert.equal(await beginProviderSignIn(servers.one, { tenantSlug, provider: 'school', loginHint: null }, null), null)
  const [{ reason, detail } = {}] = lines
  assert.equal(reason, 'issuer')
  assert.match(String(detail), /issuer/)
  assert.ok(!JSON.stringify(lines).includes('secret'))
})
