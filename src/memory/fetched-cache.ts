/** `bytesMax`: of all entries together. `ttlMs`: how long an entry is kept at most. */
type Bounds = { readonly bytesMax: number; readonly ttlMs: number }

type Entry<T> = { readonly value: T; readonly bytes: number; readonly until: number }
type Share<T> = { readonly entries: Map<string, Entry<T>>; bytes: number }

/** One tenant fills at most this part of a cache. */
const SHARES = 4
/** Memory of an entry besides its value and its key. */
const ENTRY_BYTES = 250

/**
 * Cache of documents that tenants fetch from addresses of their choice: bounded in bytes, with a share for each tenant,
 * so that one tenant cannot evict the entries of others. All tenants read an entry; it counts against the one that
 * fetched it. The least recently used is evicted.
 */
export class FetchedCache<T> {
  readonly #bounds: Bounds
  readonly #shares = new Map<string, Share<T>>()
  readonly #tenantOf = new Map<string, string>()
  #bytes = 0

  constructor(bounds: Bounds) {
    this.#bounds = bounds
  }

  /** Returns the entry if it is fresh at `now`. */
  get(key: string, now: Date): T | undefined {
    const entries = this.#shares.get(this.#tenantOf.get(key) ?? '')?.entries
    const found = entries?.get(key)
    if (entries === undefined || found === undefined) return undefined
    if (found.until <= now.getTime()) {
      this.delete(key)
      return undefined
    }
    entries.delete(key)
    entries.set(key, found)
    return found.value
  }

  /**
   * Keeps an entry for its time to live, or until `until` if that is earlier. An entry larger than the share of a
   * tenant is not kept.
   *
   * @param bytes Size of the value in memory.
   */
  set(key: string, value: T, bytes: number, tenant: string, now: Date, until = Number.POSITIVE_INFINITY): void {
    this.delete(key)
    const entry = {
      value,
      bytes: bytes + 2 * key.length + ENTRY_BYTES,
      until: Math.min(until, now.getTime() + this.#bounds.ttlMs),
    }
    const room = this.#bounds.bytesMax / SHARES
    if (entry.bytes > room) return
    while ((this.#shares.get(tenant)?.bytes ?? 0) + entry.bytes > room) this.#deleteOldest(this.#shares.get(tenant))
    while (this.#bytes + entry.bytes > this.#bounds.bytesMax) this.#deleteOldest(this.#largest())
    const share = this.#shares.get(tenant) ?? { entries: new Map(), bytes: 0 }
    this.#shares.set(tenant, share)
    this.#tenantOf.set(key, tenant)
    share.entries.set(key, entry)
    share.bytes += entry.bytes
    this.#bytes += entry.bytes
  }

  /** Deletes the entry, if present. */
  delete(key: string): void {
    const tenant = this.#tenantOf.get(key) ?? ''
    const share = this.#shares.get(tenant)
    const entry = share?.entries.get(key)
    if (share === undefined || entry === undefined) return
    share.entries.delete(key)
    share.bytes -= entry.bytes
    this.#bytes -= entry.bytes
    this.#tenantOf.delete(key)
    if (share.entries.size === 0) this.#shares.delete(tenant)
  }

  #largest(): Share<T> | undefined {
    let largest: Share<T> | undefined
    for (const share of this.#shares.values()) if (share.bytes > (largest?.bytes ?? 0)) largest = share
    return largest
  }

  #deleteOldest(share: Share<T> | undefined): void {
    const [oldest] = share?.entries.keys() ?? []
    if (oldest !== undefined) this.delete(oldest)
  }
}
