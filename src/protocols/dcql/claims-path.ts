import { isJsonObject } from '../../crypto/json.ts'
import { nearestAge } from './nearest-age.ts'
import { dcqlLimits, type PathStep, type WorkBudget } from './query.ts'

/** The path of one selected element, with an index for every `null` of the pointer. */
export type DcqlClaimPath = readonly (string | number)[]

/** One element that a claims path pointer selects. */
export type FoundClaim = { readonly value: unknown; readonly path: DcqlClaimPath }

/**
 * Result of a claims path pointer: the selected elements (never an empty list), or why there are none. `missing`: no
 * such element. `mismatch`: an element does not have the type that the pointer requires. `excessive`: the work budget
 * is exceeded.
 */
export type LocatedClaims = readonly FoundClaim[] | 'missing' | 'mismatch' | 'excessive'

/**
 * The issued position of each remaining element of an array. A verifier sees arrays without their undisclosed elements,
 * but an index in a query refers to the array as issued. An array that is not listed here is complete.
 */
export type IssuedPositions = { get(array: readonly unknown[]): readonly number[] | undefined }

/**
 * Maps the arrays of a processed payload that have undisclosed elements to issued positions.
 *
 * @param arrays The path of each in `root`, and the issued positions of its remaining elements.
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
 * @param positions Verifier side only: issued positions of the elements of incomplete arrays.
 * @param work Work budget, reduced before each element is evaluated.
 * @see [OpenID4VP 1.0, 7.1](https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#name-semantics-for-json-based-cr)
 */
export function locate(
  root: unknown,
  path: readonly PathStep[],
  positions?: IssuedPositions,
  work: WorkBudget = { left: dcqlLimits.elementsMax },
): LocatedClaims {
  // 7: a pointer is a non-empty array.
  if (path.length === 0) return 'mismatch'
  let selected: FoundClaim[] = [{ value: root, path: [] }]
  for (const step of path) {
    const next: FoundClaim[] = []
    for (const one of selected) {
      work.left -= step === null && Array.isArray(one.value) ? one.value.length : 1
      if (work.left < 0) return 'excessive'
      if (!applyStep(one, step, positions, next)) return 'mismatch'
    }
    // OpenID4VP 1.0, 7.1.1: an empty selection is an error.
    if (next.length === 0) return 'missing'
    selected = next
  }
  return selected
}

/**
 * Evaluates a claims path pointer on the name spaces of an mdoc: namespace, then element identifier. An age
 * attestation of a driving licence is answered by the nearest one that decides it.
 *
 * @see [OpenID4VP 1.0, 7.2](https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#name-semantics-for-iso-mdoc-base)
 */
export function locateInMdoc(nameSpaces: unknown, path: readonly PathStep[]): LocatedClaims {
  const [namespace, element] = path
  if (path.length !== 2 || typeof namespace !== 'string' || typeof element !== 'string') return 'mismatch'
  if (!isJsonObject(nameSpaces) || !Object.hasOwn(nameSpaces, namespace)) return 'missing'
  const elements = nameSpaces[namespace]
  if (!isJsonObject(elements)) return 'missing'
  const found = Object.hasOwn(elements, element) ? element : nearestAge(namespace, element, elements)
  return found === null ? 'missing' : [{ value: elements[found], path: [namespace, found] }]
}

/** Adds to `next` what `step` selects in `from`; false if the step does not match its type. */
function applyStep(
  from: FoundClaim,
  step: PathStep,
  positions: IssuedPositions | undefined,
  next: FoundClaim[],
): boolean {
  const { value, path } = from
  if (typeof step === 'string') {
    // OpenID4VP 1.0, 7.1.1: a string on anything but an object is an error; an absent key only removes the element.
    if (!isJsonObject(value)) return false
    if (Object.hasOwn(value, step)) next.push({ value: value[step], path: [...path, step] })
    return true
  }
  // OpenID4VP 1.0, 7.1.1: null and integers on anything but an array are errors.
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
