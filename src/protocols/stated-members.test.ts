// null for a member is what many serializers write for a member that is absent: every reader takes it as that.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '../crypto/json.ts'
import { encryptCompact } from '../crypto/jwe.ts'
import { generateKeyPair } from '../crypto/jwk.ts'
import { readCredentialDetails } from './openid4vci/authorization-details.ts'
import { PRE_AUTHORIZED_GRANT, readOffer } from './openid4vci/credential-offer.ts'
import { readCredentialRequest } from './openid4vci/credential-request.ts'
import { readCredentialResponse } from './openid4vci/credential-response.ts'
import { readIssuerMetadata } from './openid4vci/issuer-metadata.ts'
import { readServerMetadata } from './openid4vci/server-metadata.ts'
import { readTokenResponse } from './openid4vci/token-response.ts'
import { authenticatePlain } from './openid4vp/authenticate-request.ts'
import { checkRequest } from './openid4vp/check-request.ts'
import { parseClientId } from './openid4vp/client-id.ts'
import { readBrowserAnswer } from './openid4vp/digital-credentials.ts'
import { readEncryptedResponse } from './openid4vp/encryption.ts'
import { statedMembers } from './shape.ts'

const issuer = 'https://issuer.example'
const policy = { allowHttpLoopback: false }
const names = (...all: string[]) => Object.fromEntries(all.map((name) => [name, null]))
const proofs = { jwt: { proof_signing_alg_values_supported: ['ES256'], ...names('key_attestations_required') } }
const path = ['degrees', null, 'name']
const configuration = {
  format: 'dc+sd-jwt',
  vct: 'urn:x',
  proof_types_supported: proofs,
  credential_metadata: { claims: [{ path, ...names('display', 'mandatory') }], ...names('display') },
  ...names('scope', 'doctype', 'credential_definition', 'cryptographic_binding_methods_supported'),
}
const responseUri = 'https://shop.example/answers'
const client = parseClientId(`redirect_uri:${responseUri}`)
const query = {
  id: 'q',
  format: 'dc+sd-jwt',
  meta: { vct_values: ['urn:x'], ...names('doctype_value') },
  claims: [{ path, ...names('id', 'values', 'intent_to_retain') }],
  ...names('multiple', 'claim_sets', 'trusted_authorities', 'require_cryptographic_holder_binding'),
}
const wallet = { formats: ['dc+sd-jwt'], holderAlg: 'ES256' } as const
const { privateKey, publicJwk } = generateKeyPair()
const presented = { vp_token: { q: ['a~'] }, ...names('error', 'error_description', 'state', 'response') }

type Reader = (value: JsonObject) => unknown
const messages: Readonly<Record<string, readonly [read: Reader, message: JsonObject]>> = {
  'a credential offer': [
    (value) => readOffer(value, policy),
    {
      credential_issuer: issuer,
      credential_configuration_ids: ['c'],
      grants: {
        [PRE_AUTHORIZED_GRANT]: { 'pre-authorized_code': 'p', ...names('tx_code', 'authorization_server') },
        authorization_code: names('issuer_state', 'authorization_server'),
      },
    },
  ],
  'the transaction code of an offer': [
    (value) => readOffer(value, policy),
    {
      credential_issuer: issuer,
      credential_configuration_ids: ['c'],
      grants: {
        [PRE_AUTHORIZED_GRANT]: {
          'pre-authorized_code': 'p',
          tx_code: names('input_mode', 'length', 'description'),
        },
      },
    },
  ],
  'issuer metadata': [
    (value) => readIssuerMetadata(value, issuer, policy),
    {
      credential_issuer: issuer,
      credential_endpoint: `${issuer}/credential`,
      credential_configurations_supported: { c: configuration },
      ...names('authorization_servers', 'nonce_endpoint', 'deferred_credential_endpoint', 'notification_endpoint'),
      ...names('batch_credential_issuance', 'credential_request_encryption', 'credential_response_encryption'),
      ...names('display'),
    },
  ],
  'authorization server metadata': [
    (value) => readServerMetadata(value, issuer, policy),
    {
      issuer,
      token_endpoint: `${issuer}/token`,
      ...names('authorization_endpoint', 'pushed_authorization_request_endpoint', 'challenge_endpoint'),
      ...names('grant_types_supported', 'token_endpoint_auth_methods_supported', 'code_challenge_methods_supported'),
    },
  ],
  'a token response': [
    (value) => readTokenResponse(value, false),
    { access_token: 'a', token_type: 'Bearer', ...names('authorization_details', 'refresh_token', 'expires_in') },
  ],
  'a credential response': [
    (value) => readCredentialResponse(value, 1),
    { credentials: [{ credential: 'a~' }], ...names('transaction_id', 'interval', 'notification_id') },
  ],
  'a deferred response': [
    (value) => readCredentialResponse(value, 1),
    { transaction_id: 't', interval: 5, ...names('credentials', 'notification_id') },
  ],
  'a credential request': [
    (value) => readCredentialRequest(value, 1),
    {
      credential_configuration_id: 'c',
      proofs: { jwt: ['a.b.c'], ...names('attestation', 'di_vp') },
      ...names('credential_identifier', 'credential_response_encryption'),
    },
  ],
  'authorization details': [
    (value) => readCredentialDetails(JSON.stringify([value])),
    { type: 'openid_credential', credential_configuration_id: 'c', ...names('claims', 'locations') },
  ],
  'a presentation request': [
    (value) => checkRequest(authenticatePlain(value, client, policy), wallet, new Date()),
    {
      client_id: client.full,
      response_uri: responseUri,
      response_type: 'vp_token',
      response_mode: 'direct_post',
      nonce: 'n',
      dcql_query: { credentials: [query], ...names('credential_sets') },
      client_metadata: names('vp_formats_supported', 'jwks'),
      ...names('state', 'scope', 'redirect_uri', 'transaction_data', 'request', 'request_uri'),
    },
  ],
  'an encrypted response': [
    (value) =>
      readEncryptedResponse(encryptCompact(JSON.stringify(value), { jwk: publicJwk, enc: 'A128GCM' }), privateKey),
    presented,
  ],
  'an answer of a browser': [(value) => readBrowserAnswer('openid4vp-v1-unsigned', value), presented],
}

for (const [what, [read, message]] of Object.entries(messages)) {
  test(`a member that is null is absent from ${what}`, () => {
    assert.deepEqual(read(message), read(statedMembers(message)))
  })
}

test('null stays where it is an element, as in a path', () => {
  assert.deepEqual(statedMembers({ a: null, claims: [{ path, b: null }, null] }), { claims: [{ path }, null] })
  for (const other of [null, [], 'a', undefined]) assert.equal(statedMembers(other), null)
})
