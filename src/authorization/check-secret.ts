import { equalInConstantTime, hmacSha256 } from '../crypto/digest.ts'
import { randomBytes } from '../crypto/random.ts'
import { isSecretOf, noSecretHash } from '../crypto/secret-hash.ts'
import { Recent } from '../memory/recent.ts'

const KNOWN_MAX = 10_000
const KNOWN_MS = 3_600_000
const SECRET_CHARS_MAX = 500

/**
 * Checks secrets against their slow hashes, and pays the slow hash once: after a success it remembers, beside the stored hash, a MAC of the
 * secret under a key that only this process has. The memory is good only as long as the stored hash stays the same.
 */
export class SecretChecker {
  readonly #key = randomBytes(32)
  readonly #known = new Recent<Buffer>({ entriesMax: KNOWN_MAX, ttlMs: KNOWN_MS })
  readonly #running = new Map<string, Promise<boolean>>()

  /** Whether the secret was found right lately. False says nothing: ask {@link check}. */
  isKnown(stored: string | null, secret: string, now: Date): boolean {
    const known = stored === null ? undefined : this.#known.get(stored, now)
    return known !== undefined && equalInConstantTime(known, this.#macOf(secret))
  }

  /** A check of this very secret that is under way, to be waited for instead of paying for another one. */
  underWay(stored: string | null, secret: string): Promise<boolean> | undefined {
    return this.#running.get(this.#nameOf(stored, secret))
  }

  /** Whether it is the secret. Without a stored hash it takes as long, and says no. */
  async check(stored: string | null, secret: string, now: Date): Promise<boolean> {
    if (secret.length > SECRET_CHARS_MAX) return false
    const name = this.#nameOf(stored, secret)
    const running = this.#compare(stored, secret, now).finally(() => this.#running.delete(name))
    this.#running.set(name, running)
    return running
  }

  async #compare(stored: string | null, secret: string, now: Date): Promise<boolean> {
    const isRight = (await isSecretOf(stored ?? noSecretHash, secret)) && stored !== null
    if (isRight) this.#known.set(stored, this.#macOf(secret), now)
    return isRight
  }

  #nameOf(stored: string | null, secret: string): string {
    return `${stored} ${this.#macOf(secret).toString('base64url')}`
  }

  #macOf(secret: string): Buffer {
    return hmacSha256(this.#key, secret)
  }
}
