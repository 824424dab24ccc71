import { Fault } from '../fault.ts'
import { type LimitName, limits } from './limits.ts'
import { networksOf } from './network.ts'
import { Recent } from './recent.ts'

type Counts = Recent<{ count: number; readonly until: number }>

/** The rate limiter of a server: counts by limit and key, in this process only. */
export class RateLimiter {
  readonly #counts = new Map<LimitName, Counts>()

  /**
   * Checks a limit without counting.
   *
   * @param times Multiplies the limit.
   * @throws Fault `request.rate_limited` if the key has reached it
   */
  admit(name: LimitName, key: string, now: Date, times = 1): void {
    const found = this.#of(name).get(key, now)
    if (found === undefined || found.count < limits[name].countMax * times) return
    const retryAfterSeconds = Math.max(1, Math.ceil((found.until - now.getTime()) / 1000))
    throw new Fault('request.rate_limited', { meta: { retryAfterSeconds } })
  }

  /** Counts one more, or with -1 one less, but never below 0. @returns the new count */
  count(name: LimitName, key: string, now: Date, by: 1 | -1 = 1): number {
    const counts = this.#of(name)
    const found = counts.get(key, now)
    if (found !== undefined) {
      found.count = Math.max(0, found.count + by)
      return found.count
    }
    if (by === -1) return 0
    counts.set(key, { count: 1, until: now.getTime() + limits[name].windowSeconds * 1000 }, now)
    return 1
  }

  /**
   * As {@link admit}, for every network of an address; a wider one may reach a multiple of the limit. Loopback is not
   * limited.
   *
   * @param of What is limited by network, such as the id of a tenant with a space after it.
   */
  admitAddress(name: LimitName, ip: string, now: Date, of = ''): void {
    for (const { network, times } of networksOf(ip)) this.admit(name, of + network, now, times)
  }

  /** As {@link count}, for every network of an address. @returns the new count of the narrowest, 0 for loopback */
  countAddress(name: LimitName, ip: string, now: Date, by: 1 | -1 = 1, of = ''): number {
    const counts = networksOf(ip).map(({ network }) => this.count(name, of + network, now, by))
    return counts[0] ?? 0
  }

  /** Whether nothing was counted in this window for any network of an address. */
  isFirst(name: LimitName, ip: string, now: Date): boolean {
    return networksOf(ip).every(({ network }) => (this.#of(name).get(network, now)?.count ?? 0) === 0)
  }

  /** Resets a key. */
  forget(name: LimitName, key: string): void {
    this.#of(name).delete(key)
  }

  #of(name: LimitName): Counts {
    const { keysMax, windowSeconds } = limits[name]
    const counts: Counts = this.#counts.get(name) ?? new Recent({ entriesMax: keysMax, ttlMs: windowSeconds * 1000 })
    this.#counts.set(name, counts)
    return counts
  }
}
