import { equalInConstantTime, hmacSha256 } from '../../crypto/digest.ts'

/** A nonce is given out for so long, and accepted for as long again. */
const PERIOD_SECONDS = 150
const MAC_BYTES = 16

/**
 * Returns the current nonce for DPoP proofs: a MAC over the period of time. All clients share it and nothing is stored;
 * replay is prevented by the `jti` of each proof.
 *
 * @param key Key for this use only.
 * @see [RFC 9449, 8](https://www.rfc-editor.org/rfc/rfc9449#section-8)
 */
export function makeDpopNonce(key: Uint8Array, now: Date): string {
  return nonceOf(key, periodOf(now))
}

/** Whether a nonce is the current one or its predecessor, or the next one of a process whose clock is ahead. */
export function isDpopNonce(key: Uint8Array, nonce: string, now: Date): boolean {
  const period = periodOf(now)
  return [period, period - 1, period + 1].some((one) => equalInConstantTime(nonceOf(key, one), nonce))
}

function nonceOf(key: Uint8Array, period: number): string {
  return hmacSha256(key, `dpop-nonce ${period}`).subarray(0, MAC_BYTES).toString('base64url')
}

function periodOf(now: Date): number {
  return Math.floor(now.getTime() / 1000 / PERIOD_SECONDS)
}
