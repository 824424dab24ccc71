import { createCipheriv, createDecipheriv, diffieHellman, hash, type KeyObject, randomBytes } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
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
export type Recipient = {
  readonly jwk: P256Jwk
  readonly kid?: string | undefined
  readonly enc: JweEnc
  /** Compresses first. By default nothing is compressed. */
  readonly zip?: 'DEF' | undefined
}

/**
 * Encrypts to a P-256 key with an ephemeral key of its own. Authenticates no sender.
 *
 * @see [RFC 7518, 4.6](https://www.rfc-editor.org/rfc/rfc7518#section-4.6)
 */
export function encryptCompact(payload: string, { jwk, kid, enc, zip }: Recipient): string {
  const { publicJwk: epk, privateKey } = generateKeyPair()
  const header = { alg: JWE_ALG, enc, ...(zip !== undefined && { zip }), ...(kid !== undefined && { kid }), epk }
  const encodedHeader = toBase64url(Buffer.from(JSON.stringify(header)))
  const iv = randomBytes(12)
  const cipher = createCipheriv(cipherOf(enc), agreedKey(privateKey, jwk, header), iv)
  cipher.setAAD(Buffer.from(encodedHeader))
  const content = zip === undefined ? Buffer.from(payload) : deflateRawSync(payload)
  const ciphertext = Buffer.concat([cipher.update(content), cipher.final()])
  const parts = [iv, ciphertext, cipher.getAuthTag()].map((one) => toBase64url(one))
  return [encodedHeader, '', ...parts].join('.')
}

/** Returns the `kid` in the header of a compact JWE; null if it has none, or the JWE is malformed. Verifies nothing. */
export function jweKeyId(jwe: string): string | null {
  try {
    const header = parseJson(fromBase64url(jwe.slice(0, Math.max(0, jwe.indexOf('.')))))
    return isJsonObject(header) && typeof header.kid === 'string' ? header.kid : null
  } catch (error) {
    if (error instanceof Fault) return null
    throw error
  }
}

/**
 * Decrypts a compact JWE.
 *
 * @param inflatedBytesMax Maximum size of a compressed content; by default none is accepted.
 * @returns null if it is malformed, uses anything but ECDH-ES on P-256 with AES-GCM, is compressed to more than the
 *   limit, or is for another key.
 */
export function decryptCompact(jwe: string, key: KeyObject, inflatedBytesMax = 0): Buffer | null {
  try {
    const parts = jwe.split('.', 6)
    const [encodedHeader = '', wrapped, ...encoded] = parts
    const [iv, ciphertext, tag] = encoded.map((one) => fromBase64url(one))
    const header = parseJson(fromBase64url(encodedHeader))
    // RFC 7518 4.6: the key is agreed directly, so there is no encrypted key; RFC 7518 5.3: sizes of iv and tag
    if (parts.length !== 5 || wrapped !== '' || iv?.length !== 12 || tag?.length !== 16) return null
    if (ciphertext === undefined || !isJsonObject(header)) return null
    const enc = jweEncs.find((one) => one === header.enc)
    const epk = readPublicJwk(header.epk)
    if (header.alg !== JWE_ALG || enc === undefined || epk.kty !== 'EC') return null
    // RFC 7516 4.1.13
    if (header.crit !== undefined || !isZip(header.zip, inflatedBytesMax)) return null
    const decipher = createDecipheriv(cipherOf(enc), agreedKey(key, epk, { ...header, enc }), iv)
    decipher.setAAD(Buffer.from(encodedHeader)).setAuthTag(tag)
    const content = Buffer.concat([decipher.update(ciphertext), decipher.final()])
    return header.zip === undefined ? content : inflateRawSync(content, { maxOutputLength: inflatedBytesMax })
  } catch (error) {
    // The cipher throws an Error without a class of its own for a wrong tag, and zlib a RangeError above the limit.
    if (error instanceof Fault || error instanceof Error) return null
    throw error
  }
}

function isZip(zip: unknown, inflatedBytesMax: number): boolean {
  return zip === undefined || (zip === 'DEF' && inflatedBytesMax > 0)
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
