import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { lossyStore } from '../../../test/support/lossy-database.ts'
import { getTenant } from '../../directory/tenants/find-tenant.ts'
import { Fault } from '../../fault.ts'
import { readResponse } from '../../protocols/openid4vp/response.ts'
import { sql } from '../../store/store.ts'
import { aKey, anIssuer, isSignedBy, membership } from '../test-support/holder.ts'
import {
  aPresentation,
  aRequest,
  attributes,
  claims,
  issuer,
  part,
  payloadAt,
  type Tampering,
} from '../test-support/presentation-request.ts'
import { postForm, send, startVerifier, type Verifier } from '../test-support/verifier.ts'
import { acceptResponse } from './accept-response.ts'

const verifiedEntries = sql(
  'test.verified-entries',
  `select id from audit_entry where subject_id = $1 and action = 'openid4vc.verification.verified'`,
)
let verifier: Verifier
/** Documents by URL, and the URLs that were fetched. */
const lists = new Map<string, string>()
const fetched: string[] = []
before(async () => {
  verifier = await startVerifier(async (_tenantId, url) => {
    fetched.push(url)
    const list = lists.get(url)
    if (list === undefined) throw new Fault('upstream.unreachable')
    return { status: 200, headers: {}, contentType: 'application/statuslist+jwt', body: Buffer.from(list) }
  })
})
after(() => verifier.close())

test('the request object is signed by the did:web of the tenant and has the parameters for a wallet [VP-R1, VP-R4, VP-S2]', async () => {
  const { object, requestUri, slug } = await aRequest(verifier)
  const { headers, body } = await send(requestUri)
  assert.equal(headers.get('content-type'), 'application/oauth-authz-req+jwt')
  const did = verifier.platform.urls.did(slug)
  const { typ, alg, kid } = part(body, 0)
  assert.deepEqual([typ, alg, kid.startsWith(`${did}#`)], ['oauth-authz-req+jwt', 'ES256', true])
  const document = (await send(`${verifier.url}/issuers/${slug}/did.json`)).body
  const method = document.verificationMethod.find((one: { id: string }) => one.id === kid)
  assert(isSignedBy(body, method.publicKeyJwk))
  assert.equal(object.client_id, `decentralized_identifier:${did}`)
  assert.deepEqual(
    [object.response_type, object.response_mode, object.aud],
    ['vp_token', 'direct_post', 'https://self-issued.me/v2'],
  )
  assert.equal(String(object.response_uri), requestUri.replace('/requests/', '/responses/'))
  assert(String(object.nonce).length >= 22 && String(object.state).length >= 22)
  assert.equal(object.redirect_uri, undefined)
  assert.deepEqual(object.dcql_query, {
    credentials: [
      {
        id: 'c0',
        format: 'dc+sd-jwt',
        meta: { vct_values: [membership] },
        claims: [{ path: ['given_name'] }, { path: ['address', 'locality'] }],
      },
    ],
  })
})

test('the request object is served again with the same nonce, and repeats the nonce of the wallet [VP-R11, VP-U2, VP-U5]', async () => {
  const { object, requestUri } = await aRequest(verifier)
  const again = await payloadAt(requestUri)
  assert.deepEqual([again.nonce, again.state], [object.nonce, object.state])
  assert.equal(again.wallet_nonce, undefined)
  const posted = part((await postForm(requestUri, { wallet_nonce: 'w-1', wallet_metadata: '{}' })).body, 1)
  assert.deepEqual([posted.nonce, posted.wallet_nonce], [object.nonce, 'w-1'])
  assert.deepEqual(posted.dcql_query, object.dcql_query)
})

