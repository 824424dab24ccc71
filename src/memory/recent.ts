/** How many entries, and for how long. */
type Bounds = { readonly entriesMax: number; readonly ttlMs: number }

/**
 * Answers that may be a little old: bounded in number and in age; the least recently used goes first.
 *
 * A key that hardly anybody names twice is better a number than a text: V8 takes up each text that a Map is asked for into the table of all
 * property names, where it costs again at each collection.
 */
export class Recent<T, K extends string | number = string> {
  readonly #entries = new Map<K, { readonly value: T; readonly until: number }>()
  readonly #bounds: Bounds

  constructor(bounds: Bounds) {
    this.#bounds = bounds
  }

  /** The entry if it is fresh at `now`. */
  get(key: K, now: Date): T | undefined {
    const found = this.#entries.get(key)
    if (found === undefined) return undefined
    const isOver = found.until <= now.getTime()
    // Who was asked for last is told only where that may soon decide who goes: it costs as much again as the look-up.
    if (!isOver && this.#entries.size * 2 < this.#bounds.entriesMax) return found.value
    this.#entries.delete(key)
    if (isOver) return undefined
    this.#entries.set(key, found)
    return found.value
  }

  /** Keeps an entry until its time to live has passed, or until `until` if that is sooner. */
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

/** The fresh entry, or what `make` gives, which is kept. A failure is not kept: the next caller tries again. */
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
