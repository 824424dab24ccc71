import { type ByteCacheName, caches, type EntryCacheName } from './caches.ts'
import { FairPlaces } from './fair-places.ts'
import { FetchedCache } from './fetched-cache.ts'
import { GroupedPlaces } from './grouped-places.ts'
import { type GroupedPlaceName, type PlaceName, places } from './places.ts'
import { Recent } from './recent.ts'

/**
 * The caches of one server, by the names in `caches.ts`, its places, by those in `places.ts`, and single objects with
 * bounds of their own. It belongs to the platform, so two servers in one process share nothing.
 */
export class Memory {
  readonly #made = new Map<string, unknown>()

  /** Returns the cache of that name. Each name is used with one type. */
  cache<T, K extends string | number = string>(name: EntryCacheName): Recent<T, K> {
    const { entriesMax, ttlSeconds } = caches[name]
    return this.single(name, () => new Recent<T, K>({ entriesMax, ttlMs: ttlSeconds * 1000 }))
  }

  /** Returns a cache for documents that tenants fetch from foreign addresses. */
  fetched<T>(name: ByteCacheName): FetchedCache<T> {
    const { bytesMax, ttlSeconds } = caches[name]
    return this.single(name, () => new FetchedCache<T>({ bytesMax, ttlMs: ttlSeconds * 1000 }))
  }

  /** Returns the places of that name, which keys share fairly. */
  places(name: Exclude<PlaceName, GroupedPlaceName>): FairPlaces {
    return this.single(`places ${name}`, () => new FairPlaces(places[name]))
  }

  /** Returns the places of that name, of which each group has its own. */
  groupedPlaces(name: GroupedPlaceName): GroupedPlaces {
    return this.single(`places ${name}`, () => new GroupedPlaces(places[name]))
  }

  /** Returns the one object of that name. @param make Creates it at the first call; it must bound its own size. */
  single<T>(name: string, make: () => T): T {
    if (!this.#made.has(name)) this.#made.set(name, make())
    // Each name is used with one type, by the module that owns it.
    return this.#made.get(name) as T
  }
}
