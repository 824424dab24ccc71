import { sha256Base64url } from '../../crypto/digest.ts'

const CHALLENGE = /^[A-Za-z0-9_-]{43}$/
const VERIFIER = /^[A-Za-z0-9\-._~]{43,128}$/

/** Whether a value has the form of an S256 code challenge. @see [RFC 7636, 4.2](https://www.rfc-editor.org/rfc/rfc7636#section-4.2) */
export function isCodeChallenge(value: string): boolean {
  return CHALLENGE.test(value)
}

/**
 * Returns the S256 challenge of a code verifier; null if it is none (43 to 128 unreserved characters).
 *
 * @see [RFC 7636, 4.1](https://www.rfc-editor.org/rfc/rfc7636#section-4.1) and [4.6](https://www.rfc-editor.org/rfc/rfc7636#section-4.6)
 */
export function challengeOf(verifier: string): string | null {
  return VERIFIER.test(verifier) ? sha256Base64url(verifier) : null
}
