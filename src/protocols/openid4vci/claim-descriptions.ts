import type { Json, JsonObject } from '../../crypto/json.ts'
import { locate } from '../dcql/claims-path.ts'
import type { PathStep } from '../dcql/query.ts'

/**
 * What the paths through a claim imply: nothing, an object, or an array addressed by null (`all`) or by index (`each`).
 */
type Node = { kind: 'object' | 'all' | 'each' | null; isDescribed: boolean; readonly below: Map<PathStep, Node> }

/**
 * Whether claims descriptions are contradictory: a claim is described twice, an array both by null and by an index, or
 * a claim both as object and as array. [VCI-M15]
 *
 * @see [OpenID4VCI 1.0, B.3](https://openid.net/specs/openid-4-verifiable-credential-issuance-1_0.html#name-claims-description)
 */
export function isContradictory(descriptions: readonly JsonObject[]): boolean {
  const root = newNode()
  return !descriptions.every(({ path }) => !isPath(path) || describe(root, path))
}

/** Returns the paths of mandatory claims that a credential does not have. [W-R5] */
export function missingMandatoryClaims(
  descriptions: readonly JsonObject[],
  claims: Json,
): readonly (readonly PathStep[])[] {
  return descriptions.flatMap(({ path, mandatory }) =>
    mandatory === true && isPath(path) && locate(claims, path) === 'missing' ? [path] : [],
  )
}

function describe(root: Node, path: readonly PathStep[]): boolean {
  let at = root
  for (const step of path) {
    const kind = step === null ? 'all' : typeof step === 'number' ? 'each' : 'object'
    if ((at.kind ?? kind) !== kind) return false
    at.kind = kind
    const next = at.below.get(step) ?? newNode()
    at.below.set(step, next)
    at = next
  }
  const isNew = !at.isDescribed
  at.isDescribed = true
  return isNew
}

function newNode(): Node {
  return { kind: null, isDescribed: false, below: new Map() }
}

function isPath(path: Json | undefined): path is readonly PathStep[] {
  const isStep = (step: Json) => step === null || typeof step === 'string' || typeof step === 'number'
  return Array.isArray(path) && path.length > 0 && path.every(isStep)
}
