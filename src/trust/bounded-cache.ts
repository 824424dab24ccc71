/** Values by name, each for a while, the oldest let go when there are too many. */
export type BoundedCache<V> = {
  /** The value, unless its time is over. `nowMs`: milliseconds since the epoch. */
  readonly get: (name: string, nowMs: number) => V | undefined
  readonly set: (name: string, value: V, untilMs: number) => void
  readonly delete: (name: string) => void
}

/** Makes a cache of at most `entriesMax` values. What is set again counts as new. */
export function boundedCache<V>(entriesMax: number): BoundedCache<V> {
  const entries = new Map<string, { readonly value: V; readonly untilMs: number }>()
  return {
    get: (name, nowMs) => {
      const entry = entries.get(name)
      if (entry === undefined || entry.untilMs > nowMs) return entry?.value
      entries.delete(name)
      return undefined
    },
    set: (name, value, untilMs) => {
      entries.delete(name)
      if (entries.size >= entriesMax) entries.delete(entries.keys().next().value ?? '')
      entries.set(name, { value, untilMs })
    },
    delete: (name) => {
      entries.delete(name)
    },
  }
}
