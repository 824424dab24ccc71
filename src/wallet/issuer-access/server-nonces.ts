import type { OutboundAnswer, Platform } from '../../platform.ts'

const NONCE_CHARS_MAX = 1024

type Needs = Pick<Platform, 'memory' | 'clock'>

/** Returns the last nonce of the server of an address; null: none is known. @see [RFC 9449, 8.2](https://www.rfc-editor.org/rfc/rfc9449#section-8.2) */
export function serverNonce({ memory, clock }: Needs, url: string): string | null {
  return memory.cache<string>('wallet.server_nonces').get(new URL(url).origin, clock.now()) ?? null
}

/** Keeps the nonce of a response, if it has one. Returns it. One that is longer than 1,024 characters is ignored. */
export function keepServerNonce({ memory, clock }: Needs, url: string, answer: OutboundAnswer): string | null {
  const nonce = answer.headers['dpop-nonce']
  // RFC 9449 8.1: the characters of a nonce
  if (nonce === undefined || nonce.length > NONCE_CHARS_MAX || !/^[\x21\x23-\x5B\x5D-\x7E]+$/.test(nonce)) return null
  memory.cache<string>('wallet.server_nonces').set(new URL(url).origin, nonce, clock.now())
  return nonce
}
