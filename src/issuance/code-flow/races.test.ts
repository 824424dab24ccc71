// A hundred callers at the same moment, at two processes on one database.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TestDatabase } from '../../../test/support/database.ts'
import {
  aCode,
  aProof,
  aRequest,
  aUser,
  authorizeAt,
  postConsent,
  prepared,
  targetOf,
  tokenAt,
  visit,
} from '../test-support/code-flow.ts'
import {
  aDatabase,
  aKey,
  aNonce,
  anIssuer,
  aTemplate,
  type Body,
  codeOf,
  type Issuer,
  type Reply,
  redeem,
  request,
} from '../test-support/issuer.ts'

const CALLERS = 100

let db: TestDatabase
let processes: readonly [Issuer, Issuer]
let template: Body
before(async () => {
  db = await aDatabase()
  const one = await anIssuer(db)
  processes = [one, await anIssuer(db, undefined, {}, one.tenant)]
  template = (await one.api('POST', '/templates/credentials', aTemplate())).body.data
})
after(async () => {
  for (const { server } of processes) await server.close(0)
  await db.close()
})

/** Makes each call at one of the processes, all at the same moment. */
function together(call: (issuer: Issuer, at: number) => Promise<Reply>): Promise<Reply[]> {
  return Promise.all(Array.from({ length: CALLERS }, (_, at) => call(processes[at % 2 === 0 ? 0 : 1], at)))
}

function tally(replies: readonly Reply[], nameOf = ({ status, body }: Reply) => (status < 400 ? 'ok' : body.error)) {
  return Object.fromEntries([...Map.groupBy(replies, nameOf)].map(([name, all]) => [name, all.length]))
}

async function aCredential(more: object = {}) {
  const user = await aUser(processes[0])
  return { user, issuance: await prepared(processes[0], template, user, { expiresInSeconds: 86_400, ...more }) }
}

test('[VCI-T11] of a hundred redemptions of one code one gets a token, and the others revoke it', async () => {
  const { user } = await aCredential()
  const form = await aCode(processes[0], template, user)
  const replies = await together((issuer) => tokenAt(issuer, form))
  assert.deepEqual(tally(replies), { ok: 1, invalid_grant: CALLERS - 1 })
  const token = replies.find(({ status }) => status === 200)?.body.access_token
  const denied = await request(processes[1], token, template.code, [aKey()])
  assert.equal(denied.body.error, 'credential_request_denied')
})

test('[VCI-T11] of a hundred redemptions of one issuance by both grants one gets a token', async () => {
  const { user, issuance } = await aCredential({ grants: ['authorization_code', 'pre-authorized_code'] })
  const preAuthorized = await codeOf(processes[0], issuance.offerUri)
  const form = await aCode(processes[0], template, user)
  const forms = [form, await aCode(processes[0], template, user), await aCode(processes[0], template, user)]
  const replies = await together((issuer, at) =>
    at < forms.length ? tokenAt(issuer, forms[at] ?? form) : redeem(issuer, preAuthorized),
  )
  assert.deepEqual(tally(replies), { ok: 1, invalid_grant: CALLERS - 1 })
})

test('of a hundred returns with one consent one brings a code', async () => {
  const { user } = await aCredential()
  const { parameters } = await aRequest(template)
  const { pathname, search } = targetOf(await authorizeAt(processes[0], parameters, user))
  const agreed = targetOf(await postConsent(processes[0], await visit(processes[0], pathname + search, user), user))
  const replies = await together((issuer) => visit(issuer, agreed.pathname + agreed.search, user))
  const outcomeOf = (reply: Reply) => targetOf(reply).searchParams.get('error') ?? 'code'
  assert.deepEqual(tally(replies, outcomeOf), { code: 1, invalid_request: CALLERS - 1 })
})

test('[RFC 9700 4.14] of a hundred uses of one refresh token the access token of one lives', async () => {
  const { user } = await aCredential()
  const key = aKey()
  const form = await aCode(processes[0], template, user)
  const nonceOf = await tokenAt(processes[0], form, { dpop: await aProof(processes[0], key, 'token') })
  const nonce = nonceOf.headers['dpop-nonce'] ?? ''
  const proof = (endpoint: string, accessToken?: string) =>
    aProof(processes[0], key, endpoint, { nonce, ...(accessToken !== undefined && { accessToken }) })
  const { body } = await tokenAt(processes[0], form, { dpop: await proof('token') })
  const refresh = { grant_type: 'refresh_token', refresh_token: body.refresh_token, client_id: form.client_id ?? '' }
  const proofs = await Promise.all(Array.from({ length: CALLERS }, () => proof('token')))
  const replies = await together((issuer, at) => tokenAt(issuer, refresh, { dpop: proofs[at] ?? '' }))
  const tokens = replies.flatMap(({ body: { access_token: token } }) => token ?? [])
  assert(tokens.length > 0)
  const holder = aKey()
  const outcomes: Reply[] = []
  for (const token of tokens) {
    const headers = { authorization: `DPoP ${token}`, dpop: await proof('credential', token) }
    outcomes.push(await request(processes[1], token, template.code, [holder], { headers }))
  }
  assert.deepEqual(tally(outcomes), {
    ok: 1,
    ...(tokens.length > 1 && { credential_request_denied: tokens.length - 1 }),
  })
})

test('[RFC 9449 11.1] of a hundred credential requests with one DPoP proof one is answered', async () => {
  const { user } = await aCredential()
  const key = aKey()
  const form = await aCode(processes[0], template, user)
  const nonceOf = await tokenAt(processes[0], form, { dpop: await aProof(processes[0], key, 'token') })
  const nonce = nonceOf.headers['dpop-nonce'] ?? ''
  const { body } = await tokenAt(processes[0], form, { dpop: await aProof(processes[0], key, 'token', { nonce }) })
  const accessToken = body.access_token
  const dpop = await aProof(processes[0], key, 'credential', { nonce, accessToken })
  const nonces = await Promise.all(Array.from({ length: CALLERS }, () => aNonce(processes[0])))
  const holder = aKey()
  const replies = await together((issuer, at) =>
    request(issuer, accessToken, template.code, [holder], {
      nonce: nonces[at] ?? '',
      headers: { authorization: `DPoP ${accessToken}`, dpop },
    }),
  )
  assert.deepEqual(tally(replies), { ok: 1, invalid_dpop_proof: CALLERS - 1 })
})
