import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fc } from '../../../test/support/fast-check.ts'
import { canonical, generateKeyPair, privateKeyFromPkcs8 } from '../../crypto/jwk.ts'
import { signCompact } from '../../crypto/jws.ts'
import { softwareKey } from '../../crypto/signing-key.ts'
import { Fault } from '../../fault.ts'
import { buildJwtProof, verifyJwtProof, verifyProofs } from './jwt-proof.ts'

const noon = new Date('2026-01-01T12:00:00Z')
const iat = noon.getTime() / 1000
const issuer = 'https://issuer.example'
const expected = { issuer, maxAgeSeconds: 300 } as const
const pair = generateKeyPair()
const key = softwareKey(pair.privateKey)
const other = softwareKey(generateKeyPair().privateKey)
const edKey = softwareKey(privateKeyFromPkcs8(Buffer.from(`302e020100300506032b657004220420${'01'.repeat(32)}`, 'hex')))

type Change = { readonly header?: object; readonly claims?: object; readonly key?: typeof key }

function aProof({ header = {}, claims = {}, key: signer = key }: Change = {}): Promise<string> {
  const head = { typ: 'openid4vci-proof+jwt', jwk: key.publicJwk, ...header }
  return signCompact(head, { aud: issuer, iat, nonce: 'n', ...claims }, signer)
}

/** A proof whose header says another algorithm than the key that signed it; the signature is over what is sent. */
function withAlg(alg: string): Promise<string> {
  return aProof({ key: { ...key, alg: alg as 'ES256' } })
}

test('the proof of the spec is accepted (F.1)', () => {
  const file = new URL('../../../test/vectors/data/oid4vci/proof-jwt-example.json', import.meta.url)
  const { proofJwt } = JSON.parse(readFileSync(file, 'utf8'))
  const then = new Date(1_701_960_444_000)
  const proved = verifyJwtProof(proofJwt, { issuer: 'https://credential-issuer.example.com' }, then)
  assert.equal(proved.nonce, 'LarRGSbmUPYtRYO6BQ4yn8')
})

test('a proof that our wallet builds proves its key', async () => {
  const proof = await buildJwtProof({ issuer, nonce: 'n', clientId: null }, key, noon)
  const proved = verifyJwtProof(proof, expected, noon)
  assert.equal(proved.nonce, 'n')
  assert.equal(proved.jwk.x, pair.publicJwk.x)
})

test('a proof by an Ed25519 key is accepted', async () => {
  assert.equal(
    verifyJwtProof(await buildJwtProof({ issuer, nonce: 'n', clientId: 'w' }, edKey, noon), expected, noon).jwk.kty,
    'OKP',
  )
})

const privateJwk = pair.privateKey.export({ format: 'jwk' })

