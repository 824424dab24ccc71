import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { aTenantWith, twoServers } from '../../authorization/sign-in/test-support/person.ts'
import type { Caller, UserId } from '../../caller.ts'
import type { SessionBody } from '../../contract/wallet/issuance-sessions.ts'
import type { Fault } from '../../fault.ts'
import { newId } from '../../store/row-id.ts'
import { publishProviderRoot } from '../issuer-access/wallet-provider.ts'
import { fetchDeferredJob } from '../offers/fetch-deferred.ts'
import type { CodeOptions } from '../test-support/code-server.ts'
import { fault } from '../test-support/fault.ts'
import { type ForeignIssuer, foreignIssuer, type Options } from '../test-support/foreign-issuer.ts'
import { describes, elsewhere, huge, refusedWithout, says, sends } from '../test-support/lies.ts'
import { anMdocHolder } from '../test-support/mdoc-holder.ts'
import { type Bench, openBench } from '../test-support/wallet-platform.ts'
import { createSession } from './create-session.ts'
import { finishSession } from './finish-session.ts'
import { sweepIssuanceSessions } from './jobs.ts'
import { watchedSessions } from './session-store.ts'
import { getSession } from './show-session.ts'

type Person = Caller & { readonly userId: UserId }

let bench: Bench
before(async () => {
  bench = await openBench()
})
after(() => bench.close())

const provider = () => publishProviderRoot(bench.platform)

async function withIssuer(options: Options, run: (issuer: ForeignIssuer) => Promise<void>): Promise<void> {
  const issuer = await foreignIssuer({ code: {}, ...options })
  try {
    await run(issuer)
  } finally {
    await issuer.close()
  }
}

async function begin(person: Person, body: SessionBody) {
  const id = newId()
  await createSession(bench.platform, person, body, id)
  return getSession(bench.platform, person, id)
}

const offerOf = (issuer: ForeignIssuer): SessionBody => ({ credentialOffer: issuer.offerUri })
const visitor = ({ tenantId, tenantSlug, userId, actor }: Person) =>
  ({ tenantId, tenantSlug, userId, by: { actor, actingClientId: null, ip: '127.0.0.1', requestId: 'r' } }) as const
const finish = (person: Person, query: URLSearchParams) => finishSession(bench.platform, visitor(person), query)
const callsTo = (issuer: ForeignIssuer, place: string) => issuer.calls.filter((one) => one.place === place)

/** Runs a whole session, as a browser would. */
async function signedIn(person: Person, issuer: ForeignIssuer, body: SessionBody = offerOf(issuer)) {
  const session = await begin(person, body)
  const query = issuer.code.authorize(session.authorizationUrl ?? '')
  return { session, query, outcome: await finish(person, query) }
}

const kinds: readonly (readonly [string, CodeOptions])[] = [
  ['a plain request', {}],
  ['a pushed request', { pushed: true }],
  [
    'a pushed request, DPoP with nonces and a wallet attestation with challenge',
    { pushed: true, dpop: true, attested: true },
  ],
]
for (const [what, code] of kinds) {
  test(`a holder who signs in at an issuer receives the credential, by ${what} [W-A1, VCI-O1]`, () =>
    withIssuer({ code: { ...code, provider } }, async (issuer) => {
      const thandi = await bench.person()
      const { session, outcome } = await signedIn(thandi, issuer)
      assert.deepEqual(outcome, { kind: 'completed' })
      assert.equal(session.status, 'pending')
      const after = await getSession(bench.platform, thandi, session.id)
      assert.equal(after.status, 'completed')
      assert.equal(after.authorizationUrl, null)
      const held = await bench.rows(thandi.tenantId, 'wallet_credential')
      assert.deepEqual(
        after.credentialIds,
        held.map(({ id }) => id),
      )
      const [request] = issuer.code.opened
      assert.equal(request?.get('issuer_state'), 'the-state')
      assert.equal(request?.get('scope'), 'membership')
      assert.equal(request?.get('resource'), issuer.issuer)
      assert.equal(request?.get('redirect_uri'), 'http://localhost:1/issuance-sessions/callback')
      const [row] = await bench.rows(thandi.tenantId, 'wallet_issuance_session')
      assert.equal(row?.sealed_work, null)
      assert.equal(callsTo(issuer, 'token').length, code.dpop ? 2 : 1, 'a nonce is learned once')
      assert.equal(callsTo(issuer, 'credential').length, code.dpop ? 2 : 1)
    }))
}

