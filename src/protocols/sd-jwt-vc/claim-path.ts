/** The path of a value in a JSON document: member names and array indices, from the root. */
export type ValuePath = readonly (string | number)[]

/**
 * A claims path pointer: as {@link ValuePath}, with null for every element of an array.
 *
 * @see [OpenID4VP 1.0, 7](https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#name-claims-path-pointer)
 */
export type ClaimPath = readonly (string | number | null)[]

/** A tree of pointers, in which the look-up of a path takes time by its length, not by the number of pointers. */
export class PathSet {
  readonly #below = new Map<string | number | null, PathSet>()
  #isEnd = false

  constructor(pointers: Iterable<ClaimPath> = []) {
    for (const pointer of pointers) {
      let at: PathSet = this
      for (const step of pointer) {
        const next = at.#below.get(step) ?? new PathSet()
        at.#below.set(step, next)
        at = next
      }
      at.#isEnd = true
    }
  }

  /** Whether one of the pointers selects the value at a path, or a value above or below it. */
  touches(path: ValuePath, from = 0): boolean {
    const step = path[from]
    if (this.#isEnd || step === undefined) return this.#isEnd || this.#below.size > 0
    if (this.#below.get(step)?.touches(path, from + 1)) return true
    return typeof step === 'number' && this.#below.get(null)?.touches(path, from + 1) === true
  }
}
