type Bounds = { readonly entriesMax: number; readonly ttlMs: number }

/**
 * Cache with a bound on its entries and a time to live; the least recently used entry is evicted.
 *
 * Use numbers as keys where most keys are read once: V8 interns each string that a Map looks up, which costs at each
 * garbage collection.
 */
export class Recent<T, K extends string | number = string> {
  readonly #entries = new Map<K, { readonly value: T; readonly until: number }>()
  readonly #bounds: Bounds

  constructor(bounds: Bounds) {
    this.#bounds = bounds
  }

  /** Returns the entry if it is fresh at `now`. */
  get(key: K, now: Date): T | undefined {
    const found = this.#entries.get(key)
    if (found === undefined) return undefined
    this.#entries.delete(key)
    if (found.until <= now.getTime()) return undefined
    this.#entries.set(key, found)
    return found.value
  }

  /** Keeps an entry for its time to live, or until `until` if that is earlier. */
  set(key: K, value: T, now: Date, until = Number.POSITIVE_INFINITY): void {
    this.#entries.delete(key)
    if (this.#entries.size >= this.#bounds.entriesMax) this.#deleteOldest()
    this.#entries.set(key, { value, until: Math.min(until, now.getTime() + this.#bounds.ttlMs) })
  }

  delete(key: K): void {
    this.#entries.delete(key)
  }

  clear(): void {
    this.#entries.clear()
  }

  #deleteOldest(): void {
    const [oldest] = this.#entries.keys()
    if (oldest !== undefined) this.#entries.delete(oldest)
  }
}

/**
 * Returns the fresh entry, or the result of `make`, which is cached. A rejection is not cached: the next caller tries
 * again.
 */
export function remembered<T, K extends string | number>(
  cache: Recent<Promise<T>, K>,
  key: K,
  now: Date,
  make: () => Promise<T>,
): Promise<T> {
  const known = cache.get(key, now)
  if (known !== undefined) return known
  const making = make()
  cache.set(key, making, now)
  making.catch(() => cache.delete(key))
  return making
}
