// Wallets built with @openid4vc/openid4vp and @owf/mdoc, by redirect and over the Digital Credentials API, encrypted.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, test } from 'node:test'
import { Openid4vpClient } from '@openid4vc/openid4vp'
import { calculateJwkThumbprint, type JWK } from 'jose'
import { type CertInput, openssl, rootExtensions } from '../../crypto/x509-path/test-support/openssl.ts'
import { createRoot } from '../../trust/certificates/create-root.ts'
import { createTrustedEntity } from '../../trust/trusted-entities/trusted-entities.ts'
import { aBrowserRequest, shop } from '../test-support/browser-request.ts'
import { membership } from '../test-support/holder.ts'
import { anOwfDocument, licence, presentWithOwf, requestedElements } from '../test-support/mdoc-holder.ts'
import { peerCallbacks } from '../test-support/openid4vc-peer.ts'
import { aPresentation, issuer } from '../test-support/presentation-request.ts'
import { type Backend, callerOf, send, startVerifier, type Verifier } from '../test-support/verifier.ts'

const tool = openssl()
const years = { from: '200101000000Z', until: '491231235959Z' }
const extensions = [
  'keyUsage = critical, digitalSignature',
  'subjectKeyIdentifier = hash',
  'authorityKeyIdentifier = keyid',
  'extendedKeyUsage = critical, 1.0.18013.5.1.2',
]
const make = (wish: Partial<CertInput>) => tool.make({ subject: '/C=ZA/CN=Signer', extensions, ...years, ...wish })
const root = make({ subject: '/C=ZA/CN=IACA', extensions: rootExtensions })
const document = await anOwfDocument({ signer: make({ issuer: root }) })

let verifier: Verifier
before(async () => {
  verifier = await startVerifier(undefined, 'localhost')
})
after(async () => {
  await verifier.close()
  tool.remove()
})

/** A backend that trusts the signer of licences; with a certificate it signs under x509_hash, else as its did:web. */
async function aBackend(isCertified: boolean): Promise<Backend> {
  const backend = await verifier.aTenant()
  const caller = callerOf(backend)
  await createTrustedEntity(verifier.platform, caller, {
    name: 'Roads',
    certificates: [root.pem],
    purposes: ['issuer'],
  })
  const about = { type: 'verifierRoot', keyType: 'P-256', countryName: 'ZA' } as const
  if (isCertified)
    await createRoot(
      verifier.platform,
      caller,
      { ...about, issuerAlternativeNameUrl: 'https://a.example' },
      crypto.randomUUID(),
    )
  return backend
}

const licences = { type: licence.docType, name: 'licence', attributes: requestedElements, issuers: [] }
type Request = Awaited<ReturnType<typeof aBrowserRequest>>

/** The presentation for a request; `origin`: over the Digital Credentials API. */
async function presentation(request: Request, format: string, origin: string | null): Promise<string> {
  if (format === 'dc+sd-jwt')
    return aPresentation({ nonce: request.nonce, aud: origin === null ? request.aud : `origin:${origin}` })
  const [key = {}] = request.parameters.client_metadata.jwks.keys
  const jwkThumbprint = Buffer.from(await calculateJwkThumbprint(key), 'base64url')
  const bound = {
    nonce: request.nonce,
    aud: request.aud,
    responseUri: String(request.object.response_uri),
    jwkThumbprint,
  }
  const by = origin === null ? {} : { origin: { name: origin, jwkThumbprint } }
  return (await presentWithOwf(document, { ...bound, ...by })).toString('base64url')
}

/** The request as the library validates it. */
async function resolve(backend: Backend, request: Request, origin: string | null) {
  const did = (await send(`${verifier.url}/issuers/${backend.slug}/did.json`)).body
  const keys = (url: string): JWK => did.verificationMethod.find(({ id }: { id: string }) => id === url).publicKeyJwk
  const wallet = new Openid4vpClient({
    callbacks: { ...peerCallbacks(keys), generateRandom: () => new Uint8Array(16) } as never,
  })
  const link = wallet.parseOpenid4vpAuthorizationRequest({
    authorizationRequest:
      origin === null ? request.opened.authorizationRequestUri : (request.requests[0]?.data as never),
  })
  const resolved = await wallet.resolveOpenId4vpAuthorizationRequest({
    authorizationRequestPayload: link.params as never,
    ...(origin !== null && { origin }),
  })
  return { wallet, resolved }
}

