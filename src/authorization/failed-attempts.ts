import { networkOf } from '../memory/network.ts'
import { RateLimiter } from '../memory/rate-limiter.ts'

/** Counts failed client authentications by client and address, and by address alone, in this process only. */
export class FailedAttempts {
  readonly #limiter = new RateLimiter()

  /** Lets an attempt begin. @throws Fault `request.rate_limited` if 10 of the client, or 100 of anybody, were counted within the minute */
  admit(clientId: string, ip: string, now: Date): void {
    this.#limiter.admit('authorization.attempts_of_client', keyOf(clientId, ip), now)
    const network = networkOf(ip)
    if (network !== null) this.#limiter.admit('authorization.attempts_of_network', network, now)
  }

  /** Counts an attempt: a failed one, or one whose outcome takes long, so that many at one time do not slip through together. */
  count(clientId: string, ip: string, now: Date): void {
    this.#limiter.count('authorization.attempts_of_client', keyOf(clientId, ip), now)
    const network = networkOf(ip)
    if (network !== null) this.#limiter.count('authorization.attempts_of_network', network, now)
  }

  /** Forgets the attempts of a client that has proved itself. */
  succeed(clientId: string, ip: string, now: Date): void {
    this.#limiter.forget('authorization.attempts_of_client', keyOf(clientId, ip))
    const network = networkOf(ip)
    if (network !== null) this.#limiter.count('authorization.attempts_of_network', network, now, -1)
  }
}

function keyOf(clientId: string, ip: string): string {
  return `${ip} ${clientId.slice(0, 200)}`
}
