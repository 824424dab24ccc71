import { equalInConstantTime, sha256Base64url } from '../../crypto/digest.ts'
import { randomToken } from '../../crypto/random.ts'
import type { Client } from './client.ts'

/** The prefix lets scanners of source code and the token endpoint recognize a secret that the server made. */
const FORM = /^chs_[\w-]{43}$/

/** Returns a new secret of 256 bits, and what is stored of it. */
export function makeClientSecret(): { readonly text: string; readonly hash: string } {
  const text = `chs_${randomToken()}`
  return { text, hash: sha256Base64url(text) }
}

/** Whether a text has the form of a secret that the server made. Such a text is never compared with a slow hash. */
export function isMadeSecret(text: string): boolean {
  return FORM.test(text)
}

/**
 * Whether a text is a secret that the server made for this client and that has not ended. No slow hash is needed: it
 * cannot be guessed.
 */
export function hasMadeSecret({ secrets }: Pick<Client, 'secrets'>, text: string, now: Date): boolean {
  const hash = sha256Base64url(text)
  return secrets.some((one) => one.isMade && isValid(one.endsAtMs, now) && equalInConstantTime(one.hash, hash))
}

/**
 * Returns the scrypt string of the secret that the bootstrap file gave the client; null if there is none or it has
 * ended.
 */
export function slowHashOf({ secrets }: Pick<Client, 'secrets'>, now: Date): string | null {
  return secrets.find((one) => !one.isMade && isValid(one.endsAtMs, now))?.hash ?? null
}

function isValid(endsAtMs: number | null, now: Date): boolean {
  return endsAtMs === null || endsAtMs > now.getTime()
}
