// A verifier built with @openid4vc/openid4vp, signed with a DID, with encrypted responses.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { Verifier as VerifierOfAuth0 } from '@auth0/mdl'
import { Openid4vpVerifier } from '@openid4vc/openid4vp'
import { SessionTranscript, Verifier as VerifierOfOwf } from '@owf/mdoc'
import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose'
import { owfContext } from '../../../test/support/owf-context.ts'
import { peerCallbacks } from '../../verification/test-support/openid4vc-peer.ts'
import { setConsent } from '../credentials/set-consent.ts'
import { acceptOffer } from '../offers/accept-offer.ts'
import { foreignIssuer } from '../test-support/foreign-issuer.ts'
import { foreignDocType, foreignNameSpace, foreignRoot, foreignRootDer } from '../test-support/foreign-mdoc.ts'
import { readByHand } from '../test-support/foreign-verifier.ts'
import { anMdocHolder, setTenant } from '../test-support/mdoc-holder.ts'
import { membership, receive } from '../test-support/member.ts'
import { type Bench, openBench } from '../test-support/wallet-platform.ts'
import { answerPresentation } from './answer-presentation.ts'
import { preparePresentation } from './prepare-presentation.ts'

let bench: Bench
before(async () => {
  bench = await openBench()
})
after(() => bench.close())

const keys = await Promise.all(
  ['ES256', 'ECDH-ES'].map(async (alg) => {
    const { privateKey } = await generateKeyPair(alg, { crv: 'P-256', extractable: true })
    return exportJWK(privateKey)
  }),
)
const [signing = {}, decryption = {}] = keys
const { d: _, ...publicSigning } = signing
const { d: __, ...publicEncryption } = decryption
const encryptionJwk = { ...publicEncryption, kty: 'EC', use: 'enc', alg: 'ECDH-ES', kid: 'e1' }
const did = `did:jwk:${Buffer.from(JSON.stringify(publicSigning)).toString('base64url')}`
const clientId = `decentralized_identifier:${did}`
const verifier = new Openid4vpVerifier({ callbacks: peerCallbacks(() => publicSigning, { signing, decryption }) })

/** Starts the verifier on a loopback port; `answer`: what it read from the response. */
async function peerAsking(dcql_query: object, transaction_data: string[] = []) {
  const posted: Record<string, string>[] = []
  let jwt = ''
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    if (request.url !== '/answers') {
      response.writeHead(200, { 'content-type': 'application/oauth-authz-req+jwt' }).end(jwt)
      return
    }
    posted.push(Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString('utf8'))))
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const payload = {
    response_type: 'vp_token',
    response_mode: 'direct_post.jwt',
    response_uri: `${base}/answers`,
    client_id: clientId,
    nonce: randomBytes(18).toString('base64url'),
    state: 'st-1',
    dcql_query,
    ...(transaction_data.length > 0 && { transaction_data }),
    client_metadata: {
      jwks: { keys: [encryptionJwk] },
      encrypted_response_enc_values_supported: ['A128GCM'],
      vp_formats_supported: {
        'dc+sd-jwt': { 'sd-jwt_alg_values': ['ES256'], 'kb-jwt_alg_values': ['ES256'] },
        mso_mdoc: { issuerauth_alg_values: [-7], deviceauth_alg_values: [-7] },
      },
    },
  }
  const made = await verifier.createOpenId4vpAuthorizationRequest({
    authorizationRequestPayload: payload as never,
    jar: {
      jwtSigner: { method: 'did', didUrl: `${did}#0`, alg: 'ES256' },
      requestUri: `${base}/request`,
      expiresInSeconds: 300,
    },
  })
  jwt = made.jar?.authorizationRequestJwt ?? ''
  const answer = async () => {
    const parsed = await verifier.parseOpenid4vpAuthorizationResponse({
      authorizationResponse: posted[0] ?? {},
      authorizationRequestPayload: payload as never,
      callbacks: peerCallbacks(() => publicSigning, { signing, decryption }),
    })
    assert('dcql' in parsed, 'it is an answer to the query')
    return parsed.dcql.presentations as Record<string, string[]>
  }
  return { payload, link: made.authorizationRequest, answer, close: () => server.close() }
}

