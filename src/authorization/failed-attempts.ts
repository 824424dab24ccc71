import { Recent } from '../directory/recent.ts'
import { Fault } from '../fault.ts'

const ATTEMPTS_MAX = 10
const WINDOW_MS = 60_000
const ENTRIES_MAX = 20_000

/** Counts failed client authentications by client and address, in this process only. */
export class FailedAttempts {
  readonly #counts = new Recent<{ count: number; readonly until: number }>({
    entriesMax: ENTRIES_MAX,
    ttlMs: WINDOW_MS,
  })

  /** Lets an attempt begin. @throws Fault `request.rate_limited` if 10 were counted within the minute */
  admit(clientId: string, ip: string, now: Date): void {
    const found = this.#counts.get(keyOf(clientId, ip), now)
    if (found === undefined || found.count < ATTEMPTS_MAX) return
    const retryAfterSeconds = Math.max(1, Math.ceil((found.until - now.getTime()) / 1000))
    throw new Fault('request.rate_limited', { meta: { retryAfterSeconds } })
  }

  /** Counts an attempt: a failed one, or one whose outcome takes long, so that many at one time do not slip through together. */
  count(clientId: string, ip: string, now: Date): void {
    const key = keyOf(clientId, ip)
    const found = this.#counts.get(key, now)
    if (found === undefined) this.#counts.set(key, { count: 1, until: now.getTime() + WINDOW_MS }, now)
    else found.count += 1
  }

  /** Forgets the attempts of a client that has proved itself. */
  succeed(clientId: string, ip: string): void {
    this.#counts.delete(keyOf(clientId, ip))
  }
}

function keyOf(clientId: string, ip: string): string {
  return `${ip} ${clientId.slice(0, 200)}`
}
