/** Where a value stands in a JSON document: member names and array indices, from the root. */
export type ValuePath = readonly (string | number)[]

/**
 * A claims path pointer: as {@link ValuePath}, and null stands for every element of an array.
 *
 * @see [OpenID4VP 1.0, 7](https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#name-claims-path-pointer)
 */
export type ClaimPath = readonly (string | number | null)[]

/** Whether a pointer selects the value at a path, or a value above or below it. */
export function touches(pointer: ClaimPath, path: ValuePath): boolean {
  const length = Math.min(pointer.length, path.length)
  for (let at = 0; at < length; at++) {
    const wanted = pointer[at]
    const found = path[at]
    if (wanted === null ? typeof found !== 'number' : wanted !== found) return false
  }
  return true
}
