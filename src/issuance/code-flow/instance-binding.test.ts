// What an attested wallet gets is for the instance of it that asked: another instance of the same wallet, attested by
// the same provider, is refused.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TestDatabase } from '../../../test/support/database.ts'
import { generateKeyPair } from '../../crypto/jwk.ts'
import {
  aChallenge,
  attestationHeaders,
  instance,
  ofInstance,
  trustProvider,
  walletId,
} from '../test-support/client-attestation.ts'
import {
  answerConsent,
  aRequest,
  aUser,
  authorizeAt,
  configure,
  prepared,
  targetOf,
  tokenAt,
} from '../test-support/code-flow.ts'
import { aDatabase, anIssuer, aTemplate, type Body, type Issuer, type Reply } from '../test-support/issuer.ts'

type Headers = Readonly<Record<string, string>>
/** Which instance of the wallet sends a request; null: none, the wallet names itself only. */
type Sender = typeof instance | null

let db: TestDatabase
let issuer: Issuer
let template: Body
const other = generateKeyPair()
before(async () => {
  db = await aDatabase()
  issuer = await anIssuer(db)
  template = (await issuer.api('POST', '/templates/credentials', aTemplate())).body.data
  await trustProvider(issuer, issuer.tenant)
})
after(async () => {
  await issuer.server.close(0)
  await db.close()
})

async function headersOf(sender: Sender): Promise<Headers> {
  return sender === null ? {} : attestationHeaders(issuer, await aChallenge(issuer), ofInstance(sender))
}

async function sent(sender: Sender, form: Record<string, string>): Promise<Reply> {
  return tokenAt(issuer, { ...form, client_id: walletId }, await headersOf(sender))
}

/**
 * A code that a user granted to an instance of the wallet.
 *
 * @param pushes Which instance pushes the request; null: it is not pushed.
 */
async function aCodeFor(pushes: Sender): Promise<Record<string, string>> {
  const user = await aUser(issuer)
  await prepared(issuer, template, user, { expiresInSeconds: 86_400 })
  const { parameters, verifier } = await aRequest(template, { client_id: walletId })
  let asked: Record<string, string> = parameters
  if (pushes !== null) {
    const path = `/issuers/${issuer.tenant.slug}/par`
    const pushed = await issuer.open(path, { form: parameters, headers: await headersOf(pushes) })
    assert.equal(pushed.status, 201, JSON.stringify(pushed.body))
    asked = { client_id: walletId, request_uri: pushed.body.request_uri }
  }
  const { response } = await answerConsent(issuer, await authorizeAt(issuer, asked, user), user)
  const code = targetOf(response).searchParams.get('code') ?? ''
  const { redirect_uri: redirect = '' } = parameters
  return { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: redirect }
}

const refreshOf = ({ body }: Reply) => ({ grant_type: 'refresh_token', refresh_token: body.refresh_token as string })

for (const [what, sender] of [
  ['another instance of the wallet', other],
  ['the wallet without an attestation', null],
] as const) {
  test(`[VCI-T12] the code of an attested pushed request is refused for ${what}, and not spent`, async () => {
    const form = await aCodeFor(instance)
    const refused = await sent(sender, form)
    assert.deepEqual([refused.status, refused.body.error], [400, 'invalid_grant'])
    assert.equal((await sent(instance, form)).status, 200)
  })

  for (const [pushed, pushes] of [
    ['pushed', instance],
    ['not pushed', null],
  ] as const) {
    test(`[VCI-T12] the refresh token of an attested wallet whose request was ${pushed} is refused for ${what}, and lives on`, async () => {
      const tokens = await sent(instance, await aCodeFor(pushes))
      assert.equal(tokens.status, 200, JSON.stringify(tokens.body))
      const refused = await sent(sender, refreshOf(tokens))
      assert.deepEqual([refused.status, refused.body.error], [400, 'invalid_grant'])
      const renewed = await sent(instance, refreshOf(tokens))
      assert.equal(renewed.status, 200, JSON.stringify(renewed.body))
      const again = await sent(sender, refreshOf(renewed))
      assert.deepEqual([again.status, again.body.error], [400, 'invalid_grant'], 'the next token is bound, too')
      assert.equal((await sent(instance, refreshOf(renewed))).status, 200)
    })
  }
}

test('[VCI-T12] a request that a wallet pushed without an attestation binds its code to no instance', async () => {
  await configure(issuer, { settings: { pushedRequests: 'required' } })
  const user = await aUser(issuer)
  await prepared(issuer, template, user)
  const { parameters, verifier } = await aRequest(template, { client_id: walletId })
  const pushed = await issuer.open(`/issuers/${issuer.tenant.slug}/par`, { form: parameters })
  const asked = { client_id: walletId, request_uri: pushed.body.request_uri }
  const { response } = await answerConsent(issuer, await authorizeAt(issuer, asked, user), user)
  const code = targetOf(response).searchParams.get('code') ?? ''
  const { redirect_uri: redirect = '' } = parameters
  const form = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: redirect }
  assert.equal((await sent(other, form)).status, 200)
  await configure(issuer, { settings: { pushedRequests: 'optional' } })
})