test('a server that refuses the pushed request without attestation gets one, there and for the code [W-A1]', () =>
  withIssuer({ code: { pushed: true, provider } }, async (issuer) => {
    const refuse = refusedWithout('oauth-client-attestation', 'invalid_client')
    issuer.lie({ reply: { par: refuse, token: refuse } })
    const { outcome } = await signedIn(await bench.person(), issuer)
    assert.equal(outcome.kind, 'completed')
    assert.deepEqual([callsTo(issuer, 'par').length, callsTo(issuer, 'token').length], [2, 1])
  }))

test('a server that takes registered clients only is told before the holder signs in [W-A1]', () =>
  withIssuer({ code: { pushed: true } }, async (issuer) => {
    issuer.lie({ reply: { server: says({ token_endpoint_auth_methods_supported: ['private_key_jwt'] }) } })
    const refused = await fault(begin(await bench.person(), offerOf(issuer)))
    assert.equal(refused.code, 'offer.unusable')
    assert.match(refused.detail ?? '', /private_key_jwt/)
    assert.equal(callsTo(issuer, 'par').length, 0)
  }))

test('without an offer, and without a scope, authorization_details name the credential and the issuer [W-A1]', () =>
  withIssuer({}, async (issuer) => {
    issuer.lie({ reply: { issuer: describes({ scope: undefined }) } })
    const body = { credentialIssuer: issuer.issuer, credentialConfigurationIds: ['membership'] }
    const { outcome } = await signedIn(await bench.person(), issuer, body)
    assert.equal(outcome.kind, 'completed')
    const details = JSON.parse(issuer.code.opened[0]?.get('authorization_details') ?? '')
    const locations = [issuer.issuer]
    assert.deepEqual(details, [{ type: 'openid_credential', credential_configuration_id: 'membership', locations }])
    assert.equal(issuer.code.opened[0]?.has('issuer_state'), false)
  }))

test('an mdoc and an SD-JWT VC of one offer are received by one sign-in, with DPoP', () =>
  withIssuer({ code: { pushed: true, dpop: true }, offers: ['licence', 'membership'] }, async (issuer) => {
    const thandi = await anMdocHolder(bench)
    // the metadata of this issuer state no scope for the mdoc
    const { outcome } = await signedIn(thandi, issuer)
    assert.equal(outcome.kind, 'completed')
    const held = await bench.rows(thandi.tenantId, 'wallet_credential')
    assert.deepEqual(held.map(({ format }) => format).toSorted(), ['mso_mdoc', 'vc+sd-jwt'])
    assert.equal(issuer.code.opened[0]?.has('authorization_details'), true)
  }))

/** Refusals of a response. Each ends the session and leaves nothing behind. */
const responses: readonly (readonly [string, string, (query: URLSearchParams) => void])[] = [
  ['with another iss [W-A2]', 'authorization_response.invalid', (query) => query.set('iss', 'https://else.example')],
  ['without iss, which the server announces [W-A2]', 'authorization_response.invalid', (query) => query.delete('iss')],
  ['with two values of iss', 'authorization_response.invalid', (query) => query.append('iss', 'https://else.example')],
  ['without a code', 'authorization_response.invalid', (query) => query.delete('code')],
  ['with a code and an error', 'authorization_response.invalid', (query) => query.set('error', 'access_denied')],
  ['with another code', 'offer.unusable', (query) => query.set('code', 'other')],
  [
    'that says the holder refused',
    'offer.unusable',
    (query) => {
      query.delete('code')
      query.set('error', 'access_denied')
    },
  ],
]
for (const [what, code, change] of responses) {
  test(`a response ${what} ends the session as failed, and nothing is kept`, () =>
    withIssuer({}, async (issuer) => {
      const thandi = await bench.person()
      const session = await begin(thandi, offerOf(issuer))
      const query = issuer.code.authorize(session.authorizationUrl ?? '')
      change(query)
      const outcome = await finish(thandi, query)
      assert.equal(outcome.kind === 'failed' ? outcome.fault.code : '', code)
      const { status, error } = await getSession(bench.platform, thandi, session.id)
      assert.equal(status, 'failed')
      assert.equal(error?.code, 'OFFER_UNUSABLE')
      for (const table of ['wallet_credential', 'wallet_deferred', 'job'])
        assert.deepEqual(await bench.rows(thandi.tenantId, table), [])
      assert.equal((await bench.rows(thandi.tenantId, 'wallet_issuance_session'))[0]?.sealed_work, null)
      if (code !== 'offer.unusable') assert.equal(callsTo(issuer, 'token').length, 0)
    }))
}

