import { FairPlaces, type Release } from '../../memory/fair-places.ts'
import type { Memory } from '../../memory/memory.ts'
import { type PlaceName, places } from '../../memory/places.ts'

/**
 * The part of its places that one key alone gets from {@link FairPlaces}, which the keys within it share: two thirds of
 * seven eighths.
 */
const SHARE = 7 / 12

type Bounds = { readonly countMax: number; readonly waitingMax: number }
type Within = { readonly places: FairPlaces; held: number }

/**
 * Places that are shared fairly at several levels: by wide keys, and the share of each by the narrower keys within it.
 * So neither one caller leaves nothing to the others of its tenant, nor one tenant to the other tenants.
 */
class NestedPlaces {
  readonly #bounds: Bounds
  readonly #all: FairPlaces
  /** The shares of which something is held, by the path of their keys. */
  readonly #within = new Map<string, Within>()

  constructor(bounds: Bounds) {
    this.#bounds = bounds
    this.#all = new FairPlaces(bounds)
  }

  /**
   * Takes an amount at all levels, or at none.
   *
   * @param keys Wide to narrow; one that equals that before it is no level of its own.
   * @returns null if one of them has its share
   */
  tryTake(keys: readonly string[], amount = 1): Release | null {
    const taken: Release[] = []
    const releaseAll = () => {
      for (const release of taken.splice(0)) release()
    }
    const levels = keys.filter((key, at) => key !== keys[at - 1])
    for (const [depth, key] of levels.entries()) {
      const release = depth === 0 ? this.#all.tryTake(key, amount) : this.#takeWithin(levels, depth, key, amount)
      if (release === null) {
        releaseAll()
        return null
      }
      taken.push(release)
    }
    return releaseAll
  }

  #takeWithin(levels: readonly string[], depth: number, key: string, amount: number): Release | null {
    const path = JSON.stringify(levels.slice(0, depth))
    const countMax = Math.max(1, Math.floor(this.#bounds.countMax * SHARE ** depth))
    const within = this.#within.get(path) ?? { places: new FairPlaces({ ...this.#bounds, countMax }), held: 0 }
    const release = within.places.tryTake(key, amount)
    if (release === null) return null
    this.#within.set(path, within)
    within.held += 1
    return () => {
      release()
      within.held -= 1
      if (within.held === 0) this.#within.delete(path)
    }
  }
}

/**
 * Returns the places of that name, shared at several levels.
 *
 * @param bounds Those of the table by default; tests set smaller ones before the server is built.
 */
export function nestedPlaces(memory: Memory, name: PlaceName, bounds: Bounds = places[name]): NestedPlaces {
  return memory.single(`nested places ${name}`, () => new NestedPlaces(bounds))
}