test('a valid response is verified with its issuer, and only the requested claims are stored [DCQL-21]', async () => {
  const request = await aRequest(verifier)
  const token = { c0: [await aPresentation(request, { names: ['given_name', 'family_name', 'address'] })] }
  const answered = await request.answer(token)
  assert.deepEqual([answered.status, answered.body], [200, {}])
  const { status, error, credentials, completedAt, claimsKeptUntil } = await request.result()
  assert.deepEqual([status, error], ['verified', null])
  assert.ok(completedAt < claimsKeptUntil)
  assert.deepEqual(credentials, [
    {
      isValid: true,
      name: 'card',
      type: membership,
      format: 'sd-jwt-vc',
      attributes: { given_name: 'Zoë', address: { locality: 'Mthatha' } },
      issuer: issuer.did,
      issues: [],
      checks: [
        ...['form', 'signature'].map((code) => ({ code, outcome: 'passed', issues: [] })),
        { code: 'issuer', outcome: 'passed', issues: [], acceptedAs: 'named' },
        ...['validity', 'holder_binding'].map((code) => ({ code, outcome: 'passed', issues: [] })),
        { code: 'status', outcome: 'not_asked', issues: [] },
        ...['claims', 'values'].map((code) => ({ code, outcome: 'passed', issues: [] })),
        { code: 'transaction', outcome: 'not_asked', issues: [] },
      ],
    },
  ])
})

test('a template that allows any issuer gives a valid result with a warning', async () => {
  const request = await aRequest(verifier, { credential: { issuers: ['*'] } })
  await request.answer({ c0: [await aPresentation(request, { by: anIssuer() })] })
  const { status, credentials } = await request.result()
  assert.equal(status, 'verified')
  assert.equal(credentials[0].isValid, true)
  assert.deepEqual(
    credentials[0].issues.map((one: { code: string }) => one.code),
    ['issuer.not_restricted'],
  )
})

const seconds = () => Math.floor(Date.now() / 1000)
const stranger = anIssuer()
const other = aKey()

for (const [what, tampering, code] of [
  ['another nonce (RFC 9901 7.3)', { binding: { nonce: 'another-nonce-of-another-request' } }, 'kb.nonce'],
  [
    'another audience (RFC 9901 7.3)',
    { binding: { aud: 'decentralized_identifier:did:web:other.example' } },
    'kb.audience',
  ],
  ['a hash over another presentation (RFC 9901 7.3)', { binding: { sdHash: 'AAAA' } }, 'kb.sd_hash'],
  ['the key binding of another holder [SEC-50]', { binding: { key: other } }, 'kb.signature'],
  ['a key binding of another type', { binding: { typ: 'JWT' } }, 'kb.type'],
  ['a key binding 330 s old', { claims, issuedIn: -330 }, 'kb.time'],
  ['a key binding from the future', { claims, issuedIn: 330 }, 'kb.time'],
  ['the key binding stripped [SEC-56]', { binding: null }, 'kb.missing'],
  ['no holder key in it', { about: {} as object, claims, unbound: true }, 'kb.no_key'],
  ['an issuer that is not on the list', { by: stranger }, 'issuer.not_allowed'],
  [
    'an issuer that pretends to be another',
    { by: stranger, about: { payload: { iss: issuer.did }, header: { kid: `${issuer.did}#0` } } },
    'jwt.signature',
  ],
  ['an expired validity', { about: { payload: { exp: seconds() - 120 } } }, 'validity.expired'],
  ['a validity in the future', { about: { payload: { nbf: seconds() + 120 } } }, 'validity.early'],
  ['another type [DCQL-20]', { about: { vct: 'https://types.example/other' } }, 'presentation.type'],
  ['a missing claim [DCQL-20]', { names: ['given_name'] }, 'presentation.claims'],
  ['another type in its header', { about: { header: { typ: 'JWT' } } }, 'jwt.type'],
] as const) {
  test(`a presentation with ${what} is a failed result with ${code}, which the wallet does not learn [VP-S9]`, async () => {
    const request = await aRequest(verifier)
    const unbound = 'unbound' in tampering ? { about: { cnf: undefined } } : {}
    const dated = 'issuedIn' in tampering ? { binding: { iat: seconds() + tampering.issuedIn } } : {}
    const token = { c0: [await aPresentation(request, { ...tampering, ...unbound, ...dated } as Tampering)] }
    const answered = await request.answer(token)
    assert.deepEqual([answered.status, answered.body], [200, {}])
    const { status, error, credentials } = await request.result()
    assert.equal(status, 'failed')
    assert.equal(error.code, 422)
    const [credential] = credentials
    assert.deepEqual([credential.isValid, credential.attributes], [false, {}])
    assert(
      credential.issues.some((one: { code: string }) => one.code === code),
      JSON.stringify(credential.issues),
    )
  })
}