/** Refusals before the holder opens the address. */
const beforehand: readonly (readonly [string, Fault['code'], Parameters<ForeignIssuer['lie']>[0], Options?])[] = [
  [
    'without authorization endpoint',
    'offer.unusable',
    { reply: { server: says({ authorization_endpoint: undefined }) } },
  ],
  ['without the code grant', 'offer.unusable', { reply: { server: says({ grant_types_supported: ['password'] }) } }],
  [
    'that takes no S256',
    'offer.unusable',
    { reply: { server: says({ code_challenge_methods_supported: ['plain'] }) } },
  ],
  [
    'that requires pushed requests without an endpoint',
    'issuer_metadata.invalid',
    { reply: { server: says({ require_pushed_authorization_requests: true }) } },
  ],
  [
    'of another issuer [W-M6]',
    'issuer_metadata.invalid',
    { reply: { server: says({ issuer: 'https://else.example' }) } },
  ],
  [
    'that the issuer does not list [W-M5]',
    'issuer_metadata.invalid',
    { reply: { issuer: says({ authorization_servers: ['https://else.example'] }) } },
  ],
  [
    'that refuses the pushed request',
    'offer.unusable',
    { reply: { par: sends({ status: 400, body: { error: 'invalid_scope' } }) } },
    { code: { pushed: true } },
  ],
  [
    'whose pushed request has no request_uri',
    'issuer_answer.invalid',
    { reply: { par: sends({ status: 201, body: { expires_in: 60 } }) } },
    { code: { pushed: true } },
  ],
]
for (const [what, code, lies, options = {}] of beforehand) {
  test(`an authorization server ${what} is refused with ${code} before the holder goes there`, () =>
    withIssuer(options, async (issuer) => {
      issuer.lie(lies)
      const thandi = await bench.person()
      assert.equal((await fault(begin(thandi, offerOf(issuer)))).code, code)
      assert.deepEqual(await bench.rows(thandi.tenantId, 'wallet_issuance_session'), [])
    }))
}

test('an offer that needs no sign-in, and a body with both or neither, are refused', () =>
  withIssuer({ code: undefined as never }, async (issuer) => {
    const thandi = await bench.person()
    assert.equal((await fault(begin(thandi, offerOf(issuer)))).code, 'offer.unusable')
    for (const body of [{}, { ...offerOf(issuer), credentialIssuer: issuer.issuer }, { credentialIssuer: 'x' }])
      assert.equal((await fault(begin(thandi, body))).code, 'request.invalid')
  }))

test('only the user who began a session ends it; a foreign callback changes nothing [W-A2]', () =>
  withIssuer({}, async (issuer) => {
    const thandi = await bench.person()
    const others = [await bench.person(thandi.tenantId), await bench.person()]
    const session = await begin(thandi, offerOf(issuer))
    const query = issuer.code.authorize(session.authorizationUrl ?? '')
    for (const other of others) {
      assert.equal((await fault(finish(other, query))).code, 'resource.unknown')
      assert.equal((await fault(getSession(bench.platform, other, session.id))).code, 'resource.unknown')
    }
    for (const state of ['', 'x', `${query.get('state')}A`]) {
      const wrong = new URLSearchParams({ ...Object.fromEntries(query), state })
      assert.equal((await fault(finish(thandi, wrong))).code, 'resource.unknown')
    }
    assert.equal((await finish(thandi, query)).kind, 'completed')
  }))

