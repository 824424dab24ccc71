import { equalInConstantTime, hmacSha256 } from '../crypto/digest.ts'
import { randomBytes } from '../crypto/random.ts'
import { isSecretOf, noSecretHash } from '../crypto/secret-hash.ts'
import { Recent } from '../directory/recent.ts'

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

  /** Whether it is the secret. Without a stored hash it takes as long, and says no. Equal checks at one time are one. */
  async check(stored: string | null, secret: string, now: Date): Promise<boolean> {
    if (secret.length > SECRET_CHARS_MAX) return false
    const mac = this.#macOf(secret)
    const name = `${stored} ${mac.toString('base64url')}`
    const running = this.#running.get(name) ?? isSecretOf(stored ?? noSecretHash, secret)
    this.#running.set(name, running)
    const isRight = await running.finally(() => this.#running.delete(name))
    if (isRight && stored !== null) this.#known.set(stored, mac, now)
    return isRight && stored !== null
  }

  #macOf(secret: string): Buffer {
    return hmacSha256(this.#key, secret)
  }
}