type Answer = { readonly request: Request; readonly origin: string | null; readonly vp_token: object }

/** Encrypts and sends a response with the library. */
async function respond(
  wallet: Openid4vpClient,
  { authorizationRequestPayload: asked }: Awaited<ReturnType<typeof resolve>>['resolved'],
  { request, origin, vp_token }: Answer,
): Promise<void> {
  const made = await wallet.createOpenid4vpAuthorizationResponse({
    authorizationRequestPayload: asked,
    authorizationResponsePayload: { vp_token } as never,
    ...(origin !== null && { origin }),
    jarm: {
      encryption: { nonce: 'wallet' },
      serverMetadata: {
        authorization_signing_alg_values_supported: [],
        authorization_encryption_alg_values_supported: ['ECDH-ES'],
        authorization_encryption_enc_values_supported: ['A256GCM', 'A128GCM'],
      },
    },
  })
  const responseJwt = made.jarm?.responseJwt ?? ''
  assert.equal(responseJwt.split('.').length, 5)
  if (origin === null) {
    await wallet.submitOpenid4vpAuthorizationResponse({
      authorizationRequestPayload: asked as never,
      authorizationResponsePayload: made.authorizationResponsePayload,
      jarm: { responseJwt },
    })
  } else await request.post({ protocol: 'openid4vp-v1-signed', data: { response: responseJwt } }, origin)
}

for (const format of ['dc+sd-jwt', 'mso_mdoc'])
  for (const isCertified of [true, false])
    for (const origin of [null, shop]) {
      const way = `${origin === null ? 'by redirect' : 'over the browser'}, ${isCertified ? 'x509_hash' : 'did:web'}`
      test(`a wallet with @openid4vc/openid4vp presents ${format} ${way}, encrypted`, async () => {
        const backend = await aBackend(isCertified)
        const credential = format === 'mso_mdoc' ? licences : {}
        const template = { verifierConfig: { responseMode: 'direct_post.jwt' } }
        const request = await aBrowserRequest(verifier, {
          backend,
          template,
          ...(format === 'mso_mdoc' && { credential }),
        })
        const { wallet, resolved } = await resolve(backend, request, origin)
        assert.equal(resolved.client.prefix, isCertified ? 'x509_hash' : 'decentralized_identifier')
        const vp_token = { c0: [await presentation(request, format, origin)] }
        await respond(wallet, resolved, { request, origin, vp_token })
        assert.equal((await request.result()).status, 'verified', JSON.stringify(await request.result()))
      })
    }

test('a wallet with @openid4vc/openid4vp reads claim sets, credential sets and transactions, and answers one option', async () => {
  const backend = await aBackend(true)
  const card = { type: membership, name: 'card', issuers: [issuer.did] }
  const claimSets = [['level'], ['given_name']]
  const request = await aBrowserRequest(verifier, {
    backend,
    template: {
      credentials: [{ ...card, attributes: { given_name: {}, level: {} }, claimSets }, licences],
      verifierConfig: {
        responseMode: 'direct_post.jwt',
        credentialSets: [{ options: [['licence'], ['card']] }],
      },
    },
    request: { transactionData: [{ type: 'urn:pay', content: { amount: 3 }, credentials: ['card'] }] },
  })
  const { wallet, resolved } = await resolve(backend, request, null)
  assert.partialDeepStrictEqual(resolved.dcql?.query, {
    credential_sets: [{ options: [['c1'], ['c0']] }],
    credentials: [{ claim_sets: [['a1'], ['a0']] }, {}],
  })
  const [transaction] = resolved.transactionData ?? []
  assert.partialDeepStrictEqual(transaction?.transactionData, { type: 'urn:pay', credential_ids: ['c0'] })
  const sent = (request.object.transaction_data as string[])[0] ?? ''
  const transaction_data_hashes = [createHash('sha256').update(sent).digest('base64url')]
  const shown = await aPresentation(request, {
    names: ['given_name'],
    binding: { claims: { transaction_data_hashes } },
  })
  await respond(wallet, resolved, { request, origin: null, vp_token: { c0: [shown] } })
  const { status, credentials } = await request.result()
  assert.deepEqual([status, credentials[0].attributes], ['verified', { given_name: 'Zoë' }])
})