for (const [what, proof] of [
  ['another audience', await aProof({ claims: { aud: 'https://other.example' } })],
  ['an audience that differs by a slash', await aProof({ claims: { aud: `${issuer}/` } })],
  [
    'an audience list that only contains the issuer (F.1) [VCI-P2]',
    await aProof({ claims: { aud: [issuer, 'https://other.example'] } }),
  ],
  ['a plain JWT type [VCI-P4]', await aProof({ header: { typ: 'JWT' } })],
  ['no type', await aProof({ header: { typ: undefined } })],
  ['no nonce [VCI-P5]', await aProof({ claims: { nonce: undefined } })],
  ['a nonce that is no string', await aProof({ claims: { nonce: 7 } })],
  ['no iat [VCI-P2]', await aProof({ claims: { iat: undefined } })],
  ['an iat that is a string', await aProof({ claims: { iat: String(iat) } })],
  ['an iat 301 s old', await aProof({ claims: { iat: iat - 301 } })],
  ['an iat 61 s ahead [VCI-P7]', await aProof({ claims: { iat: iat + 61 } })],
  ['a private key in the header (F.4) [VCI-P4]', await aProof({ header: { jwk: privateJwk } })],
  ['the signature of another key [VCI-P4]', await aProof({ key: other })],
  ['no key in the header [VCI-P1]', await aProof({ header: { jwk: undefined } })],
  ['both jwk and kid [VCI-P1]', await aProof({ header: { kid: 'did:example:1#1' } })],
  ['both jwk and x5c [VCI-P1]', await aProof({ header: { x5c: ['MIIB'] } })],
  ['a kid nobody resolves [VCI-P3]', await aProof({ header: { jwk: undefined, kid: 'did:example:1#1' } })],
  ['x5c alone', await aProof({ header: { jwk: undefined, x5c: ['MIIB'] } })],
  ['alg none (F.4) [VCI-P4]', await withAlg('none')],
  ['alg HS256 (F.4)', await withAlg('HS256')],
  ['an algorithm of another key type (F.4)', await withAlg('EdDSA')],
  ['an algorithm outside the list (F.4)', await aProof({ header: { jwk: edKey.publicJwk }, key: edKey })],
  ['a critical extension', await aProof({ header: { crit: ['b64'], b64: false } })],
  [
    'a changed payload',
    (await aProof()).replace(
      /\.[^.]+\./,
      `.${Buffer.from(JSON.stringify({ aud: issuer, iat, nonce: 'm' })).toString('base64url')}.`,
    ),
  ],
  ['no signature', `${(await aProof()).split('.').slice(0, 2).join('.')}.`],
  ['iss of another client [VCI-P6]', await aProof({ claims: { iss: 'another-client' } })],
  ['more than 16 KiB', await aProof({ claims: { more: 'x'.repeat(16_384) } })],
] as const) {
  test(`a proof with ${what} is refused`, () => {
    const strict = { ...expected, algs: ['ES256'], clientId: 'wallet' } as const
    assert.throws(() => verifyJwtProof(proof, strict, noon), { code: 'key_proof.invalid' })
  })
}

test('without a bound the age of iat does not matter, the nonce has the time [VCI-P7]', async () => {
  assert.equal(verifyJwtProof(await aProof({ claims: { iat: iat - 86_400 } }), { issuer }, noon).nonce, 'n')
})

test('iss from an anonymous client is overlooked [VCI-P6]', async () => {
  assert.equal(verifyJwtProof(await aProof({ claims: { iss: 'w' } }), { ...expected, clientId: null }, noon).nonce, 'n')
})

test('a kid is resolved where the caller can [VCI-P3]', async () => {
  const proof = await aProof({ header: { jwk: undefined, kid: 'did:example:1#1' } })
  const proved = verifyJwtProof(
    proof,
    { ...expected, resolveKid: (kid) => (kid === 'did:example:1#1' ? key.publicJwk : null) },
    noon,
  )
  assert.deepEqual(proved.jwk, canonical(key.publicJwk))
})

test('a batch proves its keys in order', async () => {
  const { keys, nonces } = verifyProofs(
    [await aProof(), await buildJwtProof({ issuer, nonce: 'n', clientId: null }, other, noon)],
    expected,
    noon,
  )
  assert.deepEqual([keys.map((one) => one.jwk.x), nonces], [[key.publicJwk.x, other.publicJwk.x], ['n']])
})

test('one key twice in a batch is refused, whatever the kid says [VCI-C6]', async () => {
  const again = await aProof({ header: { jwk: { ...key.publicJwk, kid: 'another' } } })
  await assert.rejects(async () => verifyProofs([await aProof(), again], expected, noon), { code: 'key_proof.invalid' })
})

test('one bad proof fails the whole batch [VCI-P5]', async () => {
  await assert.rejects(async () => verifyProofs([await aProof(), await aProof({ key: other })], expected, noon), {
    code: 'key_proof.invalid',
  })
})

test('whatever comes as a proof, the answer is a key or key_proof.invalid', async () => {
  const made = fc.record({
    header: fc.dictionary(fc.constantFrom('typ', 'jwk', 'kid', 'x5c', 'crit'), fc.jsonValue()),
    claims: fc.object(),
  })
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.string(), made), async (proof) => {
      try {
        verifyJwtProof(typeof proof === 'string' ? proof : await aProof(proof), expected, noon)
      } catch (error) {
        assert(error instanceof Fault && error.code === 'key_proof.invalid')
      }
    }),
    { numRuns: 200 },
  )
})
