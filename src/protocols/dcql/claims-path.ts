import { isJsonObject } from '../../crypto/json.ts'
import { dcqlLimits, type PathStep, type Work } from './query.ts'

/** Where one selected element stands, every `null` of the pointer replaced by an index. */
export type DcqlClaimPath = readonly (string | number)[]

/** One element that a claims path pointer selects. */
export type FoundClaim = { readonly value: unknown; readonly path: DcqlClaimPath }

/**
 * What a claims path pointer comes to: the selected elements (never an empty list), or why there are none.
 * `missing`: nothing stands there. `mismatch`: the pointer treats an element as something that it is not. `excessive`: it selects more
 * than may be evaluated.
 */
export type LocatedClaims = readonly FoundClaim[] | 'missing' | 'mismatch' | 'excessive'

/**
 * Which issued position each remaining element of an array had. A verifier sees arrays without their undisclosed elements, and an
 * index of a query means the array as issued; an array that is not listed here lost nothing.
 */
export type IssuedPositions = { get(array: readonly unknown[]): readonly number[] | undefined }

/**
 * Finds the arrays that lost elements in a processed payload.
 *
 * @param arrays Where each of them stands in `root`, and where its remaining elements stood when it was issued.
 */
export function issuedPositions(
  root: unknown,
  arrays: readonly { readonly path: DcqlClaimPath; readonly issued: readonly number[] }[],
): IssuedPositions {
  const positions = new Map<readonly unknown[], readonly number[]>()
  for (const { path, issued } of arrays) {
    const located = locate(root, path)
    const array = typeof located === 'string' ? null : located[0]?.value
    if (Array.isArray(array)) positions.set(array, issued)
  }
  return positions
}

/**
 * Evaluates a claims path pointer on JSON.
 *
 * @param positions Verifier side only: issued positions of the elements of arrays that lost some.
 * @param work What each element is taken off before it is looked at.
 * @see [OpenID4VP 1.0, 7.1](https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#name-semantics-for-json-based-cr)
 */
export function locate(
  root: unknown,
  path: readonly PathStep[],
  positions?: IssuedPositions,
  work: Work = { left: dcqlLimits.elementsMax },
): LocatedClaims {
  // 7: a pointer is a non-empty array.
  if (path.length === 0) return 'mismatch'
  let selected: FoundClaim[] = [{ value: root, path: [] }]
  for (const step of path) {
    const next: FoundClaim[] = []
    for (const one of selected) {
      work.left -= step === null && Array.isArray(one.value) ? one.value.length : 1
      if (work.left < 0) return 'excessive'
      if (!take(one, step, positions, next)) return 'mismatch'
    }
    // 7.1.1: an empty selection is an error.
    if (next.length === 0) return 'missing'
    selected = next
  }
  return selected
}

/**
 * Evaluates a claims path pointer on the name spaces of an mdoc: namespace, then element identifier.
 *
 * @see [OpenID4VP 1.0, 7.2](https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#name-semantics-for-iso-mdoc-base)
 */
export function locateInMdoc(nameSpaces: unknown, path: readonly PathStep[]): LocatedClaims {
  const [namespace, element] = path
  if (path.length !== 2 || typeof namespace !== 'string' || typeof element !== 'string') return 'mismatch'
  if (!isJsonObject(nameSpaces) || !Object.hasOwn(nameSpaces, namespace)) return 'missing'
  const elements = nameSpaces[namespace]
  if (!isJsonObject(elements) || !Object.hasOwn(elements, element)) return 'missing'
  return [{ value: elements[element], path: [namespace, element] }]
}

/** Adds to `next` what `step` selects below `from`; false if the step does not fit what stands there. */
function take(from: FoundClaim, step: PathStep, positions: IssuedPositions | undefined, next: FoundClaim[]): boolean {
  const { value, path } = from
  if (typeof step === 'string') {
    // 7.1.1: a string on anything but an object is an error; an absent key only removes the element.
    if (!isJsonObject(value)) return false
    if (Object.hasOwn(value, step)) next.push({ value: value[step], path: [...path, step] })
    return true
  }
  // 7.1.1: null and integers on anything but an array are errors.
  if (!Array.isArray(value)) return false
  const issued = positions?.get(value)
  if (step === null) {
    for (const [i, element] of value.entries()) next.push({ value: element, path: [...path, issued?.[i] ?? i] })
    return true
  }
  if (!Number.isInteger(step) || step < 0) return false
  const index = issued === undefined ? step : issued.indexOf(step)
  if (index >= 0 && index < value.length) next.push({ value: value[index], path: [...path, step] })
  return true
}