test('a response to one request is refused for another [SEC-50, SEC-51]', async () => {
  const backend = await verifier.aTenant()
  const [one, another] = [await aRequest(verifier, { backend }), await aRequest(verifier, { backend })]
  const token = { c0: [await aPresentation(one)] }
  const misdirected = await another.answer(token, { state: String(one.object.state) })
  assert.deepEqual([misdirected.status, misdirected.body.error], [400, 'invalid_request'])
  assert.equal((await another.result()).status, 'requested')
  await another.answer(token)
  const { status, credentials } = await another.result()
  assert.equal(status, 'failed')
  assert.deepEqual(
    credentials[0].issues.map((found: { code: string }) => found.code),
    ['kb.nonce'],
  )
})

test('of concurrent responses exactly one is accepted, and none after it', async () => {
  const request = await aRequest(verifier)
  const token = { c0: [await aPresentation(request)] }
  const answers = await Promise.all(Array.from({ length: 8 }, () => request.answer(token)))
  const [taken, ...others] = answers.map((one) => one.status).sort()
  assert.equal(taken, 200)
  // a response that arrives while the first is being checked may be sent again, because the first may be released
  for (const status of others) assert(status === 400 || status === 503, String(status))
  for (const one of answers) if (one.status === 400) assert.equal(one.body.error, 'invalid_request')
  assert.equal((await request.answer(token)).status, 400)
  assert.equal((await request.result()).status, 'verified')
  assert.equal((await send(request.requestUri)).status, 400)
})

for (const [what, form] of [
  ['no state', (state: string) => ({ vp_token: '{"c0":["x"]}', was: state })],
  ['another state', () => ({ vp_token: '{"c0":["x"]}', state: 'another-state-0123456789' })],
  ['no token', (state: string) => ({ state })],
  ['a token that is no JSON', (state: string) => ({ vp_token: '{', state })],
  ['a token that is an array', (state: string) => ({ vp_token: '["x"]', state })],
  ['an empty list of presentations [VP-S1]', (state: string) => ({ vp_token: '{"c0":[]}', state })],
  ['a token and an error', (state: string) => ({ vp_token: '{"c0":["x"]}', error: 'access_denied', state })],
] as const) {
  test(`a response with ${what} is refused and the request stays open [VP-S9]`, async () => {
    const request = await aRequest(verifier)
    const answered = await postForm(String(request.object.response_uri), {
      ...form(String(request.object.state)),
    } as Record<string, string>)
    assert.deepEqual([answered.status, answered.body.error], [400, 'invalid_request'])
    await request.answer({ c0: [await aPresentation(request)] })
    assert.equal((await request.result()).status, 'verified')
  })
}

test('a wallet that declines gives a rejected result, any other error a failed one', async () => {
  for (const [error, status] of [
    ['access_denied', 'rejected'],
    ['vp_formats_not_supported', 'failed'],
  ] as const) {
    const request = await aRequest(verifier)
    const form = { error, error_description: 'No.\u0007', state: String(request.object.state) }
    assert.equal((await postForm(String(request.object.response_uri), form)).status, 200)
    const result = await request.result()
    assert.deepEqual([result.status, result.credentials], [status, []])
    assert.notEqual(result.error, null)
  }
})

