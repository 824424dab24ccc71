// The organisation's webhook says what a credential contains at the moment when the user agrees.
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, before, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import type { TestDatabase } from '../../../test/support/database.ts'
import { aReceiver, type Message } from '../../events/test-support/receiver.ts'
import { createWebhookEndpoint } from '../../events/webhooks/webhook-endpoints.ts'
import { newId } from '../../store/row-id.ts'
import { sql } from '../../store/store.ts'
import { aCode, answerConsent, aRequest, aUser, authorizeAt, targetOf, tokenAt } from '../test-support/code-flow.ts'
import {
  aDatabase,
  aKey,
  anIssuer,
  aTemplate,
  type Body,
  callerOf,
  type Issuer,
  request,
  someClaims,
} from '../test-support/issuer.ts'

type Answer = (response: ServerResponse, message: Message, n: number) => void

let db: TestDatabase
let issuer: Issuer
let existing: Body
before(async () => {
  db = await aDatabase()
  issuer = await anIssuer(db)
  existing = (await issuer.api('POST', '/templates/credentials', aTemplate())).body.data
})
after(async () => {
  await issuer.server.close(0)
  await db.close()
})

const json =
  (status: number, body: unknown): Answer =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

/** A template whose attributes come from a receiver. */
async function aSource(answer: Answer) {
  const receiver = await aReceiver(answer)
  const caller = callerOf(issuer.tenant)
  const made = await createWebhookEndpoint(issuer.platform, caller, {
    url: receiver.url,
    filterTypes: ['credential.revoked'],
  })
  const attributeSource = { kind: 'webhook', endpointId: made.endpoint.id }
  const template: Body = (await issuer.api('POST', '/templates/credentials', aTemplate({ attributeSource }))).body.data
  return { receiver, secret: made.secret, template }
}

const count = sql('test.code_flow.count', 'select count(*)::int as n from issuance where template_id = $1')
const codes = sql('test.code_flow.codes', 'select count(*)::int as n from authorization_code where user_id = $1')

test('[SEC-79] the webhook is asked once the user agrees, signed, and its attributes are issued', async () => {
  const { receiver, secret, template } = await aSource(json(200, { attributes: someClaims }))
  const user = await aUser(issuer)
  const { parameters } = await aRequest(template)
  const page = targetOf(await authorizeAt(issuer, parameters, user))
  const shown = await issuer.open(page.pathname + page.search, { headers: { cookie: user.cookie } })
  assert(String(shown.body).includes('Given name'))
  const isAsked = () => receiver.messages.length > 0
  assert(!isAsked())
  const tokens = await tokenAt(issuer, await aCode(issuer, template, user))
  assert.equal(tokens.status, 200, JSON.stringify(tokens.body))
  assert.equal((await request(issuer, tokens.body.access_token, template.code, [aKey()])).status, 200)
  const [message] = receiver.messages
  assert(message !== undefined && receiver.messages.length === 1)
  const { type, data } = JSON.parse(message.body)
  assert.equal(type, 'issuance.attributes_requested')
  assert.partialDeepStrictEqual(data, { credentialTemplateId: template.id, user: { username: user.username } })
  assert.equal((await issuer.api('GET', `/credentials/${data.issuanceId}`)).body.data.status, 'completed')
  const now = Date.now
  Date.now = () => issuer.clock.at.getTime()
  try {
    new Webhook(secret).verify(message.body, message.headers as Record<string, string>)
  } finally {
    Date.now = now
  }
  await receiver.close()
})

for (const [what, answer, error, attempts] of [
  ['refuses the user', json(404, {}), 'access_denied', 1],
  ['fails twice', json(500, {}), 'temporarily_unavailable', 2],
  ['answers without attributes', json(200, {}), 'temporarily_unavailable', 1],
  [
    'answers what the template does not allow',
    json(200, { attributes: { given_name: 1 } }),
    'temporarily_unavailable',
    1,
  ],
  [
    'answers no JSON',
    (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/html' }).end('x'),
    'temporarily_unavailable',
    1,
  ],
  [
    'answers more than 256 KiB',
    json(200, { attributes: { given_name: 'x'.repeat(300_000) } }),
    'temporarily_unavailable',
    1,
  ],
  ['breaks the connection', (response: ServerResponse) => response.destroy(), 'temporarily_unavailable', 2],
] as const) {
  test(`a webhook that ${what} is ${error} after ${attempts}, and leaves nothing behind`, async () => {
    const { receiver, template } = await aSource(answer)
    const user = await aUser(issuer)
    const { parameters } = await aRequest(template)
    const { response } = await answerConsent(issuer, await authorizeAt(issuer, parameters, user), user)
    assert.equal(targetOf(response).searchParams.get('error'), error)
    assert.equal(receiver.messages.length, attempts)
    assert.equal(new Set(receiver.messages.map(({ headers }) => headers['webhook-id'])).size, 1)
    const rows = await db.store.inTenant(issuer.tenant.id, async (tx) => [
      ...(await tx.rows(count, [template.id])),
      ...(await tx.rows(codes, [user.userId])),
    ])
    assert.deepEqual(rows, [{ n: 0 }, { n: 0 }])
    await receiver.close()
  })
}

const claims = { given_name: 'given_name' }
const provider = (more: object) => ({ kind: 'provider', claims, ...more })
for (const [what, attributeSource, status, pointer] of [
  ['a webhook endpoint that the tenant does not have', { kind: 'webhook', endpointId: newId() }, 422, '/endpointId'],
  ['an identity provider that the tenant does not have', provider({ provider: 'campus' }), 422, '/provider'],
  ['any identity provider, where there is none', provider({}), 422, '/provider'],
  ['no claims', provider({ claims: {} }), 400, '/claims'],
  ['no claim for a required attribute', provider({ claims: { degree: 'degree' } }), 400, '/claims'],
  ['a claim for no attribute', provider({ claims: { ...claims, other: 'other' } }), 400, '/claims/other'],
  [
    'a claim for no attribute of an object',
    provider({ claims: { ...claims, '/address/x': 'x' } }),
    400,
    '/claims/~1address~1x',
  ],
  [
    'a claim for part of an attribute that has one',
    provider({ claims: { ...claims, address: 'a', '/address/country': 'b' } }),
    400,
    '/claims/~1address~1country',
  ],
  ['a claim for __proto__', provider({ claims: { ...claims, '/__proto__/x': 'x' } }), 400, '/claims/~1__proto__~1x'],
] as const) {
  test(`a template whose attributes come from ${what} is refused with ${status}`, async () => {
    for (const [method, path] of [
      ['POST', '/templates/credentials'],
      ['PUT', `/templates/credentials/${existing.id}`],
    ] as const) {
      const body = aTemplate({ attributeSource, code: method === 'PUT' ? existing.code : `t-${newId()}` })
      const refused = await issuer.api(method, path, body)
      assert.equal(refused.status, status, JSON.stringify(refused.body))
      const pointers = refused.body.errors.map((one: Body) => one.source?.pointer)
      assert.deepEqual(pointers, [`/attributeSource${pointer}`])
    }
  })
}

test('a webhook that fails once is asked again', async () => {
  const { receiver, template } = await aSource((response, message, n) =>
    n === 1 ? response.writeHead(503).end() : json(200, { attributes: someClaims })(response, message, n),
  )
  const user = await aUser(issuer)
  assert.equal((await tokenAt(issuer, await aCode(issuer, template, user))).status, 200)
  assert.equal(receiver.messages.length, 2)
  await receiver.close()
})
