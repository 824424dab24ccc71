import { Allowance, networkOf } from '../directory/allowance.ts'

const minute = { windowMs: 60_000, keysMax: 20_000 } as const
const ATTEMPTS_MAX = 10
/** Whoever invents a client for each attempt pays in none of them, but each costs us a slow hash. */
const ATTEMPTS_OF_NETWORK_MAX = 100

/** Counts failed client authentications by client and address, and by address alone, in this process only. */
export class FailedAttempts {
  readonly #byClient = new Allowance({ ...minute, countMax: ATTEMPTS_MAX })
  readonly #byNetwork = new Allowance({ ...minute, countMax: ATTEMPTS_OF_NETWORK_MAX })

  /** Lets an attempt begin. @throws Fault `request.rate_limited` if 10 of the client, or 100 of anybody, were counted within the minute */
  admit(clientId: string, ip: string, now: Date): void {
    this.#byClient.admit(keyOf(clientId, ip), now)
    const network = networkOf(ip)
    if (network !== null) this.#byNetwork.admit(network, now)
  }

  /** Counts an attempt: a failed one, or one whose outcome takes long, so that many at one time do not slip through together. */
  count(clientId: string, ip: string, now: Date): void {
    this.#byClient.count(keyOf(clientId, ip), now)
    const network = networkOf(ip)
    if (network !== null) this.#byNetwork.count(network, now)
  }

  /** Forgets the attempts of a client that has proved itself. */
  succeed(clientId: string, ip: string, now: Date): void {
    this.#byClient.forget(keyOf(clientId, ip))
    const network = networkOf(ip)
    if (network !== null) this.#byNetwork.count(network, now, -1)
  }
}

function keyOf(clientId: string, ip: string): string {
  return `${ip} ${clientId.slice(0, 200)}`
}
