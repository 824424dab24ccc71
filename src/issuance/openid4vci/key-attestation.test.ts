import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { SignJWT } from 'jose'
import type { TestDatabase } from '../../../test/support/database.ts'
import { toBase64url } from '../../crypto/base64url.ts'
import { generateKeyPair, thumbprint } from '../../crypto/jwk.ts'
import { signCompact } from '../../crypto/jws.ts'
import type { SigningKey } from '../../crypto/signing-key.ts'
import { buildIssuerMetadata } from '../../protocols/openid4vci/build-metadata.ts'
import { parseSdJwt } from '../../protocols/sd-jwt-vc/sd-jwt.ts'
import { activeSigner } from '../../trust/certificates/active-signer.ts'
import { createTrustedEntity } from '../../trust/trusted-entities/trusted-entities.ts'
import { attestationPolicyOf } from '../templates/template.ts'
import { aDatabase, aKey, aNonce, anIssuer, aRoot, aToken, callerOf, type Issuer } from '../test-support/issuer.ts'

const high = 'iso_18045_high'
const wanted = {
  keyAttestation: { keyStorage: [high, 'iso_18045_moderate'], userAuthentication: [high] },
  batchSize: 3,
}
const provider = generateKeyPair()
/** A DID that holds its own key, as of a wallet provider. */
const did = `did:jwk:${toBase64url(JSON.stringify(provider.publicJwk))}`

let db: TestDatabase
let issuer: Issuer
before(async () => {
  db = await aDatabase()
  issuer = await anIssuer(db)
  const entity = { name: 'Wallet provider', dids: [{ did }], purposes: ['attester' as const] }
  await createTrustedEntity(issuer.platform, callerOf(issuer.tenant), entity)
})
after(async () => {
  await issuer.server.close(0)
  await db.close()
})

type Change = { readonly header?: object; readonly claims?: object; readonly by?: ReturnType<typeof generateKeyPair> }

/** An attestation by the provider, signed by jose. */
function attestation(keys: readonly SigningKey[], nonce: string, { header, claims, by = provider }: Change = {}) {
  const iat = issuer.clock.at.getTime() / 1000
  const attested = keys.map((key) => key.publicJwk)
  const content = {
    iat,
    exp: iat + 600,
    attested_keys: attested,
    nonce,
    key_storage: [high],
    user_authentication: [high],
  }
  return new SignJWT({ ...content, ...claims })
    .setProtectedHeader({ alg: 'ES256', typ: 'key-attestation+jwt', kid: `${did}#0`, ...header })
    .sign(by.privateKey)
}

function proof(key: SigningKey, nonce: string, header: object): Promise<string> {
  const claims = { aud: issuer.platform.urls.issuer(issuer.tenant.slug), iat: issuer.clock.at.getTime() / 1000, nonce }
  return signCompact({ typ: 'openid4vci-proof+jwt', ...header }, claims, key)
}

async function asked(proofs: object, template: object = wanted) {
  const made = await aToken(issuer, template)
  return issuer.open(`/issuers/${issuer.tenant.slug}/credential`, {
    json: { credential_configuration_id: made.template.code, proofs },
    headers: { authorization: `Bearer ${made.token}` },
  })
}

type Answer = Awaited<ReturnType<typeof asked>>

function boundKeys({ status, body }: Answer): string[] {
  assert.equal(status, 200, JSON.stringify(body))
  return body.credentials.map(({ credential }: { credential: string }) => {
    const { cnf } = parseSdJwt(credential).jwt.payload as { cnf: { jwk: object } }
    return thumbprint(cnf.jwk as SigningKey['publicJwk'])
  })
}

const names = (keys: readonly SigningKey[]) => keys.map(({ publicJwk }) => thumbprint(publicJwk))

for (const [how, header] of [
  ['jwk', (key: SigningKey) => ({ jwk: key.publicJwk })],
  ['the position of the key as kid', () => ({ kid: '0' })],
  ['the thumbprint of the key as kid', (key: SigningKey) => ({ kid: thumbprint(key.publicJwk) })],
] as const) {
  test(`[VCI-K3] one proof by ${how} with an attestation binds a copy to each attested key`, async () => {
    const keys = [aKey(), aKey(), aKey()] as const
    const nonce = await aNonce(issuer)
    const head = { ...header(keys[0]), key_attestation: await attestation(keys, nonce) }
    assert.deepEqual(boundKeys(await asked({ jwt: [await proof(keys[0], nonce, head)] })), names(keys))
  })
}

