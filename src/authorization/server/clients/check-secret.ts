import { equalInConstantTime, hmacSha256 } from '../../../crypto/digest.ts'
import { randomBytes } from '../../../crypto/random.ts'
import { isSecretOf, noSecretHash } from '../../../keys/secret-hash.ts'
import { type HashCaller, hashInPlace } from '../../../keys/slow-hashes.ts'
import type { Memory } from '../../../memory/memory.ts'
import type { Recent } from '../../../memory/recent.ts'

const SECRET_CHARS_MAX = 500

/**
 * Checks secrets against their slow hashes. After a success it caches, beside the stored hash, a MAC of the secret
 * under a key that only this process has, so that the slow hash is computed once. An entry is valid only as long as the
 * stored hash stays the same.
 */
export class SecretChecker {
  readonly #key = randomBytes(32)
  readonly #verified: Recent<Buffer>
  readonly #pending = new Map<string, Promise<boolean>>()
  readonly #memory: Memory

  constructor(memory: Memory) {
    this.#verified = memory.cache('authorization.verified_secrets')
    this.#memory = memory
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
   * @throws Fault `request.rate_limited` when too many slow hashes of the caller are computed
   */
  async check(stored: string | null, secret: string, now: Date, caller: HashCaller): Promise<boolean> {
    if (secret.length > SECRET_CHARS_MAX) return false
    const name = this.#nameOf(stored, secret)
    const pending = this.#compare(stored, secret, now, caller).finally(() => this.#pending.delete(name))
    this.#pending.set(name, pending)
    return pending
  }

  async #compare(stored: string | null, secret: string, now: Date, caller: HashCaller): Promise<boolean> {
    const needs = { memory: this.#memory }
    const matches = await hashInPlace(needs, caller, () => isSecretOf(stored ?? noSecretHash, secret))
    if (!matches || stored === null) return false
    this.#verified.set(stored, this.#macOf(secret), now)
    return true
  }

  #nameOf(stored: string | null, secret: string): string {
    return `${stored} ${this.#macOf(secret).toString('base64url')}`
  }

  #macOf(secret: string): Buffer {
    return hmacSha256(this.#key, secret)
  }
}
