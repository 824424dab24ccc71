import { equalInConstantTime, hmacSha256 } from '../../../crypto/digest.ts'
import { randomBytes } from '../../../crypto/random.ts'
import { Fault } from '../../../fault.ts'
import { isSecretOf, noSecretHash } from '../../../keys/secret-hash.ts'
import type { Memory } from '../../../memory/memory.ts'
import type { Recent } from '../../../memory/recent.ts'

/** Each hash occupies one of the four threads of the process for tens of milliseconds; files and keys need them, too. */
const HASHES_MAX = 2
const WAITING_MAX = 64
/** The other places in the queue are for clients that authenticated within the last day. */
const UNPROVEN_WAITING_MAX = 32
const SECRET_CHARS_MAX = 500

/**
 * Checks secrets against their slow hashes. After a success it caches, beside the stored hash, a MAC of the secret under a key that only this
 * process has, so that the slow hash is computed once. An entry is valid only as long as the stored hash stays the same.
 */
export class SecretChecker {
  readonly #key = randomBytes(32)
  readonly #verified: Recent<Buffer>
  readonly #pending = new Map<string, Promise<boolean>>()
  readonly #queue: (() => void)[] = []
  #hashing = 0

  constructor(memory: Memory) {
    this.#verified = memory.cache('authorization.verified_secrets')
  }

  /** Whether the secret passed within the last day, and renews that day. False says nothing: call {@link check}. */
  isVerified(stored: string | null, secret: string, now: Date): boolean {
    const mac = stored === null ? undefined : this.#verified.get(stored, now)
    if (stored === null || mac === undefined || !equalInConstantTime(mac, this.#macOf(secret))) return false
    this.#verified.set(stored, mac, now)
    return true
  }

  /** Returns the pending check of this very secret, to await instead of computing another slow hash. */
  pending(stored: string | null, secret: string): Promise<boolean> | undefined {
    return this.#pending.get(this.#nameOf(stored, secret))
  }

  /**
   * Whether it is the secret. Without a stored hash it takes as long, and the result is false.
   *
   * @param isProven Whether the client authenticated within the last day.
   * @throws Fault `request.rate_limited` when the queue for slow hashes is full
   */
  async check(stored: string | null, secret: string, now: Date, isProven: boolean): Promise<boolean> {
    if (secret.length > SECRET_CHARS_MAX) return false
    const name = this.#nameOf(stored, secret)
    const pending = this.#compare(stored, secret, now, isProven).finally(() => this.#pending.delete(name))
    this.#pending.set(name, pending)
    return pending
  }

  async #compare(stored: string | null, secret: string, now: Date, isProven: boolean): Promise<boolean> {
    await this.#acquire(isProven)
    const matches = await isSecretOf(stored ?? noSecretHash, secret).finally(() => this.#release())
    if (!matches || stored === null) return false
    this.#verified.set(stored, this.#macOf(secret), now)
    return true
  }

  /** Semaphore: at most {@link HASHES_MAX} concurrent hashes, FIFO, with a bounded queue. */
  async #acquire(isProven: boolean): Promise<void> {
    if (this.#hashing >= HASHES_MAX) {
      if (this.#queue.length >= (isProven ? WAITING_MAX : UNPROVEN_WAITING_MAX)) {
        throw new Fault('request.rate_limited', { meta: { retryAfterSeconds: 1 } })
      }
      // #release hands its permit over without freeing it.
      return new Promise((resolve) => this.#queue.push(resolve))
    }
    this.#hashing += 1
  }

  #release(): void {
    const next = this.#queue.shift()
    if (next === undefined) this.#hashing -= 1
    else next()
  }

  #nameOf(stored: string | null, secret: string): string {
    return `${stored} ${this.#macOf(secret).toString('base64url')}`
  }

  #macOf(secret: string): Buffer {
    return hmacSha256(this.#key, secret)
  }
}
