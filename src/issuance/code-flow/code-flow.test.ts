import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TestDatabase } from '../../../test/support/database.ts'
import { parseSdJwt } from '../../protocols/sd-jwt-vc/sd-jwt.ts'
import {
  aCode,
  answerConsent,
  aRequest,
  aUser,
  authorizeAt,
  offerOf,
  prepared,
  targetOf,
  tokenAt,
} from '../test-support/code-flow.ts'
import { aDatabase, aKey, anIssuer, aTemplate, type Body, type Issuer, request } from '../test-support/issuer.ts'

let db: TestDatabase
let issuer: Issuer
let template: Body
before(async () => {
  db = await aDatabase()
  issuer = await anIssuer(db)
  template = await templateOf()
})
after(async () => {
  await issuer.server.close(0)
  await db.close()
})

async function templateOf(more: object = {}): Promise<Body> {
  const made = await issuer.api('POST', '/templates/credentials', aTemplate(more))
  assert.equal(made.status, 201, JSON.stringify(made.body))
  return made.body.data
}

test('[VCI-A7] a user signs in, sees what is issued, agrees, and the wallet gets the credential that was prepared for them', async () => {
  const browser = await aUser(issuer)
  const issuance = await prepared(issuer, template, browser)
  const offer = await offerOf(issuer, issuance)
  assert.deepEqual(Object.keys(offer.grants), ['authorization_code'])
  const { parameters, verifier } = await aRequest(template, {
    issuer_state: offer.grants.authorization_code.issuer_state,
  })
  const away = targetOf(await authorizeAt(issuer, parameters, null))
  assert.equal(away.pathname, '/sign-in')
  const asked = await authorizeAt(issuer, parameters, browser)
  const { page, response } = await answerConsent(issuer, asked, browser)
  assert.equal(page.status, 200)
  for (const text of ['Acme College', 'Given name', 'Thandi', 'Pretoria', 'com.example.wallet']) {
    assert(String(page.body).includes(text), text)
  }
  const target = targetOf(response)
  assert.equal(target.protocol, 'com.example.wallet:')
  assert.equal(target.searchParams.get('iss'), issuer.platform.urls.issuer(issuer.tenant.slug))
  assert.equal(target.searchParams.get('state'), parameters.state)
  const code = target.searchParams.get('code') ?? ''
  const { client_id: clientId = '', redirect_uri: redirect = '' } = parameters
  const form = {
    grant_type: 'authorization_code',
    code,
    code_verifier: verifier,
    client_id: clientId,
    redirect_uri: redirect,
  }
  const tokens = await tokenAt(issuer, form)
  assert.equal(tokens.status, 200, JSON.stringify(tokens.body))
  assert.partialDeepStrictEqual(tokens.body, { token_type: 'Bearer', expires_in: 300, scope: template.code })
  assert.equal(tokens.body.authorization_details, undefined)
  // A public wallet without a key gets no refresh token.
  assert.equal(tokens.body.refresh_token, undefined)
  const issued = await request(issuer, tokens.body.access_token, template.code, [aKey()])
  assert.equal(issued.status, 200, JSON.stringify(issued.body))
  assert(parseSdJwt(issued.body.credentials[0].credential))
  assert.equal((await issuer.api('GET', `/credentials/${issuance.id}`)).body.data.status, 'completed')
})

test('the wallet starts by itself, names the credential by authorization_details, and gets an identifier', async () => {
  const browser = await aUser(issuer)
  await prepared(issuer, template, browser)
  const details = JSON.stringify([{ type: 'openid_credential', credential_configuration_id: template.code, extra: 1 }])
  const form = await aCode(issuer, template, browser, { scope: undefined, authorization_details: details })
  const { body } = await tokenAt(issuer, form)
  const [detail] = body.authorization_details
  assert.equal(body.scope, undefined)
  const [identifier] = detail.credential_identifiers
  const asked = { body: { credential_configuration_id: undefined, credential_identifier: identifier } }
  const issued = await request(issuer, body.access_token, template.code, [aKey()], asked)
  assert.equal(issued.status, 200, JSON.stringify(issued.body))
  const notified = await issuer.open(`/issuers/${issuer.tenant.slug}/notification`, {
    json: { notification_id: issued.body.notification_id, event: 'credential_accepted' },
    headers: { authorization: `Bearer ${body.access_token}` },
  })
  assert.equal(notified.status, 204)
})

test('a wallet of a server that is known as localhost, as in development, gets its code there, and at no other localhost', async () => {
  const browser = await aUser(issuer)
  await prepared(issuer, template, browser)
  const { publicUrl } = issuer.platform.urls
  const form = await aCode(issuer, template, browser, { redirect_uri: `${publicUrl}/issuance-sessions/callback` })
  assert.equal(new URL(form.redirect_uri ?? '').hostname, 'localhost')
  assert.equal((await tokenAt(issuer, form)).status, 200)
  for (const other of ['http://localhost:9/cb', `${publicUrl}1/cb`]) {
    const { parameters } = await aRequest(template, { redirect_uri: other })
    assert.equal((await authorizeAt(issuer, parameters, browser)).status, 400)
  }
})