test('of 20 callbacks at the same moment one redeems the code', () =>
  withIssuer({}, async (issuer) => {
    const thandi = await bench.person()
    const session = await begin(thandi, offerOf(issuer))
    const query = issuer.code.authorize(session.authorizationUrl ?? '')
    const ended = await Promise.allSettled(Array.from({ length: 20 }, () => finish(thandi, query)))
    assert.equal(ended.filter(({ status }) => status === 'fulfilled').length, 1)
    for (const one of ended) if (one.status === 'rejected') assert.equal(one.reason.code, 'state.invalid')
    assert.equal(callsTo(issuer, 'token').length, 1)
    assert.equal((await bench.rows(thandi.tenantId, 'wallet_credential')).length, 1)
  }))

test('a caller that waits for a session sees when it ends, and when it expires', () =>
  withIssuer({}, async (issuer) => {
    const thandi = await bench.person()
    const [one, other] = [await begin(thandi, offerOf(issuer)), await begin(thandi, offerOf(issuer))]
    const watched = [one, other].map(({ id }) => ({ tenantId: thandi.tenantId, id }))
    const versions = async () => {
      const now = bench.platform.clock.now()
      const found = await bench.platform.store.across('test', (tx) => watchedSessions.versions(tx, watched, now))
      return new Map(found.map(({ id, version }) => [id, version]))
    }
    const before = await versions()
    await finish(thandi, issuer.code.authorize(one.authorizationUrl ?? ''))
    const ended = await versions()
    assert.notEqual(ended.get(one.id), before.get(one.id))
    assert.equal(ended.get(other.id), before.get(other.id))
    bench.later(901)
    assert.notEqual((await versions()).get(other.id), ended.get(other.id))
    bench.later(-901)
  }))

test('a session expires after 15 minutes: its secrets are deleted then, and the session after a day', () =>
  withIssuer({}, async (issuer) => {
    const thandi = await bench.person()
    const session = await begin(thandi, offerOf(issuer))
    const query = issuer.code.authorize(session.authorizationUrl ?? '')
    const sweep = () => sweepIssuanceSessions(bench.platform, new AbortController().signal)
    const rows = () => bench.rows(thandi.tenantId, 'wallet_issuance_session')
    bench.later(901)
    try {
      assert.equal((await getSession(bench.platform, thandi, session.id)).status, 'expired')
      assert.equal((await fault(finish(thandi, query))).code, 'state.invalid')
      await sweep()
      assert.equal((await rows())[0]?.sealed_work, null)
      assert.equal((await getSession(bench.platform, thandi, session.id)).authorizationUrl, null)
      bench.later(86_400)
      await sweep()
      assert.deepEqual(await rows(), [])
    } finally {
      bench.later(-87_301)
    }
  }))

test('a user has at most 20 open sessions', () =>
  withIssuer({}, async (issuer) => {
    const thandi = await bench.person()
    for (let n = 0; n < 20; n += 1) await begin(thandi, offerOf(issuer))
    assert.equal((await fault(begin(thandi, offerOf(issuer)))).code, 'state.invalid')
  }))

test('a refused access token is renewed once with the refresh token, and so is that of a deferred credential', () =>
  withIssuer({ code: { dpop: true, renews: true } }, async (issuer) => {
    const thandi = await bench.person()
    const later = { transaction_id: 'tx-1', interval: 5 }
    issuer.lie({
      reply: { credential: (reply) => (reply.status === 200 ? { ...reply, status: 202, body: later } : reply) },
    })
    const { session, outcome } = await signedIn(thandi, issuer)
    assert.equal(outcome.kind, 'deferred')
    assert.equal((await getSession(bench.platform, thandi, session.id)).status, 'deferred')
    issuer.code.expireTokens()
    const [deferred] = await bench.rows(thandi.tenantId, 'wallet_deferred')
    const payload = { deferredId: String(deferred?.id) }
    const signal = new AbortController().signal
    await fetchDeferredJob.run(bench.platform, payload, signal, { tenantId: thandi.tenantId, attempt: 1 } as never)
    assert.equal((await bench.rows(thandi.tenantId, 'wallet_credential')).length, 1)
    assert.deepEqual(await bench.rows(thandi.tenantId, 'wallet_deferred'), [])
  }))

