import { fromBase64url, isBase64url } from '../../crypto/base64url.ts'
import { equalInConstantTime, hmacSha256 } from '../../crypto/digest.ts'
import { randomBytes } from '../../crypto/random.ts'
import { Fault } from '../../fault.ts'
import { CLOCK_SKEW_SECONDS } from '../numeric-date.ts'

/** Lifetime of a `c_nonce`. [VCI-N2] */
const C_NONCE_TTL_SECONDS = 300

const TIME_BYTES = 8
const RANDOM_BYTES = 16
const MAC_BYTES = 16
const NONCE_CHARS = 54 // 40 bytes in base64url

/**
 * Creates a `c_nonce`: the time, 128 random bits and a MAC over both. Nothing is stored; with the key it is valid at
 * one tenant only.
 *
 * @param macKey Key of the tenant for this use only.
 * @see [OpenID4VCI 1.0, 7](https://openid.net/specs/openid-4-verifiable-credential-issuance-1_0.html#name-nonce-endpoint)
 */
export function makeCNonce(macKey: Uint8Array, now: Date): string {
  const time = Buffer.alloc(TIME_BYTES)
  time.writeBigUInt64BE(BigInt(now.getTime()))
  const body = Buffer.concat([time, randomBytes(RANDOM_BYTES)])
  return Buffer.concat([body, macOf(macKey, body)]).toString('base64url')
}

/**
 * Checks that a `c_nonce` was issued by this tenant and has not expired. NOT checked: single use; the credential
 * endpoint consumes it.
 *
 * @throws Fault `nonce.invalid`
 */
export function checkCNonce(
  macKey: Uint8Array,
  nonce: string,
  now: Date,
  ttlSeconds: number = C_NONCE_TTL_SECONDS,
): void {
  if (nonce.length !== NONCE_CHARS || !isBase64url(nonce)) throw new Fault('nonce.invalid')
  const bytes = fromBase64url(nonce)
  const body = bytes.subarray(0, TIME_BYTES + RANDOM_BYTES)
  if (!equalInConstantTime(bytes.subarray(body.length), macOf(macKey, body))) throw new Fault('nonce.invalid')
  const age = now.getTime() - Number(body.readBigUInt64BE(0))
  if (age < -CLOCK_SKEW_SECONDS * 1000 || age > ttlSeconds * 1000) throw new Fault('nonce.invalid')
}

/** Returns the time of issue of a `c_nonce` that {@link checkCNonce} accepted. */
export function cNonceIssuedAt(nonce: string): Date {
  return new Date(Number(fromBase64url(nonce).readBigUInt64BE(0)))
}

function macOf(key: Uint8Array, body: Uint8Array): Buffer {
  return hmacSha256(key, 'c-nonce\0', body).subarray(0, MAC_BYTES)
}
