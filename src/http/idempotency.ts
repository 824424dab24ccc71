import type { Caller } from '../caller.ts'
import { sha256Base64url } from '../crypto/digest.ts'
import { Fault } from '../fault.ts'

/** An answer that was given once and is given again. */
export type KeptAnswer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** One request that carries an `Idempotency-Key`. `digest` covers method, path and body. */
export type Repeatable = { readonly key: string; readonly digest: string }

/** Where first answers are kept; the roof gives one to the server. Keys are the caller's own: another client's key is another key. */
export type Idempotency = {
  /**
   * Takes the key, or finds that it was taken.
   *
   * @returns the first answer if there is one, null if the key is now ours to answer.
   * @throws Fault 409 if the digest differs, or if the first request is still at work.
   */
  readonly begin: (caller: Caller, ask: Repeatable) => Promise<KeptAnswer | null>
  /** Keeps the answer for 24 hours. */
  readonly finish: (caller: Caller, ask: Repeatable, answer: KeptAnswer) => Promise<void>
  /** Lets the key go after a refusal, so that a corrected or later attempt runs. */
  readonly release: (caller: Caller, ask: Repeatable) => Promise<void>
}

/** Reads the header of a request. @throws Fault `request.invalid` for a key that is empty, too long or not printable */
export function repeatableOf(header: unknown, method: string, path: string, body: unknown): Repeatable | null {
  if (header === undefined || method !== 'POST') return null
  if (typeof header !== 'string' || !/^[\x21-\x7E]{1,255}$/.test(header)) {
    const detail = 'Idempotency-Key must be 1 to 255 printable ASCII characters without spaces.'
    throw new Fault('request.invalid', { violations: [{ detail, parameter: 'Idempotency-Key' }] })
  }
  const bytes = Buffer.isBuffer(body) ? body.toString('latin1') : ''
  return { key: header, digest: sha256Base64url(`${method} ${path}\n${bytes}`) }
}
