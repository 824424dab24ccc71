import {
  createDecipheriv,
  createHash,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  randomUUID,
  sign,
  verify,
} from 'node:crypto'
import type { Kms } from '@credo-ts/core'

type Service = Kms.KeyManagementService

/** Keys of a Credo agent, on P-256 and in memory. */
export class CredoKeys implements Service {
  readonly backend = 'memory'
  readonly #keys = new Map<string, KeyObject>()

  isOperationSupported(): boolean {
    return true
  }

  async getPublicKey(_: unknown, keyId: string) {
    const key = this.#keys.get(keyId)
    return key === undefined ? null : publicOf(key, keyId)
  }

  createKey: Service['createKey'] = async (_, { keyId = randomUUID() }) => {
    this.#keys.set(keyId, generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey)
    // Of the type that was asked for: all keys of these agents are on P-256.
    return { keyId, publicJwk: publicOf(this.#key(keyId), keyId) } as never
  }

  importKey: Service['importKey'] = async (_, { privateJwk }) => {
    const keyId = privateJwk.kid ?? randomUUID()
    this.#keys.set(keyId, createPrivateKey({ key: Object(privateJwk), format: 'jwk' }))
    return { keyId, publicJwk: publicOf(this.#key(keyId), keyId) } as never
  }

  deleteKey: Service['deleteKey'] = async (_, { keyId }) => this.#keys.delete(keyId)

  sign: Service['sign'] = async (_, { keyId, data }) => ({
    signature: new Uint8Array(sign('sha256', data, { key: this.#key(keyId), dsaEncoding: 'ieee-p1363' })),
  })

  verify: Service['verify'] = async (_, { key, data, signature }) => {
    const { publicJwk } = key
    const found =
      publicJwk === undefined
        ? createPublicKey(this.#key(key.keyId))
        : createPublicKey({ key: Object(publicJwk), format: 'jwk' })
    return verify('sha256', data, { key: found, dsaEncoding: 'ieee-p1363' }, signature)
      ? { verified: true, publicJwk: publicJwk ?? publicOf(found, '') }
      : { verified: false }
  }

  encrypt: Service['encrypt'] = () => Promise.reject(new Error('these agents encrypt nothing'))

  /** ECDH-ES with AES-GCM, as wallets encrypt responses. */
  decrypt: Service['decrypt'] = async (_, { key, decryption, encrypted }) => {
    const { keyAgreement } = key
    if (keyAgreement?.algorithm !== 'ECDH-ES') throw new Error('no key agreement')
    if (decryption.algorithm !== 'A128GCM' && decryption.algorithm !== 'A256GCM') throw new Error('another encryption')
    const { externalPublicJwk, keyId, apu = Buffer.alloc(0), apv = Buffer.alloc(0) } = keyAgreement
    const publicKey = createPublicKey({ key: Object(externalPublicJwk), format: 'jwk' })
    const secret = diffieHellman({ privateKey: this.#key(keyId), publicKey })
    const bits = decryption.algorithm === 'A128GCM' ? 128 : 256
    const derived = concatKdf(secret, decryption.algorithm, { apu, apv, bits })
    const decipher = createDecipheriv(`aes-${bits}-gcm`, derived, decryption.iv)
    decipher.setAAD(decryption.aad ?? Buffer.alloc(0)).setAuthTag(decryption.tag)
    return { data: new Uint8Array(Buffer.concat([decipher.update(encrypted), decipher.final()])) }
  }

  randomBytes: Service['randomBytes'] = (_, { length }) => new Uint8Array(randomBytes(length))

  #key(keyId: string): KeyObject {
    const key = this.#keys.get(keyId)
    if (key === undefined) throw new Error(`no key ${keyId}`)
    return key
  }
}

function publicOf(key: KeyObject, kid: string): Kms.KmsJwkPublicEc & { readonly kid: string } {
  const { x = '', y = '' } = (key.type === 'private' ? createPublicKey(key) : key).export({ format: 'jwk' })
  return { kty: 'EC', crv: 'P-256', x, y, kid }
}

/** [RFC 7518, 4.6.2](https://www.rfc-editor.org/rfc/rfc7518#section-4.6.2), one round of SHA-256. */
function concatKdf(
  secret: Buffer,
  algorithm: string,
  { apu, apv, bits }: { readonly apu: Uint8Array; readonly apv: Uint8Array; readonly bits: number },
): Buffer {
  const uint32 = (value: number) => {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE(value)
    return bytes
  }
  const sized = [Buffer.from(algorithm), apu, apv].flatMap((part) => [uint32(part.length), part])
  const input = Buffer.concat([uint32(1), secret, ...sized, uint32(bits)])
  return createHash('sha256')
    .update(input)
    .digest()
    .subarray(0, bits / 8)
}
