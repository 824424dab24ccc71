import { fromBase64url, toBase64url } from '../../crypto/base64url.ts'
import { fromCompressedPoint } from '../../crypto/compressed-point.ts'
import { importPublicJwk, type PublicJwk, readPublicJwk } from '../../crypto/jwk.ts'
import { Fault } from '../../fault.ts'
import { type Cbor, type CborMap, isBytes, isCborArray, isCborMap } from '../cbor/value.ts'
import { algsOf } from './algorithms.ts'

const label = { kty: 1, alg: 3, keyOps: 4, crv: -1, x: -2, y: -3, d: -4 } as const
const kinds = { okp: 1, ec2: 2, p256: 1, ed25519: 6 } as const
const COORDINATE_BYTES = 32

/**
 * Encodes a public key as COSE_Key, with the required members only [MD-6].
 *
 * @see [RFC 9053, 7](https://www.rfc-editor.org/rfc/rfc9053#section-7)
 */
export function toCoseKey(jwk: PublicJwk): CborMap {
  const x = fromBase64url(jwk.x)
  if (jwk.kty === 'OKP') {
    return new Map([
      [label.kty, kinds.okp],
      [label.crv, kinds.ed25519],
      [label.x, x],
    ] as [number, Cbor][])
  }
  return new Map<number, Cbor>([
    [label.kty, kinds.ec2],
    [label.crv, kinds.p256],
    [label.x, x],
    [label.y, fromBase64url(jwk.y)],
  ])
}

/**
 * Validates an untrusted COSE_Key, including that the point is on its curve.
 *
 * @throws Fault `key.unsupported` if it is no P-256 or Ed25519 public key, has a private part, or is restricted to
 *   another algorithm.
 * @see [RFC 9052, 7](https://www.rfc-editor.org/rfc/rfc9052#section-7)
 */
export function readCoseKey(value: Cbor): PublicJwk {
  if (!isCborMap(value)) throw unsupported('The key is not a COSE_Key.')
  // [SEC-30] a private key that was transmitted is compromised
  if (value.has(label.d)) throw unsupported('The key has its private part.')
  const jwk = publicJwk(value)
  const alg = value.get(label.alg)
  // RFC 9052 7.1: `key_ops` restricts the key to those operations; 2 is verify
  const operations = value.get(label.keyOps)
  if (operations !== undefined && !(isCborArray(operations) && operations.includes(2)))
    throw unsupported('The key is restricted to other operations than verifying.')
  // RFC 9052 7.1: `alg` restricts the key to that algorithm
  if (alg !== undefined && !algsOf(jwk).some((one) => one === alg))
    throw unsupported('The key is restricted to another algorithm.')
  importPublicJwk(jwk)
  return jwk
}

function publicJwk(key: CborMap): PublicJwk {
  const [kty, crv, x, y] = (['kty', 'crv', 'x', 'y'] as const).map((name) => key.get(label[name]))
  if (!isBytes(x) || x.length !== COORDINATE_BYTES) throw unsupported()
  if (kty === kinds.okp && crv === kinds.ed25519)
    return readPublicJwk({ kty: 'OKP', crv: 'Ed25519', x: toBase64url(x) })
  if (kty !== kinds.ec2 || crv !== kinds.p256) throw unsupported()
  // RFC 9053 7.1.1: y may be the sign bit only
  if (typeof y === 'boolean') return fromCompressedPoint(Buffer.concat([Buffer.from([y ? 3 : 2]), x]))
  if (!isBytes(y)) throw unsupported()
  return readPublicJwk({ kty: 'EC', crv: 'P-256', x: toBase64url(x), y: toBase64url(y) })
}

function unsupported(detail?: string): Fault {
  return new Fault('key.unsupported', detail === undefined ? {} : { detail })
}
