import { Allowance, networkOf } from '../directory/allowance.ts'
import { Recent } from '../directory/recent.ts'

const minute = { windowMs: 60_000, keysMax: 20_000 } as const
const ATTEMPTS_MAX = 10
const ATTEMPTS_OF_PROVEN_MAX = 60
/** An attempt in the name of an invented client costs a slow hash, too. */
const ATTEMPTS_OF_NETWORK_MAX = 100
const PROVEN = { entriesMax: 10_000, ttlMs: 86_400_000 } as const

/**
 * Counts failed client authentications within a minute, in this process only: by address, and for secrets by client and address. A client
 * that proved itself within the day has a budget of its own, which the failures of others at its address (a proxy that was not declared)
 * do not use up.
 */
export class FailedAttempts {
  readonly #byClient = new Allowance({ ...minute, countMax: ATTEMPTS_MAX })
  readonly #byProven = new Allowance({ ...minute, countMax: ATTEMPTS_OF_PROVEN_MAX })
  readonly #byNetwork = new Allowance({ ...minute, countMax: ATTEMPTS_OF_NETWORK_MAX })
  readonly #proven = new Recent<true>(PROVEN)

  /** Whether the client proved itself within the day. */
  isProven(clientId: string, now: Date): boolean {
    return this.#proven.get(nameOf(clientId), now) === true
  }

  /** Counts an attempt whose outcome takes long, so that many at one time do not slip through. @throws Fault `request.rate_limited` */
  begin(clientId: string, ip: string, now: Date): void {
    const isProven = this.isProven(clientId, now)
    const allowance = isProven ? this.#byProven : this.#byClient
    const network = isProven ? null : networkOf(ip)
    allowance.admit(keyOf(clientId, ip), now)
    if (network !== null) this.#byNetwork.admit(network, now)
    allowance.count(keyOf(clientId, ip), now)
    if (network !== null) this.#byNetwork.count(network, now)
  }

  /** Counts a failed attempt of an address. @throws Fault `request.rate_limited` instead of the refusal, if there were 100 in the minute */
  refuse(ip: string, now: Date): void {
    const network = networkOf(ip)
    if (network === null) return
    this.#byNetwork.admit(network, now)
    this.#byNetwork.count(network, now)
  }

  /** Notes that a client proved itself; an attempt that {@link begin} counted counts no more. */
  succeed(clientId: string, ip: string, now: Date, wasCounted: boolean): void {
    const network = wasCounted && !this.isProven(clientId, now) ? networkOf(ip) : null
    if (network !== null) this.#byNetwork.count(network, now, -1)
    if (wasCounted) for (const one of [this.#byClient, this.#byProven]) one.forget(keyOf(clientId, ip))
    this.#proven.set(nameOf(clientId), true, now)
  }
}

function nameOf(clientId: string): string {
  return clientId.slice(0, 200)
}

function keyOf(clientId: string, ip: string): string {
  return `${ip} ${nameOf(clientId)}`
}
