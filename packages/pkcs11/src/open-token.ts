import { createHash, createPublicKey, verify } from 'node:crypto'
import type { DeviceAlgorithm, OpenToken } from '../../../src/keys/signing-device.ts'
import { isOneOf, type Mechanism, mechanisms } from './cryptoki.ts'
import {
  destroyPair,
  findObject,
  generatePair,
  generateRsaPair,
  isSecret,
  type Pair,
  publicPoint,
  rsaNumbers,
  signIn,
} from './objects.ts'
import { isLoggedIn } from './session.ts'
import { type CryptoToken, connectToken, type TokenSession } from './token.ts'

type Jwk = { readonly [member: string]: string }

const HANDLES_MAX = 1000
const PROBE = Buffer.from('a new key')

const mechanismsOf = {
  ES256: { generates: 'CKM_EC_KEY_PAIR_GEN', signs: 'CKM_ECDSA' },
  EdDSA: { generates: 'CKM_EC_EDWARDS_KEY_PAIR_GEN', signs: 'CKM_EDDSA' },
  RS256: { generates: 'CKM_RSA_PKCS_KEY_PAIR_GEN', signs: 'CKM_SHA256_RSA_PKCS' },
} as const satisfies Record<DeviceAlgorithm, { generates: Mechanism; signs: Mechanism }>

/** Opens the private keys of a PKCS #11 token, which sign in the token. @throws Error that names the setting */
export const openToken: OpenToken = async (settings) => {
  const token = await connectToken(settings)
  const lacks = (alg: DeviceAlgorithm) => {
    const { generates, signs } = mechanismsOf[alg]
    return [generates, signs].find((name) => !token.can(name)) ?? null
  }
  const missing = lacks('ES256')
  if (missing !== null) {
    await token.close()
    throw new Error(`the PKCS #11 token cannot be used: it has no ${missing}`)
  }
  return {
    lacks,
    generate: (alg, id) => generate(token, alg, id),
    sign: signerIn(token),
    destroy: (id) => token.use((session) => destroyPair(session, id)),
    check: () =>
      token.use(async ({ module, handle }) => {
        if (!(await isLoggedIn(module, handle))) throw new Error('the token has ended the login')
      }),
    close: token.close,
  }
}

/** Signs with the private key of an id. */
type Signer = (id: string, alg: DeviceAlgorithm, bytes: Uint8Array) => Promise<Buffer>

/** Returns what signs in a token, with a cache of the handles of its keys. */
function signerIn(token: CryptoToken): Signer {
  const handles = new Map<string, bigint>()
  let epoch = token.epoch()

  async function handleOf(session: TokenSession, id: string): Promise<bigint> {
    if (epoch !== token.epoch()) handles.clear()
    epoch = token.epoch()
    const known = handles.get(id)
    if (known !== undefined) return known
    const found = await findObject(session, 'privateKey', id)
    if (found === null) throw new Error(`the token has no private key with the CKA_ID ${id}`)
    if (handles.size >= HANDLES_MAX) handles.delete(handles.keys().next().value ?? '')
    if (epoch === token.epoch()) handles.set(id, found)
    return found
  }

  return (id, alg, bytes) =>
    token.use(async (session) => {
      const handle = await handleOf(session, id)
      try {
        return await signWith(session, handle, alg, bytes)
      } catch (error) {
        if (isOneOf(error, ['CKR_KEY_HANDLE_INVALID', 'CKR_OBJECT_HANDLE_INVALID'])) handles.delete(id)
        throw error
      }
    })
}

/**
 * Generates a key pair. Destroys it again if the private key is not secret, or if the public key does not verify its
 * signature.
 */
function generate(token: CryptoToken, alg: DeviceAlgorithm, id: string): Promise<Jwk> {
  return token.use(async (session) => {
    const pair = await makePair(session, alg, id)
    try {
      if (!(await isSecret(session, pair.privateKey))) throw new Error('the token does not protect the private key')
      const jwk = await publicJwk(session, alg, pair)
      const signature = await signWith(session, pair.privateKey, alg, PROBE)
      const key = { key: createPublicKey({ key: { ...jwk }, format: 'jwk' }), dsaEncoding: 'ieee-p1363' } as const
      if (!verify(alg === 'EdDSA' ? null : 'sha256', PROBE, key, signature))
        throw new Error('the public key does not verify a signature of the token')
      return jwk
    } catch (error) {
      await destroyPair(session, id)
      throw error
    }
  })
}

function makePair(session: TokenSession, alg: DeviceAlgorithm, id: string): Promise<Pair> {
  return alg === 'RS256'
    ? generateRsaPair(session, id)
    : generatePair(session, alg, mechanisms[mechanismsOf[alg].generates], id)
}

async function publicJwk(session: TokenSession, alg: DeviceAlgorithm, { publicKey }: Pair): Promise<Jwk> {
  if (alg === 'RS256') {
    const { n, e } = await rsaNumbers(session, publicKey)
    return { kty: 'RSA', n: n.toString('base64url'), e: e.toString('base64url') }
  }
  const point = await publicPoint(session, publicKey)
  if (alg === 'EdDSA') return { crv: 'Ed25519', kty: 'OKP', x: point.toString('base64url') }
  const [x = '', y = ''] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString('base64url'))
  return { crv: 'P-256', kty: 'EC', x, y }
}

function signWith(session: TokenSession, key: bigint, alg: DeviceAlgorithm, bytes: Uint8Array): Promise<Buffer> {
  // CKM_ECDSA signs a digest, the others the bytes themselves.
  const signed = alg === 'ES256' ? createHash('sha256').update(bytes).digest() : Buffer.from(bytes)
  return signIn(session, key, mechanisms[mechanismsOf[alg].signs], signed)
}
