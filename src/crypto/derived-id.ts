import { sha256 } from './digest.ts'

/**
 * Derives an id from a seed, always the same: a UUID of version 7 whose random bits are a digest of the seed. It sorts
 * by `madeAt`.
 *
 * @param seed Used for one purpose only, and as secret as the id.
 * @see [RFC 9562, 5.7](https://www.rfc-editor.org/rfc/rfc9562#section-5.7)
 */
export function derivedId(madeAt: Date, seed: string): string {
  const time = madeAt.getTime().toString(16).padStart(12, '0')
  const bits = sha256(seed).toString('hex')
  const variant = ((Number.parseInt(bits.charAt(3), 16) & 0x3) | 0x8).toString(16)
  return `${time.slice(0, 8)}-${time.slice(8)}-7${bits.slice(0, 3)}-${variant}${bits.slice(4, 7)}-${bits.slice(7, 19)}`
}