test('[VCI-K4] an attestation alone is a proof, for all its keys', async () => {
  const keys = [aKey(), aKey()]
  assert.deepEqual(
    boundKeys(await asked({ attestation: [await attestation(keys, await aNonce(issuer))] })),
    names(keys),
  )
})

test('[VCI-K4] an attestation as proof may be without exp, and is accepted once', async () => {
  const once = await attestation([aKey()], await aNonce(issuer), { claims: { exp: undefined } })
  assert.equal((await asked({ attestation: [once] })).status, 200)
  const { status, body } = await asked({ attestation: [once] })
  assert.deepEqual([status, body.error], [400, 'invalid_nonce'])
})

const stranger = generateKeyPair()
const strangerDid = `did:jwk:${toBase64url(JSON.stringify(stranger.publicJwk))}`
const seconds = () => issuer.clock.at.getTime() / 1000

for (const [what, change, error = 'invalid_proof'] of [
  ['[VCI-K1] another type', () => ({ header: { typ: 'JWT' } })],
  ['[VCI-K1] no iat', () => ({ claims: { iat: undefined } })],
  ['[VCI-K1] an iat in the future', () => ({ claims: { iat: seconds() + 120 } })],
  ['[VCI-K1] an exp that passed', () => ({ claims: { exp: seconds() - 120 } })],
  ['[VCI-K1] no attested keys', () => ({ claims: { attested_keys: [] } })],
  [
    '[VCI-K1] an attested key with its private part',
    () => ({ claims: { attested_keys: [stranger.privateKey.export({ format: 'jwk' })] } }),
  ],
  ['[VCI-K1] a signature by another key', () => ({ by: stranger })],
  ['[VCI-K2] no nonce', () => ({ claims: { nonce: undefined } })],
  ['[VCI-K2] a nonce of its own', () => ({ claims: { nonce: 'mine' } }), 'invalid_nonce'],
  ['[VCI-K5] a key storage below what is required', () => ({ claims: { key_storage: ['iso_18045_basic'] } })],
  ['[VCI-K5] no user authentication', () => ({ claims: { user_authentication: undefined } })],
  ['[VCI-K6] a signer that the tenant does not trust', () => ({ by: stranger, header: { kid: `${strangerDid}#0` } })],
  ['[VCI-K6] no name of its signer', () => ({ header: { kid: undefined } })],
  ['[VCI-K6] a chain to no trusted attester', () => ({ header: { kid: undefined, x5c: ['AAAA'] } })],
] as const satisfies readonly (readonly [string, () => Change, string?])[]) {
  for (const type of ['jwt', 'attestation'] as const) {
    test(`an attestation with ${what} is refused as proof of type ${type}`, async () => {
      const key = aKey()
      const nonce = await aNonce(issuer)
      const attested = await attestation([key], nonce, change())
      const head = { jwk: key.publicJwk, key_attestation: attested }
      const { status, body } = await asked({ [type]: [type === 'jwt' ? await proof(key, nonce, head) : attested] })
      assert.deepEqual([status, body.error], [400, error], JSON.stringify(body))
    })
  }
}

test('[VCI-K5] a proof without the required attestation is refused', async () => {
  const key = aKey()
  const { status, body } = await asked({ jwt: [await proof(key, await aNonce(issuer), { jwk: key.publicJwk })] })
  assert.deepEqual([status, body.error], [400, 'invalid_proof'])
})

test('[VCI-K1] in a proof of type jwt the attestation must have exp', async () => {
  const key = aKey()
  const nonce = await aNonce(issuer)
  const key_attestation = await attestation([key], nonce, { claims: { exp: undefined } })
  const { body } = await asked({ jwt: [await proof(key, nonce, { jwk: key.publicJwk, key_attestation })] })
  assert.equal(body.error, 'invalid_proof')
})

