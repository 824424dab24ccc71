import { networkOf } from '../../memory/network.ts'
import { RateLimiter } from '../../memory/rate-limiter.ts'
import { Recent } from '../../memory/recent.ts'

const BY_CLIENT = 'authorization.attempts_of_client'
const BY_PROVEN = 'authorization.attempts_of_proven_client'
const BY_NETWORK = 'authorization.attempts_of_network'
const PROVEN = { entriesMax: 10_000, ttlMs: 86_400_000 } as const

/**
 * Counts failed client authentications within a minute, in this process only: by address, and for secrets by client and address. A client
 * that proved itself within the day has a budget of its own, which the failures of others at its address (a proxy that was not declared)
 * do not use up.
 */
export class FailedAttempts {
  readonly #limiter = new RateLimiter()
  readonly #proven = new Recent<true>(PROVEN)

  /** Whether the client proved itself within the day. */
  isProven(clientId: string, now: Date): boolean {
    return this.#proven.get(nameOf(clientId), now) === true
  }

  /** Counts an attempt whose outcome takes long, so that many at one time do not slip through. @throws Fault `request.rate_limited` */
  begin(clientId: string, ip: string, now: Date): void {
    const isProven = this.isProven(clientId, now)
    const limit = isProven ? BY_PROVEN : BY_CLIENT
    const network = isProven ? null : networkOf(ip)
    this.#limiter.admit(limit, keyOf(clientId, ip), now)
    if (network !== null) this.#limiter.admit(BY_NETWORK, network, now)
    this.#limiter.count(limit, keyOf(clientId, ip), now)
    if (network !== null) this.#limiter.count(BY_NETWORK, network, now)
  }

  /** Counts a failed attempt of an address. @throws Fault `request.rate_limited` instead of the refusal, if there were 100 in the minute */
  refuse(ip: string, now: Date): void {
    const network = networkOf(ip)
    if (network === null) return
    this.#limiter.admit(BY_NETWORK, network, now)
    this.#limiter.count(BY_NETWORK, network, now)
  }

  /** Notes that a client proved itself; an attempt that {@link begin} counted counts no more. */
  succeed(clientId: string, ip: string, now: Date, wasCounted: boolean): void {
    const network = wasCounted && !this.isProven(clientId, now) ? networkOf(ip) : null
    if (network !== null) this.#limiter.count(BY_NETWORK, network, now, -1)
    if (wasCounted)
      for (const limit of [BY_CLIENT, BY_PROVEN] as const) this.#limiter.forget(limit, keyOf(clientId, ip))
    this.#proven.set(nameOf(clientId), true, now)
  }
}

function nameOf(clientId: string): string {
  return clientId.slice(0, 200)
}

function keyOf(clientId: string, ip: string): string {
  return `${ip} ${nameOf(clientId)}`
}
