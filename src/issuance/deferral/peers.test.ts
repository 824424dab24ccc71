// A wallet of @openid4vc/openid4vci gets a deferred credential over HTTP, by a pre-authorized code.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TestDatabase } from '../../../test/support/database.ts'
import { freePort } from '../../../test/support/free-port.ts'
import { parseSdJwt } from '../../protocols/sd-jwt-vc/sd-jwt.ts'
import { aDatabase, anIssuer, aTemplate, type Issuer, someClaims } from '../test-support/issuer.ts'
import { redeemByPeer } from '../test-support/peer-wallet.ts'

let db: TestDatabase
let issuer: Issuer
before(async () => {
  db = await aDatabase()
  const port = await freePort()
  issuer = await anIssuer(db, `http://localhost:${port}`, { port })
  // The library reads the real clock.
  Object.defineProperty(issuer.clock, 'at', { get: () => new Date() })
  await issuer.server.listen()
})
after(async () => {
  await issuer.server.close(100)
  await db.close()
})

test('the library is told to wait, and gets the credential at its first poll after the approval', async () => {
  const made = await issuer.api('POST', '/templates/credentials', aTemplate({ approvalRequired: true }))
  const ask = { credentialTemplateId: made.body.data.id, attributes: someClaims }
  const { body } = await issuer.api('POST', '/credentials/issuance', ask)
  const { client, issuerMetadata, accessToken, credentialResponse, publicJwk } = await redeemByPeer(body.data.offerUri)
  const { transaction_id: transactionId = '', interval } = credentialResponse
  assert.equal(interval, 60)
  const poll = async () =>
    (await client.retrieveDeferredCredentials({ issuerMetadata, accessToken, transactionId }))
      .deferredCredentialResponse
  assert.partialDeepStrictEqual(await poll(), { transaction_id: transactionId, interval: 60 })
  await issuer.api('POST', `/credentials/${body.data.id}/approve`)
  const { credentials = [] } = await poll()
  const [one] = credentials as readonly { readonly credential: string }[]
  const { cnf } = parseSdJwt(one?.credential ?? '').jwt.payload as { cnf: { jwk: { x: string } } }
  assert.equal(cnf.jwk.x, publicJwk.x)
})