test('a canceled request is neither served nor accepts a response; an unknown one is a 404', async () => {
  const canceled = await aRequest(verifier)
  await canceled.ask('DELETE', `/presentations/${canceled.id}`)
  const token = { c0: [await aPresentation(canceled)] }
  assert.deepEqual([(await send(canceled.requestUri)).status, (await canceled.answer(token)).status], [400, 400])
  const other = await verifier.aTenant()
  const elsewhere = canceled.requestUri.replace(canceled.slug, other.slug)
  for (const uri of [elsewhere, `${canceled.requestUri}x`, `${verifier.url}/verifiers/unknown/requests/x`]) {
    assert.equal((await send(uri)).status, 404)
    assert.equal(
      (await postForm(uri.replace('/requests/', '/responses/'), { state: 's', vp_token: '{"c0":["x"]}' })).status,
      404,
    )
  }
})

test('the status list of the issuer is applied, and fetched once for several responses (TSL 8.3)', async () => {
  const uri = 'https://status.example/lists/1'
  lists.set(uri, issuer.statusList(uri, Buffer.from([0b10, 0])))
  const codes: (string | undefined)[] = []
  for (const idx of [0, 1, 16]) {
    const request = await aRequest(verifier)
    const payload = { status: { status_list: { idx, uri } } }
    await request.answer({ c0: [await aPresentation(request, { about: { payload } })] })
    const { credentials } = await request.result()
    codes.push(credentials[0].issues[0]?.code)
    assert.equal(credentials[0].attributes.status, undefined)
  }
  assert.deepEqual(codes, [undefined, 'status.revoked', 'status.out_of_range'])
  assert.equal(fetched.filter((one) => one === uri).length, 1)
})

for (const [what, credential, tampering, code] of [
  [
    'status list',
    {},
    { about: { payload: { status: { status_list: { idx: 0, uri: 'https://status.example/away' } } } } },
    'status.unavailable',
  ],
  [
    'issuer',
    { issuers: ['*'] },
    { about: { payload: { iss: 'https://issuer.example' }, header: { kid: 'k' } } },
    'issuer.unavailable',
  ],
] as const) {
  test(`a response whose ${what} cannot be reached gets a 503, and the request stays open`, async () => {
    const request = await aRequest(verifier, { credential })
    const put = { c0: [await aPresentation(request, tampering as Tampering)] }
    const { status, headers, body } = await request.answer(put)
    assert.deepEqual([status, headers.get('retry-after'), body.error], [503, '10', 'temporarily_unavailable'])
    const open = await request.result()
    assert.deepEqual([open.status, open.error.code, open.credentials], ['requested', 503, []])
    assert.equal(open.error.details[0].code, code)
    assert.equal((await request.answer(put)).status, 503)
    await request.answer({ c0: [await aPresentation(request)] })
    const { status: ended, error } = await request.result()
    assert.deepEqual([ended, error], ['verified', null])
  })
}

test('a status list that cannot be reached neither keeps a failed response open nor fails one that is sufficient without it', async () => {
  const away = { about: { payload: { status: { status_list: { idx: 0, uri: 'https://status.example/away' } } } } }
  const card = { type: membership, name: 'card', attributes, issuers: [issuer.did] }
  const both = { credentials: [card, { ...card, name: 'extra' }] }
  const failing = await aRequest(verifier, { template: both })
  const tokens = {
    c0: [await aPresentation(failing, away)],
    c1: [await aPresentation(failing, { binding: { aud: 'x' } })],
  }
  assert.equal((await failing.answer(tokens)).status, 200)
  assert.equal((await failing.result()).status, 'failed')
  const verifierConfig = { credentialSets: [{ options: [['card']] }, { options: [['extra']], required: false }] }
  const enough = await aRequest(verifier, { template: { ...both, verifierConfig } })
  const good = { c0: [await aPresentation(enough)], c1: [await aPresentation(enough, away)] }
  assert.equal((await enough.answer(good)).status, 200)
  const { status, credentials } = await enough.result()
  assert.deepEqual([status, credentials.map((one: { isValid: boolean }) => one.isValid)], ['verified', [true, false]])
})

