import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  aDatabase,
  aKey,
  anIssuer,
  aTemplate,
  codeOf,
  type Issuer,
  redeem,
  request,
  someClaims,
} from '../test-support/issuer.ts'

/**
 * Its three writes: three statements for the opening, one for the token, five for the credential. The offer, and the
 * version of the catalog where it was not asked for a moment ago.
 */
const STATEMENTS_MAX = 11
const ROUND_TRIPS_MAX = 5

async function issueOnce(issuer: Issuer, templateId: string, configurationId: string): Promise<void> {
  const path = `/issuers/${issuer.tenant.slug}`
  const ask = { credentialTemplateId: templateId, attributes: someClaims }
  const { body } = await issuer.api('POST', '/credentials/issuance', ask)
  const code = await codeOf(issuer, body.data.offerUri)
  await issuer.open(`/.well-known/openid-credential-issuer${path}`)
  await issuer.open(`/.well-known/oauth-authorization-server${path}`)
  const { body: granted } = await redeem(issuer, code)
  const reply = await request(issuer, granted.access_token, configurationId, [aKey()])
  assert.equal(reply.status, 200, JSON.stringify(reply.body))
}

test('a whole issuance, from its opening to the credential, keeps to its budget of statements and round trips', async () => {
  const db = await aDatabase()
  const issuer = await anIssuer(db)
  const { body } = await issuer.api('POST', '/templates/credentials', aTemplate())
  const { id, code } = body.data
  await issueOnce(issuer, id, code)
  const before = { ...db.store.counts }
  await issueOnce(issuer, id, code)
  const after = db.store.counts
  assert.ok(
    after.statements - before.statements <= STATEMENTS_MAX,
    `${after.statements - before.statements} statements`,
  )
  assert.ok(
    after.roundTrips - before.roundTrips <= ROUND_TRIPS_MAX,
    `${after.roundTrips - before.roundTrips} round trips`,
  )
  await issuer.server.close(0)
  await db.close()
})
