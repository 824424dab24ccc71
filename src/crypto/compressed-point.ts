import { ECDH } from 'node:crypto'
import { Fault } from '../fault.ts'
import { toBase64url } from './base64url.ts'
import type { P256Jwk } from './jwk.ts'

const COORDINATE_BYTES = 32

/**
 * The P-256 key of a compressed point (33 bytes, first byte 2 or 3).
 *
 * @throws Fault `key.unsupported` if there is no such point.
 */
export function fromCompressedPoint(point: Uint8Array): P256Jwk {
  try {
    if (point.length !== COORDINATE_BYTES + 1) throw new RangeError('length of the point')
    const whole = ECDH.convertKey(point, 'prime256v1', undefined, undefined, 'uncompressed')
    if (typeof whole === 'string') throw new TypeError('form of the point')
    const x = toBase64url(whole.subarray(1, 1 + COORDINATE_BYTES))
    return { kty: 'EC', crv: 'P-256', x, y: toBase64url(whole.subarray(1 + COORDINATE_BYTES)) }
  } catch (cause) {
    throw new Fault('key.unsupported', { detail: 'The key is not a point on its curve.', cause })
  }
}
