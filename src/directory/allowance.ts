import { Fault } from '../fault.ts'
import { Recent } from './recent.ts'

/** So often in so long; of so many keys at most, the least recently used are forgotten first. */
type Bounds = { readonly countMax: number; readonly windowMs: number; readonly keysMax: number }

/** Counts how often something happened by key, in this process only, in windows that begin with the first time. */
export class Allowance {
  readonly #bounds: Bounds
  readonly #counts: Recent<{ count: number; readonly until: number }>

  constructor(bounds: Bounds) {
    this.#bounds = bounds
    this.#counts = new Recent({ entriesMax: bounds.keysMax, ttlMs: bounds.windowMs })
  }

  /** @throws Fault `request.rate_limited` if the window has had its number */
  admit(key: string, now: Date): void {
    const found = this.#counts.get(key, now)
    if (found === undefined || found.count < this.#bounds.countMax) return
    const retryAfterSeconds = Math.max(1, Math.ceil((found.until - now.getTime()) / 1000))
    throw new Fault('request.rate_limited', { meta: { retryAfterSeconds } })
  }

  /** Counts one more time, or with -1 one less, down to none. */
  count(key: string, now: Date, by: 1 | -1 = 1): void {
    const found = this.#counts.get(key, now)
    if (found !== undefined) found.count = Math.max(0, found.count + by)
    else if (by === 1) this.#counts.set(key, { count: 1, until: now.getTime() + this.#bounds.windowMs }, now)
  }

  /** Starts anew for a key. */
  forget(key: string): void {
    this.#counts.delete(key)
  }
}

/**
 * What of an address is counted: an IPv4 address, or the /64 of an IPv6 one, which is what one caller has to choose from.
 *
 * @returns null for the machine itself: our own wallet calls from there for all its users, and so does a proxy that was not declared
 * (`TRUST_PROXY`), behind which one caller could lock out all others.
 */
export function networkOf(ip: string): string | null {
  const v4 = /^(?:::ffff:)?(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1]
  if (v4 !== undefined) return v4.startsWith('127.') ? null : v4
  if (ip === '::1') return null
  const [head = '', tail = ''] = ip.toLowerCase().split('::')
  const [first, last] = [groupsOf(head), groupsOf(tail)]
  const zeros = Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => '0')
  return [...first, ...zeros, ...last].slice(0, 4).join(':')
}

function groupsOf(text: string): string[] {
  return text.split(':').filter((group) => group !== '')
}