for (const [what, header] of [
  ['by jwk', () => ({ jwk: aKey().publicJwk })],
  ['by an unknown kid', () => ({ kid: '7' })],
] as const) {
  test(`[VCI-K3] a proof of a key that is not attested is refused, ${what}`, async () => {
    const nonce = await aNonce(issuer)
    const key_attestation = await attestation([aKey()], nonce)
    const { body } = await asked({ jwt: [await proof(aKey(), nonce, { ...header(), key_attestation })] })
    assert.equal(body.error, 'invalid_proof')
  })
}

for (const [what, count] of [
  ['none', 0],
  ['two', 2],
] as const) {
  test(`[VCI-K4] ${what} in a proof of type attestation is refused`, async () => {
    const nonce = await aNonce(issuer)
    const attestations = await Promise.all(Array.from({ length: count }, () => attestation([aKey()], nonce)))
    assert.equal((await asked({ attestation: attestations })).body.error, 'invalid_proof')
  })
}

test('[VCI-P10] without key attestations in the metadata, the proof type attestation is refused', async () => {
  const attested = await attestation([aKey()], await aNonce(issuer))
  assert.equal((await asked({ attestation: [attested] }, {})).body.error, 'invalid_proof')
})

test('the metadata names both proof types and the required levels; without a requirement neither', async () => {
  const { template } = await aToken(issuer, wanted)
  const { template: plain } = await aToken(issuer)
  const { body } = await issuer.open(`/.well-known/openid-credential-issuer/issuers/${issuer.tenant.slug}`)
  const known = body.credential_configurations_supported
  const one = {
    proof_signing_alg_values_supported: ['ES256', 'EdDSA'],
    key_attestations_required: { key_storage: [high, 'iso_18045_moderate'], user_authentication: [high] },
  }
  assert.deepEqual(known[template.code].proof_types_supported, { jwt: one, attestation: one })
  assert.deepEqual(known[plain.code].proof_types_supported, {
    jwt: { proof_signing_alg_values_supported: ['ES256', 'EdDSA'] },
  })
})

test('[VCI-K5] a tenant that requires attestations everywhere publishes an empty requirement for any level', () => {
  const keyAttestation = attestationPolicyOf({}, { requiresKeyAttestations: true })
  assert.ok(keyAttestation !== null)
  const type = { format: 'dc+sd-jwt', vct: 'v' } as const
  const { credential_configurations_supported: known } = buildIssuerMetadata({
    credentialIssuer: 'i',
    credentialEndpoint: 'c',
    nonceEndpoint: 'n',
    configurations: { one: { type, signingAlgs: ['ES256'], proofAlgs: ['ES256'], keyAttestation } },
  })
  assert.deepEqual(known.one?.proof_types_supported.jwt, {
    proof_signing_alg_values_supported: ['ES256'],
    key_attestations_required: {},
  })
  assert.equal(attestationPolicyOf({}, { requiresKeyAttestations: false }), null)
})

test('[VCI-C5] an attestation of more keys than the batch size of the issuer is refused', async () => {
  const keys = Array.from({ length: 4 }, () => aKey())
  const { body } = await asked({ attestation: [await attestation(keys, await aNonce(issuer))] })
  assert.equal(body.error, 'invalid_credential_request')
})

test('[VCI-K6] an attester is found by the chain in the header, if its root is trusted for attestations', async () => {
  const maker = await issuer.anotherTenant()
  const root = await aRoot(issuer, { keyType: 'Ed25519' }, maker)
  const signer = await activeSigner(issuer.platform, maker.id, 'issuer', 'Ed25519')
  const answer = async () => {
    const nonce = await aNonce(issuer)
    const iat = issuer.clock.at.getTime() / 1000
    const levels = { key_storage: [high], user_authentication: [high] }
    const claims = { iat, exp: iat + 600, attested_keys: [aKey().publicJwk], nonce, ...levels }
    return asked({
      attestation: [await signCompact({ typ: 'key-attestation+jwt', x5c: signer.x5c }, claims, signer.key)],
    })
  }
  const entity = { name: 'Root', certificates: [root.certificate] }
  await createTrustedEntity(issuer.platform, callerOf(issuer.tenant), {
    ...entity,
    purposes: ['issuer', 'verifier', 'status'],
  })
  assert.equal((await answer()).body.error, 'invalid_proof', 'trusted for everything else')
  await createTrustedEntity(issuer.platform, callerOf(issuer.tenant), { ...entity, purposes: ['attester'] })
  assert.equal((await answer()).status, 200)
})
