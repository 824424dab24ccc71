import { type Bounds, FairPlaces, type Taking } from './fair-places.ts'

/**
 * Places of which each group has as many as its bounds say, shared fairly by the keys of the group. A group that is
 * idle is forgotten.
 */
export class GroupedPlaces {
  readonly #bounds: Bounds
  readonly #groups = new Map<string, FairPlaces>()

  constructor(bounds: Bounds) {
    this.#bounds = bounds
  }

  /** Runs `work` in a place of the group. @throws as {@link FairPlaces.take} */
  async hold<T>(group: string, key: string, work: () => Promise<T>, taking: Taking = {}): Promise<T> {
    const places = this.#groups.get(group) ?? new FairPlaces(this.#bounds)
    this.#groups.set(group, places)
    try {
      return await places.hold(key, work, taking)
    } finally {
      if (places.isIdle && this.#groups.get(group) === places) this.#groups.delete(group)
    }
  }
}
