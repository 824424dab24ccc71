// A wallet of @openid4vc/openid4vci gets a deferred credential over HTTP, by a pre-authorized code.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, test } from 'node:test'
import { type CallbackContext, clientAuthenticationAnonymous, type JwtSigner, setGlobalConfig } from '@openid4vc/oauth2'
import { Openid4vciClient, setGlobalConfig as setIssuanceConfig } from '@openid4vc/openid4vci'
import { exportJWK, generateKeyPair, type JWTHeaderParameters, SignJWT } from 'jose'
import type { TestDatabase } from '../../../test/support/database.ts'
import { freePort } from '../../../test/support/free-port.ts'
import { parseSdJwt } from '../../protocols/sd-jwt-vc/sd-jwt.ts'
import { aDatabase, anIssuer, aTemplate, type Issuer, someClaims } from '../test-support/issuer.ts'

let db: TestDatabase
let issuer: Issuer
before(async () => {
  setGlobalConfig({ allowInsecureUrls: true })
  setIssuanceConfig({ allowInsecureUrls: true })
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

async function aWallet() {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
  const publicJwk = await exportJWK(publicKey)
  const callbacks: Omit<CallbackContext, 'verifyJwt' | 'decryptJwe' | 'encryptJwe'> = {
    hash: (data, alg) => createHash(alg.replace('-', '')).update(data).digest(),
    generateRandom: (length) => crypto.getRandomValues(new Uint8Array(length)),
    clientAuthentication: clientAuthenticationAnonymous(),
    signJwt: async (_signer: JwtSigner, { header, payload }) => {
      const jwt = await new SignJWT(payload as Record<string, unknown>)
        .setProtectedHeader(header as JWTHeaderParameters)
        .sign(privateKey)
      return { jwt, signerJwk: publicJwk as never }
    },
  }
  const signer = { method: 'jwk', alg: 'ES256', publicJwk: publicJwk as never } as const
  return { client: new Openid4vciClient({ callbacks }), signer, publicJwk }
}

test('the library is told to wait, and gets the credential at its first poll after the approval', async () => {
  const made = await issuer.api('POST', '/templates/credentials', aTemplate({ approvalRequired: true }))
  const { id: credentialTemplateId, code: credentialConfigurationId } = made.body.data
  const ask = { credentialTemplateId, attributes: someClaims }
  const { body } = await issuer.api('POST', '/credentials/issuance', ask)
  const { client, signer, publicJwk } = await aWallet()
  const credentialOffer = await client.resolveCredentialOffer(body.data.offerUri)
  const issuerMetadata = await client.resolveIssuerMetadata(credentialOffer.credential_issuer)
  const tokens = await client.retrievePreAuthorizedCodeAccessTokenFromOffer({ credentialOffer, issuerMetadata })
  const { access_token: accessToken } = tokens.accessTokenResponse
  const { c_nonce: nonce } = await client.requestNonce({ issuerMetadata })
  const about = { issuerMetadata, credentialConfigurationId }
  const { jwt } = await client.createCredentialRequestJwtProof({ ...about, nonce, signer })
  const { credentialResponse } = await client.retrieveCredentials({ ...about, accessToken, proofs: { jwt: [jwt] } })
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
