import { ECDH } from 'node:crypto'
import { fromBase64url, toBase64url } from '../../../crypto/base64url.ts'
import { canonical, type PublicJwk } from '../../../crypto/jwk.ts'

const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

/** The `did:jwk` DID of a key. */
export function didJwkOf(jwk: PublicJwk): string {
  return `did:jwk:${toBase64url(JSON.stringify(canonical(jwk)))}`
}

/** The `did:key` DID of a key: a Multikey, base58btc of the multicodec prefix and the key. */
export function didKeyOf(jwk: PublicJwk): string {
  const bytes =
    jwk.kty === 'EC' ? [Buffer.of(0x80, 0x24), compressedPointOf(jwk)] : [Buffer.of(0xed, 0x01), fromBase64url(jwk.x)]
  return `did:key:z${toBase58(Buffer.concat(bytes))}`
}

function compressedPointOf({ x, y }: { readonly x: string; readonly y: string }): Buffer {
  const point = Buffer.concat([Buffer.of(4), fromBase64url(x), fromBase64url(y)])
  return Buffer.from(ECDH.convertKey(point, 'prime256v1', undefined, 'hex', 'compressed').toString(), 'hex')
}

function toBase58(bytes: Buffer): string {
  let text = ''
  for (let number = BigInt(`0x${bytes.toString('hex')}`); number > 0n; number /= 58n) {
    text = alphabet.charAt(Number(number % 58n)) + text
  }
  return text
}
