import { type ByteCacheName, caches, type EntryCacheName } from './caches.ts'
import { FetchedCache } from './fetched-cache.ts'
import { Recent } from './recent.ts'

/**
 * What one server remembers between requests: the caches of the table in `caches.ts`, and single objects that bound themselves. It belongs to
 * the platform, so two servers in one process share nothing.
 */
export class Memory {
  readonly #made = new Map<string, unknown>()

  /** The cache of that name. Every caller of a name uses the same types. */
  cache<T, K extends string | number = string>(name: EntryCacheName): Recent<T, K> {
    const { entriesMax, ttlSeconds } = caches[name]
    return this.single(name, () => new Recent<T, K>({ entriesMax, ttlMs: ttlSeconds * 1000 }))
  }

  /** As {@link cache}, for documents that tenants fetch from foreign addresses. */
  fetched<T>(name: ByteCacheName): FetchedCache<T> {
    const { bytesMax, ttlSeconds } = caches[name]
    return this.single(name, () => new FetchedCache<T>({ bytesMax, ttlMs: ttlSeconds * 1000 }))
  }

  /** An object of which there is one for each server. @param make Makes it at the first call; it must bound itself. */
  single<T>(name: string, make: () => T): T {
    // Each name is used with one type, by the module that owns it.
    if (this.#made.has(name)) return this.#made.get(name) as T
    const made = make()
    this.#made.set(name, made)
    return made
  }
}
