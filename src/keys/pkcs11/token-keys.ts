import { createPublicKey, verify } from 'node:crypto'
import { sha256 } from '../../crypto/digest.ts'
import { parseJsonObject } from '../../crypto/json.ts'
import { canonical, type PublicJwk, type RsaJwk, readPublicJwk, rsaJwkOf, thumbprint } from '../../crypto/jwk.ts'
import { findSignatureError } from '../../crypto/raw-signature.ts'
import type { RsaSigningKey, SigningKey } from '../../crypto/signing-key.ts'
import { Fault } from '../../fault.ts'
import type { KeyDevice, KeyType, RsaKeyProvider } from '../key-provider.ts'
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
import { type CryptoToken, openToken, type TokenSession, type TokenSettings } from './token.ts'

/** Stored in the row of each key; never changes. */
const NAME = 'pkcs11'
const HANDLES_MAX = 1000
const PROBE = Buffer.from('a new key')

const kinds = {
  'P-256': { alg: 'ES256', generates: 'CKM_EC_KEY_PAIR_GEN', signs: 'CKM_ECDSA' },
  Ed25519: { alg: 'EdDSA', generates: 'CKM_EC_EDWARDS_KEY_PAIR_GEN', signs: 'CKM_EDDSA' },
} as const satisfies Record<KeyType, { alg: SigningKey['alg']; generates: Mechanism; signs: Mechanism }>

/** What the database stores of a key: its id in the token, and its public key. */
type Reference = { readonly id: string; readonly jwk: PublicJwk }

type RsaReference = { readonly id: string; readonly jwk: RsaJwk }

/** Opens the private keys of a PKCS #11 token, which sign in the token. @throws Error that names the setting */
export async function openTokenKeys(settings: TokenSettings): Promise<KeyDevice> {
  const token = await openToken(settings)
  const signer = signerIn(token)
  const ring = keysIn(signer)
  try {
    for (const name of ['CKM_EC_KEY_PAIR_GEN', 'CKM_ECDSA'] as const)
      if (!token.can(name)) throw new Error(`the PKCS #11 token cannot be used: it has no ${name}`)
  } catch (error) {
    await token.close()
    throw error
  }
  return {
    name: NAME,
    generate: async (type, id) => {
      const jwk = await generate(token, type, id)
      const reference: Reference = { id, jwk }
      return { stored: Buffer.from(JSON.stringify(reference)), key: ring(reference) }
    },
    open: async (stored) => ring(read(stored)),
    destroy: async (stored) => {
      const { id } = readStored(stored)
      await token.use((session) => destroyPair(session, id))
    },
    rsa: rsaMechanisms.every((name) => token.can(name)) ? rsaKeys(token, signer) : null,
    check: () =>
      token.use(async ({ module, handle }) => {
        if (!(await isLoggedIn(module, handle))) throw new Error('the token has ended the login')
      }),
    close: token.close,
  }
}

/** Signs with the private key of an id. */
type Signer = (id: string, signs: Mechanism, bytes: Buffer) => Promise<Buffer>

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

  return (id, signs, bytes) =>
    token.use(async (session) => {
      const handle = await handleOf(session, id)
      try {
        return await signIn(session, handle, mechanisms[signs], bytes)
      } catch (error) {
        if (isOneOf(error, ['CKR_KEY_HANDLE_INVALID', 'CKR_OBJECT_HANDLE_INVALID'])) handles.delete(id)
        throw error
      }
    })
}

function keysIn(signer: Signer): (reference: Reference) => SigningKey {
  return ({ id, jwk }) => {
    const { alg, signs } = kinds[typeOf(jwk)]
    return { kid: thumbprint(jwk), alg, publicJwk: jwk, sign: (bytes) => signer(id, signs, toSign(alg, bytes)) }
  }
}

const rsaMechanisms = ['CKM_RSA_PKCS_KEY_PAIR_GEN', 'CKM_SHA256_RSA_PKCS'] as const

