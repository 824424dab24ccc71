import { toBase64url } from '../../crypto/base64url.ts'
import { fromCompressedPoint } from '../../crypto/compressed-point.ts'
import type { PublicJwk } from '../../crypto/jwk.ts'
import { Fault } from '../../fault.ts'

const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const MULTIKEY_CHARS_MAX = 64
const ED25519_BYTES = 32

/** Multicodec prefixes (as varint) of the supported kinds of keys. */
const p256Prefix = Buffer.from([0x80, 0x24])
const ed25519Prefix = Buffer.from([0xed, 0x01])

/**
 * Reads a public key in Multikey form: `z`, then base58btc of prefix and key.
 *
 * @throws Fault `did.unsupported` (form or kind), `key.unsupported` (not on the curve).
 * @see [Controlled Identifiers, 2.2.2](https://www.w3.org/TR/cid-1.0/#Multikey)
 */
export function fromMultikey(text: string): PublicJwk {
  if (!text.startsWith('z') || text.length > MULTIKEY_CHARS_MAX) throw unsupported()
  const bytes = fromBase58(text.slice(1))
  const key = bytes.subarray(2)
  if (startsWith(bytes, p256Prefix)) return fromCompressedPoint(key)
  if (startsWith(bytes, ed25519Prefix) && key.length === ED25519_BYTES) {
    return { kty: 'OKP', crv: 'Ed25519', x: toBase64url(key) }
  }
  throw unsupported()
}

function startsWith(bytes: Buffer, prefix: Buffer): boolean {
  return bytes.subarray(0, prefix.length).equals(prefix)
}

function fromBase58(text: string): Buffer {
  let number = 0n
  for (const char of text) {
    const digit = alphabet.indexOf(char)
    if (digit < 0) throw unsupported()
    number = number * 58n + BigInt(digit)
  }
  const hex = number === 0n ? '' : number.toString(16)
  const zeros = /^1*/.exec(text)?.[0].length ?? 0
  return Buffer.concat([Buffer.alloc(zeros), Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex')])
}

function unsupported(): Fault {
  return new Fault('did.unsupported', { detail: 'The key is not a P-256 or Ed25519 key in Multikey form.' })
}
