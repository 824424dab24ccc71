import { createECDH, createPrivateKey } from 'node:crypto'
import { toBase64url } from '../base64url.ts'
import { signCompact } from '../jws.ts'
import { type SigningKey, softwareKey } from '../signing-key.ts'

/**
 * The key pair by which a push service knows this deployment. `publicKey`: the point in base64url, the
 * `applicationServerKey` of browsers.
 */
type VapidKey = { readonly publicKey: string; readonly signingKey: SigningKey }

/** RFC 8292 2: at most 24 hours. Push services compare it with their own clocks. */
const LIFETIME_SECONDS = 12 * 3600

/** Returns the key pair of a private key of 32 bytes. @throws Error if it is not below the order of P-256 */
export function vapidKeyOf(privateBytes: Buffer): VapidKey {
  const pair = createECDH('prime256v1')
  pair.setPrivateKey(privateBytes)
  const point = pair.getPublicKey()
  const [x, y] = [toBase64url(point.subarray(1, 33)), toBase64url(point.subarray(33))]
  const key = { kty: 'EC', crv: 'P-256', x, y, d: toBase64url(privateBytes) }
  const privateKey = createPrivateKey({ key, format: 'jwk' })
  return { publicKey: toBase64url(point), signingKey: softwareKey(privateKey) }
}

/** Returns a new private key of 32 bytes. */
export function generateVapidKey(): Buffer {
  const pair = createECDH('prime256v1')
  pair.generateKeys()
  const key = pair.getPrivateKey()
  // A scalar is as short as its value.
  return Buffer.concat([Buffer.alloc(32 - key.length), key])
}

/**
 * Returns the Authorization header of a message to an endpoint.
 *
 * @param subject A `mailto:` or `https:` URI by which the push service can reach the operator.
 * @see [RFC 8292, 2 and 3](https://www.rfc-editor.org/rfc/rfc8292#section-2)
 */
export async function vapidHeader(
  { publicKey, signingKey }: VapidKey,
  { endpoint, subject }: { readonly endpoint: string; readonly subject: string },
  now: Date,
): Promise<string> {
  const exp = Math.floor(now.getTime() / 1000) + LIFETIME_SECONDS
  const token = await signCompact({ typ: 'JWT' }, { aud: new URL(endpoint).origin, exp, sub: subject }, signingKey)
  return `vapid t=${token}, k=${publicKey}`
}
