import { equalInConstantTime, hmacSha256 } from '../../crypto/digest.ts'
import { randomBytes } from '../../crypto/random.ts'
import { Fault } from '../../fault.ts'
import { isSecretOf, noSecretHash } from '../../keys/secret-hash.ts'
import { Recent } from '../../memory/recent.ts'

const KNOWN_MAX = 10_000
const KNOWN_MS = 86_400_000
/** Each hash keeps one of the four threads of the process busy for tens of milliseconds; files and keys need them, too. */
const RUNNING_MAX = 2
const WAITING_MAX = 64
/** The other waiting places are for clients that proved themselves lately. */
const STRANGERS_WAITING_MAX = 32
const SECRET_CHARS_MAX = 500

/**
 * Checks secrets against their slow hashes, and pays the slow hash once: after a success it remembers, beside the stored hash, a MAC of the
 * secret under a key that only this process has. The memory is good only as long as the stored hash stays the same.
 */
export class SecretChecker {
  readonly #key = randomBytes(32)
  readonly #known = new Recent<Buffer>({ entriesMax: KNOWN_MAX, ttlMs: KNOWN_MS })
  readonly #running = new Map<string, Promise<boolean>>()
  readonly #waiting: (() => void)[] = []
  #hashing = 0

  /** Whether the secret was found right within the last day, and for another day from now. False says nothing: ask {@link check}. */
  isKnown(stored: string | null, secret: string, now: Date): boolean {
    const known = stored === null ? undefined : this.#known.get(stored, now)
    if (stored === null || known === undefined || !equalInConstantTime(known, this.#macOf(secret))) return false
    this.#known.set(stored, known, now)
    return true
  }

  /** A check of this very secret that is under way, to be waited for instead of paying for another one. */
  underWay(stored: string | null, secret: string): Promise<boolean> | undefined {
    return this.#running.get(this.#nameOf(stored, secret))
  }

  /**
   * Whether it is the secret. Without a stored hash it takes as long, and says no.
   *
   * @param isProven Whether the client proved itself lately.
   * @throws Fault `request.rate_limited` when too many wait for their slow hash
   */
  async check(stored: string | null, secret: string, now: Date, isProven: boolean): Promise<boolean> {
    if (secret.length > SECRET_CHARS_MAX) return false
    const name = this.#nameOf(stored, secret)
    const running = this.#compare(stored, secret, now, isProven).finally(() => this.#running.delete(name))
    this.#running.set(name, running)
    return running
  }

  async #compare(stored: string | null, secret: string, now: Date, isProven: boolean): Promise<boolean> {
    await this.#place(isProven)
    const isRight = (await isSecretOf(stored ?? noSecretHash, secret).finally(() => this.#leave())) && stored !== null
    if (isRight) this.#known.set(stored, this.#macOf(secret), now)
    return isRight
  }

  async #place(isProven: boolean): Promise<void> {
    if (this.#hashing < RUNNING_MAX) {
      this.#hashing += 1
      return
    }
    if (this.#waiting.length >= (isProven ? WAITING_MAX : STRANGERS_WAITING_MAX)) {
      throw new Fault('request.rate_limited', { meta: { retryAfterSeconds: 1 } })
    }
    await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  /** Hands the place to the check that has waited longest. */
  #leave(): void {
    const next = this.#waiting.shift()
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
