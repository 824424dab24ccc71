// Wallets made of other people's libraries go the whole way over HTTP, in both formats.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, test } from 'node:test'
import {
  type CallbackContext,
  clientAuthenticationNone,
  type JwtSigner,
  type RequestDpopOptions,
  setGlobalConfig,
} from '@openid4vc/oauth2'
import { AuthorizationFlow, Openid4vciClient, setGlobalConfig as setIssuanceConfig } from '@openid4vc/openid4vci'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import * as oauth from 'oauth4webapi'
import type { TestDatabase } from '../../../test/support/database.ts'
import { freePort } from '../../../test/support/free-port.ts'
import { clientJwks, clientKey, plain } from '../../authorization/test-support/an-oauth-client.ts'
import { parseSdJwt } from '../../protocols/sd-jwt-vc/sd-jwt.ts'
import { newId } from '../../store/row-id.ts'
import {
  answerConsent,
  aUser,
  configure,
  prepared,
  targetOf,
  visit,
  walletRedirect,
} from '../test-support/code-flow.ts'
import { aDatabase, anIssuer, aRoot, aTemplate, type Body, type Issuer } from '../test-support/issuer.ts'

let db: TestDatabase
let issuer: Issuer
let templates: { readonly sdJwt: Body; readonly mdoc: Body }
before(async () => {
  setGlobalConfig({ allowInsecureUrls: true })
  setIssuanceConfig({ allowInsecureUrls: true })
  db = await aDatabase()
  const port = await freePort()
  issuer = await anIssuer(db, `http://localhost:${port}`, { port })
  // The libraries read the real clock.
  Object.defineProperty(issuer.clock, 'at', { get: () => new Date() })
  await aRoot(issuer)
  await issuer.server.listen()
  const make = async (more: object) => (await issuer.api('POST', '/templates/credentials', aTemplate(more))).body.data
  templates = { sdJwt: await make({ batchSize: 2 }), mdoc: await make(card) }
})
after(async () => {
  await issuer.server.close(100)
  await db.close()
})

const card = {
  format: 'mdoc',
  docType: 'org.example.card.1',
  attributes: { 'org.example.card': { family_name: { type: 'string', required: true } } },
}
const attributesOf = { sdJwt: { given_name: 'Thandi' }, mdoc: { 'org.example.card': { family_name: 'Molefe' } } }

/** The keys of a wallet of the library, which signs proofs of every kind. */
async function aWallet(clientId = `peer-${newId()}`) {
  const keys = new Map<string, { privateKey: CryptoKey; publicJwk: Body }>()
  const signerOf = async () => {
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
    const publicJwk: Body = await exportJWK(publicKey)
    keys.set(publicJwk.x, { privateKey, publicJwk })
    return { method: 'jwk', alg: 'ES256', publicJwk } as const
  }
  const callbacks: Omit<CallbackContext, 'verifyJwt' | 'decryptJwe' | 'encryptJwe'> = {
    hash: (data, alg) => createHash(alg.replace('-', '')).update(data).digest(),
    generateRandom: (length) => crypto.getRandomValues(new Uint8Array(length)),
    clientAuthentication: clientAuthenticationNone({ clientId }),
    signJwt: async (signer: JwtSigner, { header, payload }) => {
      const key = 'publicJwk' in signer ? keys.get(String(signer.publicJwk?.x)) : undefined
      if (key === undefined) throw new Error('no such key')
      const jwt = await new SignJWT(payload as Record<string, unknown>)
        .setProtectedHeader(header as Body)
        .sign(key.privateKey)
      return { jwt, signerJwk: key.publicJwk }
    },
  }
  return { client: new Openid4vciClient({ callbacks }), clientId, signerOf }
}

/** Lets the user sign in and agree. Returns where the browser ends. */
async function browse(url: string, username: Awaited<ReturnType<typeof aUser>>): Promise<URL> {
  const { response } = await answerConsent(issuer, await visit(issuer, url, username), username)
  return targetOf(response)
}

for (const format of ['sdJwt', 'mdoc'] as const) {
  for (const isPushed of [true, false]) {
    test(`@openid4vc/openid4vci gets the ${format} of an offer with issuer_state, DPoP${isPushed ? ' and PAR' : ''}`, async () => {
      await configure(issuer, { settings: { pushedRequests: isPushed ? 'required' : 'optional' } })
      const template = templates[format]
      const user = await aUser(issuer)
      const issuance = await prepared(issuer, template, user, { attributes: attributesOf[format] })
      const { client, clientId, signerOf } = await aWallet()
      const credentialOffer = await client.resolveCredentialOffer(issuance.offerUri)
      const issuerMetadata = await client.resolveIssuerMetadata(credentialOffer.credential_issuer)
      const dpop: RequestDpopOptions = { signer: await signerOf() }
      const about = { credentialOffer, issuerMetadata, clientId, redirectUri: walletRedirect }
      const begun = await client.initiateAuthorization({ ...about, scope: template.code, dpop })
      if (begun.authorizationFlow !== AuthorizationFlow.Oauth2Redirect) throw new Error('another flow')
      const { searchParams } = await browse(begun.authorizationRequestUrl, user)
      assert.equal(searchParams.get('iss'), credentialOffer.credential_issuer)
      const tokens = await client.retrieveAuthorizationCodeAccessTokenFromOffer({
        credentialOffer,
        issuerMetadata,
        dpop,
        redirectUri: walletRedirect,
        authorizationCode: searchParams.get('code') ?? '',
        ...(begun.pkce !== undefined && { pkceCodeVerifier: begun.pkce.codeVerifier }),
      })
      const { access_token: accessToken, token_type: type } = tokens.accessTokenResponse
      assert.equal(type, 'DPoP')
      const { c_nonce: nonce } = await client.requestNonce({ issuerMetadata })
      const proof = async () =>
        client.createCredentialRequestJwtProof({
          issuerMetadata,
          nonce,
          clientId,
          credentialConfigurationId: template.code,
          signer: await signerOf(),
        })
      const proofs = format === 'mdoc' ? [await proof()] : [await proof(), await proof()]
      const { credentialResponse } = await client.retrieveCredentials({
        issuerMetadata,
        accessToken,
        credentialConfigurationId: template.code,
        proofs: { jwt: proofs.map(({ jwt }) => jwt) as [string, ...string[]] },
        ...(tokens.dpop !== undefined && { dpop: tokens.dpop }),
      })
      const credentials = credentialResponse.credentials ?? []
      assert.equal(credentials.length, proofs.length)
      const notificationId = credentialResponse.notification_id ?? ''
      await client.sendNotification({
        issuerMetadata,
        accessToken,
        notification: { notificationId, event: 'credential_accepted' },
        ...(tokens.dpop !== undefined && { dpop: tokens.dpop }),
      })
      const { body } = await issuer.api('GET', `/credentials/${issuance.id}`)
      assert.deepEqual([body.data.status, body.data.credentials[0].status], ['completed', 'accepted'])
    })
  }
}