function rsaKeys(token: CryptoToken, signer: Signer): RsaKeyProvider {
  const keyOf = ({ id, jwk }: RsaReference): RsaSigningKey => ({
    kid: thumbprint(jwk),
    alg: 'RS256',
    publicJwk: jwk,
    sign: (bytes) => signer(id, 'CKM_SHA256_RSA_PKCS', Buffer.from(bytes)),
  })
  return {
    generate: async (id) => {
      const jwk = await withPair(token, id, (session) => generateRsaPair(session, id), verifiedRsaJwk)
      const reference: RsaReference = { id, jwk }
      return { stored: Buffer.from(JSON.stringify(reference)), key: keyOf(reference) }
    },
    open: async (stored) => {
      const { id, jwk } = readStored(stored)
      return keyOf({ id, jwk: rsaJwkOf(createPublicKey({ key: { ...Object(jwk) }, format: 'jwk' })) })
    },
  }
}

/**
 * Generates a key pair. Destroys it again if the private key is not secret, or if the public key does not verify its
 * signature.
 *
 * @throws Fault `key_device.unsupported` that names the mechanism, `key_device.failed`
 */
async function generate(token: CryptoToken, type: KeyType, id: string): Promise<PublicJwk> {
  const { generates, signs } = kinds[type]
  for (const name of [generates, signs]) {
    if (token.can(name)) continue
    const detail = `The token of the private keys cannot generate ${type} keys: it has no ${name}.`
    throw new Fault('key_device.unsupported', { detail, meta: { keyType: type, missing: name } })
  }
  const make = (session: TokenSession) => generatePair(session, type, mechanisms[generates], id)
  return withPair(token, id, make, (session, pair) => verifiedJwk(session, type, pair))
}

/** Generates a pair, and destroys it again if its public key cannot be had. */
function withPair<Jwk>(
  token: CryptoToken,
  id: string,
  make: (session: TokenSession) => Promise<Pair>,
  publicOf: (session: TokenSession, pair: Pair) => Promise<Jwk>,
): Promise<Jwk> {
  return token.use(async (session) => {
    const pair = await make(session)
    try {
      if (!(await isSecret(session, pair.privateKey))) throw new Error('the token does not protect the private key')
      return await publicOf(session, pair)
    } catch (error) {
      await destroyPair(session, id)
      throw error
    }
  })
}

async function verifiedJwk(session: TokenSession, type: KeyType, pair: Pair): Promise<PublicJwk> {
  const jwk = toJwk(type, await publicPoint(session, pair.publicKey))
  const { alg, signs } = kinds[type]
  const signature = await signIn(session, pair.privateKey, mechanisms[signs], toSign(alg, PROBE))
  if (findSignatureError(PROBE, signature, jwk, alg) !== null) throw unverified()
  return jwk
}

async function verifiedRsaJwk(session: TokenSession, { publicKey, privateKey }: Pair): Promise<RsaJwk> {
  const { n, e } = await rsaNumbers(session, publicKey)
  const jwk = { kty: 'RSA', n: n.toString('base64url'), e: e.toString('base64url') } as const
  const signature = await signIn(session, privateKey, mechanisms.CKM_SHA256_RSA_PKCS, PROBE)
  if (!verify('sha256', PROBE, createPublicKey({ key: jwk, format: 'jwk' }), signature)) throw unverified()
  return jwk
}

function unverified(): Error {
  return new Error('the public key does not verify a signature of the token')
}

/** CKM_ECDSA signs a digest, CKM_EDDSA the bytes themselves. */
function toSign(alg: SigningKey['alg'], bytes: Uint8Array): Buffer {
  return alg === 'ES256' ? sha256(bytes) : Buffer.from(bytes)
}

function toJwk(type: KeyType, point: Buffer): PublicJwk {
  if (type === 'Ed25519') return { crv: 'Ed25519', kty: 'OKP', x: point.toString('base64url') }
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString('base64url'))
  return readPublicJwk({ crv: 'P-256', kty: 'EC', x, y })
}

function typeOf(jwk: PublicJwk): KeyType {
  return jwk.kty === 'EC' ? 'P-256' : 'Ed25519'
}

function read(stored: Buffer): Reference {
  const { id, jwk } = readStored(stored)
  return { id, jwk: canonical(readPublicJwk(jwk)) }
}

function readStored(stored: Buffer): { readonly id: string; readonly jwk: unknown } {
  const { id, jwk } = parseJsonObject(stored)
  if (typeof id !== 'string') throw new Error('not a reference to a key in a token')
  return { id, jwk }
}