test('no key is fetched for an issuer that the template does not allow', async () => {
  for (const iss of ['https://issuer.example', 'did:web:issuer.example', `${issuer.did}#0`]) {
    const request = await aRequest(verifier)
    const fetchedBefore = fetched.length
    const tampering = { about: { payload: { iss }, header: { kid: 'k' } } }
    await request.answer({ c0: [await aPresentation(request, tampering)] })
    const { status, credentials } = await request.result()
    assert.deepEqual(
      [status, credentials[0].issues[0].code, credentials[0].issuer],
      ['failed', 'issuer.not_allowed', null],
    )
    assert.equal(fetched.length, fetchedBefore)
  }
})

for (const name of ['verification.claim_request', 'verification.complete_request']) {
  test(`a response is accepted once although the database answer to ${name} is lost`, async () => {
    const request = await aRequest(verifier)
    const { platform } = verifier
    const tenant = await getTenant(platform, request.slug)
    const token = request.requestUri.split('/').at(-1) ?? ''
    const presentation = await aPresentation(request)
    const form = { vp_token: JSON.stringify({ c0: [presentation] }), state: String(request.object.state) }
    const { store, lose } = lossyStore(platform.store)
    void lose('answer', { statement: name })
    assert.equal(
      await acceptResponse({ ...platform, store }, tenant, token, readResponse(form), { ip: '::1', requestId: 'r' }),
      null,
    )
    const { status, credentials } = await request.result()
    assert.deepEqual([status, credentials[0].isValid], ['verified', true])
    const entries = await platform.store.single(tenant.id, (tx) => tx.rows(verifiedEntries, [request.id]))
    assert.equal(entries.length, 1)
  })
}

test('after a check that died the wallet gets a 503 until the lease expires; then its response is accepted', async () => {
  const request = await aRequest(verifier)
  const { platform } = verifier
  const tenant = await getTenant(platform, request.slug)
  const token = request.requestUri.split('/').at(-1) ?? ''
  const presented = { c0: [await aPresentation(request)] }
  const form = { vp_token: JSON.stringify(presented), state: String(request.object.state) }
  const { store, lose } = lossyStore(platform.store)
  void lose('request', { statement: 'verification.complete_request', times: 99 })
  await assert.rejects(
    acceptResponse({ ...platform, store }, tenant, token, readResponse(form), { ip: '::1', requestId: 'r' }),
  )
  const { status, headers } = await request.answer(presented)
  assert.deepEqual([status, headers.get('retry-after')], [503, '10'])
  assert.equal((await request.answer(presented, { state: 'another-state-0123456789' })).status, 400)
  verifier.wait(61)
  assert.equal((await request.answer(presented)).status, 200)
  assert.equal((await request.result()).status, 'verified')
  verifier.wait(-61)
})

test('a status list that another issuer signed is not trusted', async () => {
  const uri = 'https://status.example/lists/2'
  lists.set(uri, stranger.statusList(uri, Buffer.from([0])))
  const request = await aRequest(verifier)
  const payload = { status: { status_list: { idx: 0, uri } } }
  await request.answer({ c0: [await aPresentation(request, { about: { payload } })] })
  const { status, credentials } = await request.result()
  assert.deepEqual([status, credentials[0].issues[0].code], ['failed', 'status.untrusted'])
})

test('creating a request and serving it take one round trip each, a response two', async () => {
  const backend = await verifier.aTenant()
  const warm = await aRequest(verifier, { backend })
  await warm.answer({ c0: [await aPresentation(warm)] })
  const templateId = (await warm.result()).presentationTemplateId
  let before = verifier.store.counts.roundTrips
  const spent = () => {
    const { roundTrips } = verifier.store.counts
    const cost = roundTrips - before
    before = roundTrips
    return cost
  }
  const opened = await backend.ask('POST', '/presentations/request', { presentationTemplateId: templateId })
  assert.equal(spent(), 1)
  const object = await payloadAt(
    new URL(opened.body.data.authorizationRequestUri).searchParams.get('request_uri') ?? '',
  )
  assert.equal(spent(), 1)
  const token = { c0: [await aPresentation({ nonce: String(object.nonce), aud: String(object.client_id) })] }
  await postForm(String(object.response_uri), { vp_token: JSON.stringify(token), state: String(object.state) })
  assert.equal(spent(), 2)
})
