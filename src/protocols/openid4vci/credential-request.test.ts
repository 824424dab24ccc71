import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fc } from '../../../test/support/fast-check.ts'
import { Fault } from '../../fault.ts'
import { buildCredentialRequest, readCredentialRequest } from './credential-request.ts'

const byId = { credential_configuration_id: 'diploma' }
const BATCH = 3
const file = new URL('../../../test/vectors/data/oid4vci/examples-1.0/credential_request_iso_mdl.json', import.meta.url)

test('what a wallet builds is read back, by either id [VCI-C1]', () => {
  assert.deepEqual(
    readCredentialRequest(
      buildCredentialRequest({ configurationId: 'diploma' }, { type: 'jwt', values: ['a', 'b'] }),
      BATCH,
    ),
    {
      credentialIdentifier: null,
      configurationId: 'diploma',
      proofs: ['a', 'b'],
      attestation: null,
      responseEncryption: null,
    },
  )
  assert.partialDeepStrictEqual(
    readCredentialRequest(buildCredentialRequest({ credentialIdentifier: 'i' }, { type: 'jwt', values: [] }), BATCH),
    {
      credentialIdentifier: 'i',
      proofs: null,
    },
  )
})

test('unknown members are ignored [VCI-C2]', () => {
  assert.equal(readCredentialRequest({ ...byId, later: true }, 1).configurationId, 'diploma')
})

for (const [what, body, code] of [
  ['no object', [], 'credential_request.invalid'],
  ['neither id [VCI-C1]', {}, 'credential_request.invalid'],
  ['both ids [VCI-C1]', { ...byId, credential_identifier: 'i' }, 'credential_request.invalid'],
  ['an id that is no string', { credential_configuration_id: 1 }, 'credential_request.invalid'],
  ['the shape of a draft (0.4)', JSON.parse(readFileSync(file, 'utf8')), 'credential_request.invalid'],
  ['proofs that are no object', { ...byId, proofs: ['a'] }, 'credential_request.invalid'],
  ['no proof type (8.2)', { ...byId, proofs: {} }, 'credential_request.invalid'],
  ['two proof types (8.2)', { ...byId, proofs: { jwt: ['a'], attestation: ['b'] } }, 'credential_request.invalid'],
  ['another proof type [VCI-P10]', { ...byId, proofs: { di_vp: [{}] } }, 'key_proof.invalid'],
  ['an empty list of proofs', { ...byId, proofs: { jwt: [] } }, 'key_proof.invalid'],
  ['a proof that is no string', { ...byId, proofs: { jwt: [{}] } }, 'key_proof.invalid'],
  [
    'more proofs than the batch size [VCI-C5]',
    { ...byId, proofs: { jwt: ['a', 'b', 'c', 'd'] } },
    'credential_request.invalid',
  ],
  [
    'a wish for encryption [VCI-M7]',
    { ...byId, credential_response_encryption: {} },
    'credential_encryption.unsupported',
  ],
] as const) {
  test(`a credential request with ${what} is refused`, () => {
    assert.throws(() => readCredentialRequest(body, BATCH), { code })
  })
}

test('no batch is larger than 50, whatever was configured [SEC-41]', () => {
  const proofs = Array.from({ length: 51 }, (_, i) => `p${i}`)
  assert.throws(() => readCredentialRequest({ ...byId, proofs: { jwt: proofs } }, 1000), {
    code: 'credential_request.invalid',
  })
})

test('whatever comes as a request, the answer is a request or a fault', () => {
  const member = fc.constantFrom('credential_configuration_id', 'credential_identifier', 'proofs')
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), fc.dictionary(member, fc.oneof(fc.string(), fc.jsonValue()))), (body) => {
      try {
        readCredentialRequest(body, BATCH)
      } catch (error) {
        assert(error instanceof Fault)
      }
    }),
  )
})