test('a verifier with @openid4vc/openid4vp gets an SD-JWT VC, with the hash of its transaction', async () => {
  const thandi = await bench.person()
  await receive(bench, thandi)
  await setTenant(bench, thandi.tenantId, {
    transactionDataTypes: [{ type: 'urn:pay', members: { amount: { type: 'number' } } }],
  })
  const transaction = { type: 'urn:pay', credential_ids: ['m'], amount: 3, transaction_data_hashes_alg: ['sha-256'] }
  const encoded = Buffer.from(JSON.stringify(transaction)).toString('base64url')
  const peer = await peerAsking({ credentials: [membership] }, [encoded])
  const { data, meta } = await preparePresentation(bench.platform, thandi, peer.link)
  assert.partialDeepStrictEqual(meta.verifier, { clientId, authenticated: true })
  await answerPresentation(bench.platform, thandi, data.id, { status: 'answered' })
  const [presentation = ''] = (await peer.answer()).m ?? []
  peer.close()
  assert.partialDeepStrictEqual(readByHand(presentation), {
    aud: clientId,
    nonce: peer.payload.nonce,
    isSigned: true,
    isWhole: true,
  })
  const bound = JSON.parse(Buffer.from(presentation.split('~').at(-1)?.split('.')[1] ?? '', 'base64url').toString())
  const [verified] = await verifier.verifyTransactionData({
    transactionData: [encoded],
    credentials: {
      m: [
        {
          transaction_data_hashes: bound.transaction_data_hashes,
          transaction_data_hashes_alg: bound.transaction_data_hashes_alg,
        },
      ],
    } as never,
  })
  assert.equal(verified?.credentialId, 'm')
})

test('a verifier with @openid4vc/openid4vp gets the option of claim sets and credential sets that the wallet can satisfy', async () => {
  const thandi = await bench.person()
  await receive(bench, thandi)
  const claims = [
    { id: 'none', path: ['passport'] },
    { id: 'number', path: ['member', 'number'] },
  ]
  const peer = await peerAsking({
    credentials: [
      { ...membership, claims, claim_sets: [['none'], ['number']] },
      { ...membership, id: 'other', meta: { vct_values: ['https://types.example/other'] } },
    ],
    credential_sets: [{ options: [['other'], ['m']] }],
  })
  const { data } = await preparePresentation(bench.platform, thandi, peer.link)
  assert.deepEqual(data.selectedCredentials[0]?.matchedAttributes, ['member.number'])
  await answerPresentation(bench.platform, thandi, data.id, { status: 'answered' })
  const answered = await peer.answer()
  peer.close()
  assert.deepEqual(Object.keys(answered), ['m'])
  const { disclosed } = readByHand(answered.m?.[0] ?? '')
  assert.ok(disclosed.every(([name]) => name !== 'clubs'))
})

test('a verifier with @openid4vc/openid4vp gets an mdoc, which @owf/mdoc and @auth0/mdl verify for the encrypted handover', async () => {
  const person = await anMdocHolder(bench)
  const road = await foreignIssuer({ offers: ['licence'] })
  const { credentials } = await acceptOffer(bench.platform, person, { credentialOffer: road.offerUri })
  await setConsent(bench.platform, person, credentials[0]?.id ?? '', 'accepted')
  const claims = [{ path: [foreignNameSpace, 'height'] }]
  const licence = { id: 'l', format: 'mso_mdoc', meta: { doctype_value: foreignDocType }, claims }
  const peer = await peerAsking({ credentials: [licence] })
  const { data } = await preparePresentation(bench.platform, person, peer.link)
  await answerPresentation(bench.platform, person, data.id, { status: 'answered' })
  const [presentation = ''] = (await peer.answer()).l ?? []
  peer.close()
  await road.close()
  const deviceResponse = Buffer.from(presentation, 'base64url')
  const { nonce, response_uri: responseUri } = peer.payload
  const jwkThumbprint = Buffer.from(await calculateJwkThumbprint(publicEncryption), 'base64url')
  const sessionTranscript = await SessionTranscript.forOid4Vp(
    { clientId, nonce, responseUri, jwkThumbprint },
    owfContext,
  )
  const trusted = { trustedCertificates: [foreignRootDer], now: new Date() }
  await VerifierOfOwf.verifyDeviceResponse({ deviceResponse, sessionTranscript, ...trusted }, owfContext)
  const array = sessionTranscript.encode()
  const encodedSessionTranscript = Buffer.concat([Buffer.from([0xd8, 0x18, 0x58, array.length]), array])
  await new VerifierOfAuth0([foreignRoot]).verify(deviceResponse, { encodedSessionTranscript })
})
