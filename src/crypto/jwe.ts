import { createCipheriv, createDecipheriv, diffieHellman, hash, type KeyObject, randomBytes } from 'node:crypto'
import { Fault } from '../fault.ts'
import { fromBase64url, toBase64url } from './base64url.ts'
import { isJsonObject, type JsonObject, parseJson } from './json.ts'
import { generateKeyPair, importPublicJwk, type P256Jwk, readPublicJwk } from './jwk.ts'

/** The content encryptions of this product, with the bytes of their keys. */
const keyBytes = { A128GCM: 16, A256GCM: 32 } as const
type JweEnc = keyof typeof keyBytes
/** The content encryptions by preference. */
export const jweEncs: readonly JweEnc[] = ['A256GCM', 'A128GCM']
/** The only key agreement of this product, on P-256. */
export const JWE_ALG = 'ECDH-ES'

/** The key of a recipient, and how to encrypt to it. */
export type Recipient = { readonly jwk: P256Jwk; readonly kid?: string; readonly enc: JweEnc }

/**
 * Encrypts to a P-256 key with an ephemeral key of its own. Authenticates no sender.
 *
 * @see [RFC 7518, 4.6](https://www.rfc-editor.org/rfc/rfc7518#section-4.6)
 */
export function encryptCompact(payload: string, { jwk, kid, enc }: Recipient): string {
  const { publicJwk: epk, privateKey } = generateKeyPair()
  const header = { alg: JWE_ALG, enc, ...(kid !== undefined && { kid }), epk }
  const encodedHeader = toBase64url(Buffer.from(JSON.stringify(header)))
  const iv = randomBytes(12)
  const cipher = createCipheriv(cipherOf(enc), agreedKey(privateKey, jwk, header), iv)
  cipher.setAAD(Buffer.from(encodedHeader))
  const ciphertext = Buffer.concat([cipher.update(payload, 'utf8'), cipher.final()])
  const parts = [iv, ciphertext, cipher.getAuthTag()].map((one) => toBase64url(one))
  return [encodedHeader, '', ...parts].join('.')
}

/**
 * Decrypts a compact JWE.
 *
 * @returns null if it is malformed, uses anything but ECDH-ES on P-256 with AES-GCM, is compressed, or is for another key.
 */
export function decryptCompact(jwe: string, key: KeyObject): Buffer | null {
  try {
    const parts = jwe.split('.')
    const [encodedHeader = '', wrapped, ...encoded] = parts
    const [iv, ciphertext, tag] = encoded.map((one) => fromBase64url(one))
    const header = parseJson(fromBase64url(encodedHeader).toString('utf8'))
    // RFC 7518 4.6: the key is agreed directly, so there is no encrypted key; 5.3: sizes of iv and tag
    if (parts.length !== 5 || wrapped !== '' || iv?.length !== 12 || tag?.length !== 16) return null
    if (ciphertext === undefined || !isJsonObject(header)) return null
    const enc = jweEncs.find((one) => one === header.enc)
    const epk = readPublicJwk(header.epk)
    if (header.alg !== JWE_ALG || enc === undefined || epk.kty !== 'EC') return null
    // RFC 7516 4.1.13; a compressed content has no bound
    if (header.crit !== undefined || header.zip !== undefined) return null
    const decipher = createDecipheriv(cipherOf(enc), agreedKey(key, epk, { ...header, enc }), iv)
    decipher.setAAD(Buffer.from(encodedHeader)).setAuthTag(tag)
    return Buffer.concat([decipher.update(ciphertext), decipher.final()])
  } catch (error) {
    // The cipher throws an Error without a class of its own for a wrong tag.
    if (error instanceof Fault || error instanceof Error) return null
    throw error
  }
}

function cipherOf(enc: JweEnc): 'aes-128-gcm' | 'aes-256-gcm' {
  return enc === 'A128GCM' ? 'aes-128-gcm' : 'aes-256-gcm'
}

/** RFC 7518 4.6.2: one round of the Concat KDF, since neither key is longer than SHA-256. */
function agreedKey(privateKey: KeyObject, jwk: P256Jwk, header: JsonObject & { readonly enc: JweEnc }): Buffer {
  const { enc, apu, apv } = header
  const secret = diffieHellman({ privateKey, publicKey: importPublicJwk(jwk) })
  const party = (value: unknown) => withLength(typeof value === 'string' ? fromBase64url(value) : Buffer.alloc(0))
  const parts = [uint32(1), secret, withLength(Buffer.from(enc)), party(apu), party(apv), uint32(keyBytes[enc] * 8)]
  return hash('sha256', Buffer.concat(parts), 'buffer').subarray(0, keyBytes[enc])
}

function withLength(bytes: Uint8Array): Buffer {
  return Buffer.concat([uint32(bytes.length), bytes])
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
