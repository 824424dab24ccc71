// HAIP 1.0 as a whole, in both formats: a college issues to the hosted wallet and to a wallet of other libraries, and
// both a shop of this server and a verifier of other libraries verify what the wallets hold.
import assert from 'node:assert/strict'
import { createHash, randomBytes, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { Verifier as VerifierOfAuth0 } from '@auth0/mdl'
import {
  type CallbackContext,
  type ClientAuthenticationCallback,
  clientAuthenticationClientAttestationJwt,
  createClientAttestationJwt,
  type JwtSigner,
  setGlobalConfig,
} from '@openid4vc/oauth2'
import {
  AuthorizationFlow,
  createKeyAttestationJwt,
  Openid4vciClient,
  setGlobalConfig as setIssuanceConfig,
} from '@openid4vc/openid4vci'
import { Openid4vpVerifier } from '@openid4vc/openid4vp'
import { Holder, IssuerSigned, SessionTranscript, Verifier as VerifierOfOwf } from '@owf/mdoc'
import { SDJwtVcInstance } from '@sd-jwt/sd-jwt-vc'
import {
  calculateJwkThumbprint,
  compactVerify,
  decodeProtectedHeader,
  exportJWK,
  generateKeyPair,
  importPKCS8,
  type JWK,
  SignJWT,
} from 'jose'
import type { PlainBrowser } from '../../src/authorization/sign-in/test-support/plain-browser.ts'
import { leafExtensions, openssl, rootExtensions } from '../../src/crypto/x509-path/test-support/openssl.ts'
import { peerCallbacks } from '../../src/verification/test-support/openid4vc-peer.ts'
import { aPerson } from '../support/oauth-person.ts'
import { owfContext } from '../support/owf-context.ts'
import { type Api, type Deployment, deploy, type Reply } from '../support/server.ts'

const CARD = 'org.example.card'
const formats = ['sd-jwt-vc', 'mdoc'] as const
type Format = (typeof formats)[number]

/** The wallet provider and the verifier of other makers, certified by openssl. */
const tool = openssl()
const years = { from: '200101000000Z', until: '491231235959Z' }
const authority = tool.make({ subject: '/C=ZA/CN=Peers', extensions: rootExtensions, ...years })
const peer = tool.make({
  subject: '/C=ZA/CN=Peer',
  issuer: authority,
  ...years,
  extensions: [...leafExtensions.slice(0, 3), 'subjectAltName = DNS:peer.example'],
})
const peerChain = [peer.certificate.der.toString('base64')]
const peerKey = await importPKCS8(readFileSync(peer.keyFile, 'utf8'), 'ES256', { extractable: true })

let here: Deployment
let college: Api
let shop: Api
let anele: { readonly wallet: Api; readonly browser: PlainBrowser }
/** The root of the college. */
let root: X509Certificate
const templates = new Map<Format, Reply['body']>()
before(async () => {
  setGlobalConfig({ allowInsecureUrls: true })
  setIssuanceConfig({ allowInsecureUrls: true })
  const profile = { haip: true, walletFormats: ['vc+sd-jwt', 'mso_mdoc'] }
  here = await deploy({}, {}, { acme: profile, globex: profile })
  college = await here.backend('acme')
  shop = await here.backend('globex')
  root = new X509Certificate((await made(college, '/creds/certificates', aRoot('issuerRoot'))).certificate)
  const ofShop = await made(shop, '/creds/certificates', aRoot('verifierRoot'))
  const provider = (await here.nobody.get('/wallet-provider/roots.pem')).body
  await trust(college, 'Wallet providers', ['attester'], [provider, authority.pem])
  await trust(college, 'Verifiers', ['verifier'], [ofShop.certificate, authority.pem])
  await trust(shop, 'Acme College', ['issuer', 'status'], [root.toString()])
  const name = { type: 'string', required: true }
  templates.set('sd-jwt-vc', await aTemplate({ code: 'student', batchSize: 2, attributes: { name } }))
  const card = { format: 'mdoc', docType: `${CARD}.1`, attributes: { [CARD]: { name } } }
  templates.set('mdoc', await aTemplate({ code: 'card', ...card }))
  const browser = await aPerson(here, college, 'anele')
  anele = { browser, wallet: await here.wallet('acme', 'anele' as never) }
})
after(async () => {
  tool.remove()
  await here.stop()
})

async function made(by: Api, path: string, body: object): Promise<Reply['body']> {
  const reply = await by.post(path, body)
  assert.ok(reply.status < 300, JSON.stringify(reply.body))
  return reply.body.data
}

const aRoot = (type: string) => ({
  type,
  keyType: 'P-256',
  countryName: 'ZA',
  issuerAlternativeNameUrl: 'https://a.example',
})

function trust(by: Api, name: string, purposes: string[], certificates: string[]) {
  return made(by, '/creds/trusted-entities', { name, purposes, certificates })
}

function aTemplate(more: object) {
  return made(college, '/creds/templates/credentials', { name: 'Student', ...more })
}

/** An issuance that waits for Anele to sign in. */
function anIssuance(format: Format) {
  const attributes = format === 'mdoc' ? { [CARD]: { name: 'Anele' } } : { name: 'Anele' }
  const recipient = { identifierType: 'username', value: 'anele' }
  const credentialTemplateId = templates.get(format).id
  const body = { credentialTemplateId, attributes, recipient, grants: ['authorization_code'] }
  return made(college, '/creds/credentials/issuance', body)
}

/** Lets Anele agree at the college. Returns where the browser is sent. */
async function agreed(address: string): Promise<URL> {
  const page = await anele.browser.open(address.replace(here.url, ''))
  assert.equal(page.status, 200, page.html)
  const { url } = await anele.browser.send('/issuers/acme/consent', { answer: 'allow' })
  return new URL(url, here.url)
}

/** The credential that the hosted wallet holds. */
const held = new Map<Format, string>()
for (const format of formats) {
  test(`[HAIP-1, HAIP-2, HAIP-8, HAIP-9] the hosted wallet receives the ${format} by sign-in, PAR, DPoP, attestations and encryption`, async () => {
    const issuance = await anIssuance(format)
    const session = await made(anele.wallet, '/wallet/v2/issuance-sessions', { credentialOffer: issuance.offerUri })
    assert.ok(new URL(session.authorizationUrl).searchParams.has('request_uri'))
    const callback = await agreed(session.authorizationUrl)
    assert.equal(callback.pathname, '/issuance-sessions/callback')
    const ended = await anele.browser.open(callback.pathname + callback.search)
    const { body } = await anele.wallet.get(`/wallet/v2/issuance-sessions/${session.id}`)
    assert.deepEqual([body.data.status, ended.status], ['completed', 200], JSON.stringify(body))
    const [id = ''] = body.data.credentialIds
    const accepted = await anele.wallet.patch(`/wallet/v2/credentials/${id}`, { status: 'accepted' })
    assert.equal(accepted.status, 200, JSON.stringify(accepted.body))
    held.set(format, id)
  })
}

for (const format of formats) {
  test(`[HAIP-20, HAIP-21, HAIP-22] the hosted wallet presents the ${format} to a verifier under the profile`, async () => {
    const isMdoc = format === 'mdoc'
    const asked = isMdoc
      ? { type: `${CARD}.1`, format, attributes: { [CARD]: { properties: { name: {} } } } }
      : { type: templates.get(format).type, attributes: { name: {} } }
    const about = { name: 'Student', description: 'For the discount', credentials: [asked] }
    const { id: presentationTemplateId } = await made(shop, '/creds/templates/presentations', about)
    const request = await made(shop, '/creds/presentations/request', { presentationTemplateId })
    const presentationRequest = request.authorizationRequestUri
    assert.match(new URL(presentationRequest).searchParams.get('client_id') ?? '', /^x509_hash:/)
    await presented(presentationRequest, format)
    const { data } = (await shop.get(`/creds/presentations/${request.id}`)).body
    assert.equal(data.status, 'verified', JSON.stringify(data))
    assert.ok(JSON.stringify(data.credentials[0].attributes ?? data.credentials[0]).includes('Anele'))
  })
}

/** Lets Anele share the name. */
async function presented(presentationRequest: string, format: Format): Promise<void> {
  const { id, ...prepared } = await made(anele.wallet, '/wallet/v2/presentations', { presentationRequest })
  assert.ok(JSON.stringify(prepared).includes(held.get(format) ?? '?'), JSON.stringify(prepared))
  const shared = await anele.wallet.patch(`/wallet/v2/presentations/${id}`, { status: 'answered' })
  assert.equal(shared.status, 200, JSON.stringify(shared.body))
}

/** Keys of a wallet of other libraries, and the signatures by them. Attestations are signed by the peer. */
function aKeyRing() {
  const keys = new Map<string, CryptoKey>()
  const signerOf = async () => {
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
    const publicJwk = { kty: 'EC', ...(await exportJWK(publicKey)) }
    keys.set(String(publicJwk.x), privateKey)
    return { method: 'jwk', alg: 'ES256', publicJwk } as const
  }
  const sign =
    (more: object = {}, about: object = {}): CallbackContext['signJwt'] =>
    async (signer: JwtSigner, { header, payload }) => {
      const key = 'publicJwk' in signer ? keys.get(String(signer.publicJwk?.x)) : peerKey
      if (key === undefined) throw new Error('no such key')
      const protectedHeader = { ...Object(header), ...about, alg: 'ES256' }
      const jwt = new SignJWT({ ...Object(payload), ...more }).setProtectedHeader(protectedHeader)
      const signerJwk = 'publicJwk' in signer ? signer.publicJwk : await exportJWK(peer.certificate.publicKey as never)
      return { jwt: await jwt.sign(key), signerJwk: signerJwk as never }
    }
  return { signerOf, sign }
}

const [finalType, WALLET] = [{ typ: 'key-attestation+jwt' }, 'https://wallet.example']
const attester = { method: 'x5c', alg: 'ES256', x5c: peerChain, kid: undefined } as never

/**
 * A wallet of `@openid4vc/openid4vci`, attested by the peer. Unless it `challenges`, it is the library as it is, which
 * sends no challenge.
 */
async function aPeerWallet(challenges: boolean) {
  const { signerOf, sign } = aKeyRing()
  const instance = await signerOf()
  const clientAttestationJwt = await createClientAttestationJwt({
    clientId: WALLET,
    issuer: 'https://provider.example',
    expiresAt: new Date(Date.now() + 600_000),
    confirmation: { jwk: instance.publicJwk },
    signer: attester,
    callbacks: { signJwt: sign() },
  })
  const clientAuthentication: ClientAuthenticationCallback = async (options) => {
    const { challenge_endpoint: url } = options.authorizationServerMetadata as { challenge_endpoint?: string }
    const found = challenges ? (await here.nobody.post(url ?? '')).body : {}
    const claims = challenges ? { challenge: found.attestation_challenge } : {}
    const callbacks = { signJwt: sign(claims), generateRandom: randomBytes }
    return clientAuthenticationClientAttestationJwt({ clientAttestationJwt, callbacks })(options)
  }
  const hash: CallbackContext['hash'] = (data, alg) => createHash(alg.replace('-', '')).update(data).digest()
  const callbacks = { hash, generateRandom: randomBytes, clientAuthentication, signJwt: sign() }
  return { client: new Openid4vciClient({ callbacks }), signerOf, sign }
}

for (const [format, proofType, challenges] of [
  ['sd-jwt-vc', 'jwt', true],
  ['sd-jwt-vc', 'attestation', false],
  ['mdoc', 'jwt', false],
] as const) {
  const way = challenges ? 'with the challenge' : 'as it is'
  const what = `the ${format} with a proof of type ${proofType}`
  test(`[HAIP-8, HAIP-9, HAIP-31] @openid4vc/openid4vci, ${way}, gets ${what}, which others verify`, async () => {
    const { client, signerOf, sign } = await aPeerWallet(challenges)
    const issuance = await anIssuance(format)
    const credentialOffer = await client.resolveCredentialOffer(issuance.offerUri)
    const issuerMetadata = await client.resolveIssuerMetadata(credentialOffer.credential_issuer)
    const dpop = { signer: await signerOf() }
    const redirectUri = 'com.example.wallet:/callback'
    const { scope = '' } = issuerMetadata.credentialIssuer.credential_configurations_supported[
      credentialOffer.credential_configuration_ids[0] ?? ''
    ] as { scope?: string }
    const about = { credentialOffer, issuerMetadata, clientId: WALLET, redirectUri, scope, dpop }
    const begun = await client.initiateAuthorization(about)
    if (begun.authorizationFlow !== AuthorizationFlow.Oauth2Redirect) throw new Error('another flow')
    const { searchParams } = await agreed(begun.authorizationRequestUrl)
    assert.equal(searchParams.get('iss'), credentialOffer.credential_issuer)
    const tokens = await client.retrieveAuthorizationCodeAccessTokenFromOffer({
      credentialOffer,
      issuerMetadata,
      dpop,
      redirectUri,
      authorizationCode: searchParams.get('code') ?? '',
      ...(begun.pkce !== undefined && { pkceCodeVerifier: begun.pkce.codeVerifier }),
    })
    const { access_token: accessToken, token_type: type } = tokens.accessTokenResponse
    assert.equal(type, 'DPoP')
    const { c_nonce: nonce } = await client.requestNonce({ issuerMetadata })
    const keys = format === 'mdoc' ? [await signerOf()] : [await signerOf(), await signerOf()]
    const [first] = keys
    assert.ok(first !== undefined)
    const keyAttestationJwt = await createKeyAttestationJwt({
      nonce,
      attestedKeys: keys.map(({ publicJwk }) => publicJwk),
      expiresAt: new Date(Date.now() + 600_000),
      // the library names the type of a draft
      signer: attester,
      use: `proof_type.${proofType}`,
      callbacks: { signJwt: sign({}, finalType) },
    })
    const credentialConfigurationId = templates.get(format).code
    const proof = { issuerMetadata, nonce, clientId: WALLET, credentialConfigurationId, keyAttestationJwt }
    const { jwt } = await client.createCredentialRequestJwtProof({ ...proof, signer: first })
    const { credentialResponse } = await client.retrieveCredentials({
      issuerMetadata,
      accessToken,
      credentialConfigurationId,
      proofs: proofType === 'jwt' ? { jwt: [jwt] } : { attestation: [keyAttestationJwt] },
      ...(tokens.dpop !== undefined && { dpop: tokens.dpop }),
    })
    const credentials = (credentialResponse.credentials ?? []).map((one) => (one as { credential: string }).credential)
    assert.equal(credentials.length, keys.length)
    for (const credential of credentials)
      await (format === 'mdoc' ? verifyMdoc(credential) : verifySdJwt(credential, credentialOffer.credential_issuer))
    const notificationId = credentialResponse.notification_id ?? ''
    await client.sendNotification({
      issuerMetadata,
      accessToken,
      notification: { notificationId, event: 'credential_accepted' },
      ...(tokens.dpop !== undefined && { dpop: tokens.dpop }),
    })
    const { body } = await college.get(`/creds/credentials/${issuance.id}`)
    assert.equal(body.data.credentials[0].status, 'accepted', JSON.stringify(body))
  })
}

/** [HAIP-31] The leaf is under the root of the college, and the root is not in `x5c`. */
function leafKeyOf({ x5c = [] }: { x5c?: string[] }) {
  const leaf = new X509Certificate(Buffer.from(x5c[0] ?? '', 'base64'))
  assert.ok(x5c.length === 1 && leaf.checkIssued(root) && leaf.verify(root.publicKey) && leaf.subject !== leaf.issuer)
  return leaf.publicKey
}

/** Verifies by `@sd-jwt/sd-jwt-vc`, with its own check of the status list. */
async function verifySdJwt(credential: string, issuer: string): Promise<void> {
  const verifier = (key: Parameters<typeof compactVerify>[1]) => async (data: string, signature: string) =>
    (await compactVerify(`${data}.${signature}`, key)).payload.length > 0
  const listed: string[] = []
  const library = new SDJwtVcInstance({
    hasher: (text: string | ArrayBuffer, alg: string) =>
      createHash(alg.replace('-', ''))
        .update(typeof text === 'string' ? text : Buffer.from(text))
        .digest(),
    hashAlg: 'sha-256',
    verifier: verifier(leafKeyOf(decodeProtectedHeader(credential.split('~')[0] ?? ''))),
    statusVerifier: (data: string, signature: string) =>
      verifier(leafKeyOf(decodeProtectedHeader(`${data}.${signature}`)))(data, signature),
    statusListFetcher: async (uri: string) => {
      listed.push(uri)
      return (await here.nobody.get(uri, { accept: 'application/statuslist+jwt' })).body
    },
  })
  const { payload } = await library.verify(credential)
  assert.equal(payload.iss, issuer)
  assert.equal(listed.length, 1, 'the status is in a status_list')
  assert.partialDeepStrictEqual(await library.getClaims(credential), { name: 'Anele' })
}

async function verifyMdoc(credential: string): Promise<void> {
  const issuerSigned = IssuerSigned.fromEncodedForOid4Vci(credential)
  await Holder.verifyIssuerSigned({ issuerSigned, trustedCertificates: [root.raw] }, owfContext)
  assert.equal(issuerSigned.getIssuerNamespace(CARD)?.length, 1)
}

/** A verifier of `@openid4vc/openid4vp` on a loopback port that asks under HAIP. */
async function aPeerVerifier(query: object) {
  const pair = await generateKeyPair('ECDH-ES', { crv: 'P-256', extractable: true })
  const decryption = { ...(await exportJWK(pair.privateKey)), kid: 'e1' }
  const encryption = { ...(await exportJWK(pair.publicKey)), kty: 'EC', kid: 'e1', use: 'enc', alg: 'ECDH-ES' }
  const callbacks = peerCallbacks(() => ({}), { signing: await exportJWK(peerKey), decryption })
  const verifier = new Openid4vpVerifier({ callbacks })
  const posted = Promise.withResolvers<string>()
  let jwt = ''
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    if (request.url === '/request')
      return response.writeHead(200, { 'content-type': 'application/oauth-authz-req+jwt' }).end(jwt)
    posted.resolve(new URLSearchParams(Buffer.concat(chunks).toString()).get('response') ?? '')
    return response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const clientId = `x509_hash:${createHash('sha256').update(peer.certificate.der).digest('base64url')}`
  const payload = {
    client_id: clientId,
    response_type: 'vp_token',
    response_mode: 'direct_post.jwt',
    response_uri: `${base}/response`,
    aud: 'https://self-issued.me/v2',
    nonce: randomBytes(16).toString('base64url'),
    state: randomBytes(16).toString('base64url'),
    dcql_query: { credentials: [query] },
    client_metadata: {
      jwks: { keys: [encryption] },
      encrypted_response_enc_values_supported: ['A128GCM', 'A256GCM'],
      vp_formats_supported: { 'dc+sd-jwt': {}, mso_mdoc: {} },
    },
  } as const
  const made = await verifier.createOpenId4vpAuthorizationRequest({
    authorizationRequestPayload: payload as never,
    jar: { jwtSigner: attester, requestUri: `${base}/request`, expiresInSeconds: 300 },
  })
  jwt = made.jar?.authorizationRequestJwt ?? ''
  const answer = async () => {
    const parsed = await verifier.parseOpenid4vpAuthorizationResponse({
      authorizationRequestPayload: payload as never,
      authorizationResponse: { response: await posted.promise },
      callbacks,
    })
    assert.equal(parsed.jarm?.type, 'Encrypted')
    assert('dcql' in parsed, 'it is an answer to the query')
    return parsed.dcql.presentations as Record<string, string[]>
  }
  const link = `openid4vp://?${new URLSearchParams({ client_id: clientId, request_uri: `${base}/request` })}`
  return { link, payload, encryption, answer, close: () => void server.close() }
}

test('[HAIP-22] the hosted wallet presents the sd-jwt-vc to a verifier of @openid4vc/openid4vp, and @sd-jwt/sd-jwt-vc verifies it', async () => {
  const { type } = templates.get('sd-jwt-vc')
  const claims = [{ path: ['name'] }]
  const verifier = await aPeerVerifier({ id: 'c', format: 'dc+sd-jwt', meta: { vct_values: [type] }, claims })
  await presented(verifier.link, 'sd-jwt-vc')
  const [presentation = ''] = (await verifier.answer()).c ?? []
  verifier.close()
  const bare = presentation.slice(0, presentation.lastIndexOf('~') + 1)
  await verifySdJwt(bare, type.slice(0, type.indexOf('/vct/')))
  const { cnf } = JSON.parse(Buffer.from(bare.split('.')[1] ?? '', 'base64url').toString())
  const { payload } = await compactVerify(presentation.slice(bare.length), { alg: 'ES256', ...cnf.jwk } as JWK)
  const bound = JSON.parse(Buffer.from(payload).toString())
  const hash = createHash('sha256').update(bare).digest('base64url')
  const { client_id: aud, nonce } = verifier.payload
  assert.partialDeepStrictEqual(bound, { aud, nonce, sd_hash: hash })
})

test('[HAIP-22] the hosted wallet presents the mdoc to a verifier of @openid4vc/openid4vp, and @owf/mdoc and @auth0/mdl verify it', async () => {
  const claims = [{ path: [CARD, 'name'] }]
  const query = { id: 'c', format: 'mso_mdoc', meta: { doctype_value: `${CARD}.1` }, claims }
  const verifier = await aPeerVerifier(query)
  await presented(verifier.link, 'mdoc')
  const [presentation = ''] = (await verifier.answer()).c ?? []
  verifier.close()
  const { client_id: clientId, nonce, response_uri: responseUri } = verifier.payload
  const jwkThumbprint = Buffer.from(await calculateJwkThumbprint(verifier.encryption), 'base64url')
  const bound = { clientId, nonce, responseUri, jwkThumbprint }
  const sessionTranscript = await SessionTranscript.forOid4Vp(bound, owfContext)
  const deviceResponse = Buffer.from(presentation, 'base64url')
  const trustedCertificates = [root.raw]
  await VerifierOfOwf.verifyDeviceResponse({ deviceResponse, sessionTranscript, trustedCertificates }, owfContext)
  const array = sessionTranscript.encode()
  const encodedSessionTranscript = Buffer.concat([Buffer.from([0xd8, 0x18, 0x58, array.length]), array])
  await new VerifierOfAuth0([root.toString()]).verify(deviceResponse, { encodedSessionTranscript })
})
