import { hash, timingSafeEqual } from 'node:crypto'

/** The hash algorithms that we accept, by the name that node:crypto gives them. */
export type HashName = 'sha256' | 'sha384' | 'sha512'

/** SHA-256 of bytes, or of the UTF-8 form of a string. */
export function sha256(value: string | Uint8Array): Buffer {
  // As a string out of the library, since a buffer of its own for 32 bytes costs as much as the hash.
  return Buffer.from(hash('sha256', value, 'latin1'), 'latin1')
}

/** SHA-256 of bytes, or of the UTF-8 form of a string, as base64url without padding. */
export function sha256Base64url(value: string | Uint8Array): string {
  return hash('sha256', value, 'base64url')
}

/** A digest as bytes. */
export function digestBytes(name: HashName, value: string | Uint8Array): Buffer {
  return hash(name, value, 'buffer')
}

/** A digest as base64url without padding. */
export function digestBase64url(name: HashName, value: string | Uint8Array): string {
  return hash(name, value, 'base64url')
}

const BLOCK_BYTES = 64
const DIGEST_BYTES = 32

/** What a key makes of the first block of either hash. `outer` has room for the inner hash behind it. */
type Pads = { readonly inner: Buffer; readonly outer: Buffer }

/** The same few keys are used all the time. */
const knownPads = new WeakMap<Uint8Array, Pads>()
/** What a call hashes is put together here: nothing else runs meanwhile. */
const desk = Buffer.alloc(1024)

/**
 * HMAC with SHA-256 over the parts, one after the other. Two one-shot hashes: half of what an Hmac object costs.
 *
 * Parts are not delimited: a caller with several parts of free length puts a separator between them.
 *
 * @param key At most 64 bytes, which must not change from one call to the next.
 * @see [RFC 2104, 2](https://www.rfc-editor.org/rfc/rfc2104#section-2)
 */
export function hmacSha256(key: Uint8Array, ...parts: readonly (string | Uint8Array)[]): Buffer {
  const { inner, outer } = padsOf(key)
  outer.write(hash('sha256', joined(inner, parts), 'latin1'), BLOCK_BYTES, 'latin1')
  return sha256(outer)
}

function padsOf(key: Uint8Array): Pads {
  const known = knownPads.get(key)
  if (known !== undefined) return known
  if (key.length > BLOCK_BYTES) throw new RangeError('the key is longer than a block')
  const inner = Buffer.alloc(BLOCK_BYTES, 0x36)
  const outer = Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES, 0x5c)
  for (const [at, byte] of key.entries()) {
    inner[at] = byte ^ 0x36
    outer[at] = byte ^ 0x5c
  }
  const made = { inner, outer }
  knownPads.set(key, made)
  return made
}

/** A view of the desk; bytes of their own if they do not find room on it. */
function joined(first: Buffer, parts: readonly (string | Uint8Array)[]): Uint8Array {
  let length = first.length
  for (const part of parts) length += typeof part === 'string' ? Buffer.byteLength(part) : part.length
  const bytes = length > desk.length ? Buffer.allocUnsafe(length) : desk
  bytes.set(first, 0)
  let at = first.length
  for (const part of parts) {
    if (typeof part === 'string') at += bytes.write(part, at)
    else {
      bytes.set(part, at)
      at += part.length
    }
  }
  return bytes.subarray(0, length)
}

/** Whether two secrets are equal, in a time that depends on their lengths only. */
export function equalInConstantTime(one: string | Uint8Array, other: string | Uint8Array): boolean {
  const a = typeof one === 'string' ? Buffer.from(one) : one
  const b = typeof other === 'string' ? Buffer.from(other) : other
  return a.byteLength === b.byteLength && timingSafeEqual(a, b)
}