/** A wallet of oauth4webapi that has discovered the issuer. */
async function anOauthWallet(isConfidential: boolean, redirect: string) {
  const clientId = `peer-${newId()}`
  const client: oauth.Client = { client_id: clientId }
  const about = { clientId, scopes: [], grantTypes: ['authorization_code', 'refresh_token'], redirectUris: [redirect] }
  if (isConfidential) await configure(issuer, { clients: [{ ...about, jwks: clientJwks }] })
  const authentication = isConfidential ? oauth.PrivateKeyJwt(await clientKey()) : oauth.None()
  const identifier = new URL(issuer.platform.urls.issuer(issuer.tenant.slug))
  const discovered = await oauth.discoveryRequest(identifier, { algorithm: 'oauth2', ...plain })
  const server = await oauth.processDiscoveryResponse(identifier, discovered)
  const options = { DPoP: oauth.DPoP(client, await oauth.generateKeyPair('ES256')), ...plain }
  return { clientId, client, authentication, server, options }
}

type OauthWallet = Awaited<ReturnType<typeof anOauthWallet>>

/** Repeats a request with the nonce that the server asked for. */
function withNonce<T>(work: () => Promise<T>): Promise<T> {
  return work().catch((error: unknown) => {
    if (oauth.isDPoPNonceError(error)) return work()
    throw error
  })
}

async function credentialBy({ clientId, server, options }: OauthWallet, accessToken: string, code: string) {
  const { client: wallet, signerOf } = await aWallet()
  const issuerMetadata = await wallet.resolveIssuerMetadata(server.issuer)
  const { c_nonce: nonce } = await wallet.requestNonce({ issuerMetadata })
  const about = { issuerMetadata, nonce, clientId, credentialConfigurationId: code }
  const { jwt } = await wallet.createCredentialRequestJwtProof({ ...about, signer: await signerOf() })
  const endpoint = new URL(issuerMetadata.credentialIssuer.credential_endpoint)
  const headers = new Headers({ 'content-type': 'application/json' })
  const body = JSON.stringify({ credential_configuration_id: code, proofs: { jwt: [jwt] } })
  const issued = await withNonce(() =>
    oauth.protectedResourceRequest(accessToken, 'POST', endpoint, headers, body, options),
  )
  return ((await issued.json()) as Body).credentials[0].credential as string
}

for (const [kind, isConfidential] of [
  ['an unregistered wallet', false],
  ['a registered wallet with private_key_jwt', true],
] as const) {
  test(`oauth4webapi as ${kind} starts by itself: discovery, PAR, DPoP, refresh, credential`, async () => {
    await configure(issuer, { settings: { pushedRequests: 'required' } })
    const { sdJwt: template } = templates
    const user = await aUser(issuer)
    await prepared(issuer, template, user, { attributes: attributesOf.sdJwt, expiresInSeconds: 86_400 })
    const redirect = 'https://wallet.example/cb'
    const wallet = await anOauthWallet(isConfidential, redirect)
    const { clientId, client, authentication, server, options } = wallet
    const verifier = oauth.generateRandomCodeVerifier()
    const parameters = {
      response_type: 'code',
      redirect_uri: redirect,
      scope: template.code,
      state: 'a state',
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    }
    const pushed = await withNonce(async () => {
      const reply = await oauth.pushedAuthorizationRequest(server, client, authentication, parameters, options)
      return oauth.processPushedAuthorizationResponse(server, client, reply)
    })
    const link = new URL(server.authorization_endpoint ?? '')
    link.search = new URLSearchParams({ client_id: clientId, request_uri: pushed.request_uri }).toString()
    const code = oauth.validateAuthResponse(server, client, await browse(link.href, user), 'a state')
    const tokens = await withNonce(async () => {
      const ask = [server, client, authentication, code, redirect, verifier, options] as const
      return oauth.processAuthorizationCodeResponse(server, client, await oauth.authorizationCodeGrantRequest(...ask))
    })
    assert.equal(tokens.token_type, 'dpop')
    const renewed = await withNonce(async () => {
      const ask = [server, client, authentication, tokens.refresh_token ?? '', options] as const
      return oauth.processRefreshTokenResponse(server, client, await oauth.refreshTokenGrantRequest(...ask))
    })
    assert(parseSdJwt(await credentialBy(wallet, renewed.access_token, template.code)))
  })
}
