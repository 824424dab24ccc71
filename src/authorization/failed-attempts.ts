import { Recent } from '../directory/recent.ts'
import { Fault } from '../fault.ts'

const ATTEMPTS_MAX = 10
const WINDOW_MS = 60_000
const ENTRIES_MAX = 20_000

/**
 * Counts failed client authentications by client and address, in this process only. An attempt counts from its start, so that many at
 * one time do not slip through together.
 */
export class FailedAttempts {
  readonly #counts = new Recent<{ count: number; readonly until: number }>({
    entriesMax: ENTRIES_MAX,
    ttlMs: WINDOW_MS,
  })

  /** Counts an attempt. @throws Fault `request.rate_limited` if there were 10 within the minute. */
  begin(clientId: string, ip: string, now: Date): void {
    const key = keyOf(clientId, ip)
    const found = this.#counts.get(key, now)
    if (found === undefined) {
      this.#counts.set(key, { count: 1, until: now.getTime() + WINDOW_MS }, now)
    } else if (found.count >= ATTEMPTS_MAX) {
      const retryAfterSeconds = Math.max(1, Math.ceil((found.until - now.getTime()) / 1000))
      throw new Fault('request.rate_limited', { meta: { retryAfterSeconds } })
    } else {
      found.count += 1
    }
  }

  /** Forgets the attempts of a client that has proved itself. */
  succeed(clientId: string, ip: string): void {
    this.#counts.delete(keyOf(clientId, ip))
  }
}

function keyOf(clientId: string, ip: string): string {
  return `${ip} ${clientId.slice(0, 200)}`
}