test('of 20 callbacks in two processes one redeems the code', () =>
  withIssuer({}, async (issuer) => {
    const servers = await twoServers({ env: { PUBLIC_URL: 'http://localhost:1' }, fetch: bench.platform.fetch })
    try {
      const { slug, people } = await aTenantWith(servers.one, [{ username: 'thandi' }])
      const thandi = { ...(await bench.person()), ...people[0], tenantSlug: slug }
      const id = newId()
      await createSession(servers.one, thandi, offerOf(issuer), id)
      const { authorizationUrl } = await getSession(servers.two, thandi, id)
      const query = issuer.code.authorize(authorizationUrl ?? '')
      const calls = Array.from({ length: 20 }, (_, n) =>
        finishSession(n % 2 === 0 ? servers.one : servers.two, visitor(thandi), query),
      )
      const ended = await Promise.allSettled(calls)
      assert.equal(ended.filter(({ status }) => status === 'fulfilled').length, 1)
      assert.equal(callsTo(issuer, 'token').length, 1)
    } finally {
      await servers.db.close()
    }
  }))

const attested = { pushed: true, attested: true }
/** Servers that never agree, and how often each place is called at most. */
const hostile: readonly (readonly [string, CodeOptions, Parameters<ForeignIssuer['lie']>[0], object])[] = [
  [
    'always requires another DPoP nonce',
    { dpop: true },
    {
      reply: {
        token: (_, { n }) => ({
          status: 400,
          type: 'application/json',
          body: { error: 'use_dpop_nonce' },
          headers: { 'dpop-nonce': `n-${n}` },
        }),
      },
    },
    { token: 2 },
  ],
  ['sends 9 MB for a token', {}, { reply: { token: sends({ body: huge }) } }, { token: 1 }],
  ['redirects the token request', {}, { reply: { token: sends(elsewhere) } }, { token: 1 }],
  ['sends a token of another type', { dpop: true }, { reply: { token: says({ token_type: 'Bearer' }) } }, {}],
]
for (const [what, code, lies, counts] of hostile) {
  test(`a server that ${what} ends the session as failed [HAIP-2, W-A5]`, () =>
    withIssuer({ code }, async (issuer) => {
      issuer.lie(lies)
      const thandi = await bench.person()
      assert.equal((await signedIn(thandi, issuer)).outcome.kind, 'failed')
      for (const [place, count] of Object.entries(counts)) assert.equal(callsTo(issuer, place).length, count)
      assert.deepEqual(await bench.rows(thandi.tenantId, 'wallet_deferred'), [])
    }))
}

for (const [what, lies, counts] of [
  [
    'always requires another challenge',
    { par: sends({ status: 400, body: { error: 'use_attestation_challenge' } }) },
    { par: 2, challenge: 2 },
  ],
  ['redirects the pushed request', { par: sends(elsewhere) }, { par: 1 }],
  ['sends no challenge', { challenge: sends({ body: {} }) }, { par: 0, challenge: 1 }],
] as const) {
  test(`a server that ${what} is refused before the holder goes there, after a bounded number of calls`, () =>
    withIssuer({ code: { ...attested, provider } }, async (issuer) => {
      issuer.lie({ reply: lies })
      await fault(begin(await bench.person(), offerOf(issuer)))
      for (const [place, count] of Object.entries(counts)) assert.equal(callsTo(issuer, place).length, count)
    }))
}

test('a challenge in a refusal is used for the one repetition', () =>
  withIssuer({ code: { ...attested, provider } }, async (issuer) => {
    const challenges: unknown[] = []
    issuer.lie({
      reply: {
        server: says({ challenge_endpoint: undefined }),
        par: (reply, { headers, n }) => {
          const [, payload = ''] = String(headers['oauth-client-attestation-pop']).split('.')
          challenges.push(JSON.parse(Buffer.from(payload, 'base64url').toString()).challenge)
          if (n > 1) return { ...reply, status: 201, body: { request_uri: 'urn:x', expires_in: 60 } }
          const given = { 'oauth-client-attestation-challenge': 'given' }
          return { ...reply, status: 400, body: { error: 'use_attestation_challenge' }, headers: given }
        },
      },
    })
    assert.equal((await begin(await bench.person(), offerOf(issuer))).status, 'pending')
    assert.deepEqual(challenges, [undefined, 'given'])
  }))
