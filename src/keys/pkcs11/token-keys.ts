import { sha256 } from '../../crypto/digest.ts'
import { parseJsonObject } from '../../crypto/json.ts'
import { canonical, type PublicJwk, readPublicJwk, thumbprint } from '../../crypto/jwk.ts'
import { findSignatureError } from '../../crypto/raw-signature.ts'
import type { SigningKey } from '../../crypto/signing-key.ts'
import { Fault } from '../../fault.ts'
import type { KeyDevice, KeyType } from '../key-provider.ts'
import { isOneOf, type Mechanism, mechanisms } from './cryptoki.ts'
import { destroyPair, findObject, generatePair, isSecret, type Pair, publicPoint, signIn } from './objects.ts'
import { isLoggedIn } from './session.ts'
import { openToken, type Session, type Token, type TokenSettings } from './token.ts'

/** Stored in the row of each key; never changes. */
const NAME = 'pkcs11'
const HANDLES_MAX = 1000

const kinds = {
  'P-256': { alg: 'ES256', generates: 'CKM_EC_KEY_PAIR_GEN', signs: 'CKM_ECDSA' },
  Ed25519: { alg: 'EdDSA', generates: 'CKM_EC_EDWARDS_KEY_PAIR_GEN', signs: 'CKM_EDDSA' },
} as const satisfies Record<KeyType, { alg: SigningKey['alg']; generates: Mechanism; signs: Mechanism }>

/** What the database stores of a key: its id in the token, and its public key. */
type Reference = { readonly id: string; readonly jwk: PublicJwk }

/** Opens the private keys of a PKCS #11 token, which sign in the token. @throws Error that names the setting */
export async function openTokenKeys(settings: TokenSettings): Promise<KeyDevice> {
  const token = await openToken(settings)
  const ring = keysIn(token)
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
      const { id } = read(stored)
      await token.use((session) => destroyPair(session, id))
    },
    check: () =>
      token.use(async ({ module, handle }) => {
        if (!(await isLoggedIn(module, handle))) throw new Error('the token has ended the login')
      }),
    close: token.close,
  }
}

/** Returns the keys of a token, with a cache of their handles. */
function keysIn(token: Token): (reference: Reference) => SigningKey {
  const handles = new Map<string, bigint>()
  let epoch = token.epoch()

  async function handleOf(session: Session, id: string): Promise<bigint> {
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

  return ({ id, jwk }) => {
    const { alg, signs } = kinds[typeOf(jwk)]
    const sign = (bytes: Uint8Array) =>
      token.use(async (session) => {
        const handle = await handleOf(session, id)
        try {
          return await signIn(session, handle, mechanisms[signs], toSign(alg, bytes))
        } catch (error) {
          if (isOneOf(error, ['CKR_KEY_HANDLE_INVALID', 'CKR_OBJECT_HANDLE_INVALID'])) handles.delete(id)
          throw error
        }
      })
    return { kid: thumbprint(jwk), alg, publicJwk: jwk, sign }
  }
}

/**
 * Generates a key pair. Destroys it again if the private key is not secret, or if the public key does not verify its signature.
 *
 * @throws Fault `key_device.unsupported` that names the mechanism, `key_device.failed`
 */
async function generate(token: Token, type: KeyType, id: string): Promise<PublicJwk> {
  const { generates, signs } = kinds[type]
  for (const name of [generates, signs]) {
    if (token.can(name)) continue
    const detail = `The token of the private keys cannot generate ${type} keys: it has no ${name}.`
    throw new Fault('key_device.unsupported', { detail, meta: { keyType: type, missing: name } })
  }
  return token.use(async (session) => {
    const pair = await generatePair(session, type, mechanisms[generates], id)
    try {
      return await verifiedJwk(session, type, pair)
    } catch (error) {
      await destroyPair(session, id)
      throw error
    }
  })
}

async function verifiedJwk(session: Session, type: KeyType, pair: Pair): Promise<PublicJwk> {
  if (!(await isSecret(session, pair.privateKey))) throw new Error('the token does not protect the private key')
  const jwk = toJwk(type, await publicPoint(session, pair.publicKey))
  const { alg, signs } = kinds[type]
  const probe = Buffer.from('a new key')
  const signature = await signIn(session, pair.privateKey, mechanisms[signs], toSign(alg, probe))
  if (findSignatureError(probe, signature, jwk, alg) !== null)
    throw new Error('the public key does not verify a signature of the token')
  return jwk
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
  const { id, jwk } = parseJsonObject(stored)
  if (typeof id !== 'string') throw new Error('not a reference to a key in a token')
  return { id, jwk: canonical(readPublicJwk(jwk)) }
}
