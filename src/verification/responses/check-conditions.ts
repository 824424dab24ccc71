import type { Json, JsonObject } from '../../crypto/json.ts'
import { isOfType, pathText } from '../../protocols/claim-tree.ts'
import { type DcqlClaimPath, locate, locateInMdoc } from '../../protocols/dcql/claims-path.ts'
import type { DcqlCredential } from '../../protocols/dcql/match.ts'
import type { PathStep } from '../../protocols/dcql/query.ts'
import { isFullDate } from '../../protocols/shape.ts'
import { type Issue, type IssueCode, issue } from '../findings/finding.ts'
import type { Condition, RequestedClaim } from '../templates/attribute-grammar.ts'

type Claims = Pick<DcqlCredential, 'format' | 'claims' | 'positions'>
type Found = { readonly path: DcqlClaimPath; readonly value: Json }
type Picked = Map<string | number, Picked | { readonly value: Json }>

/**
 * Checks the values of disclosed claims against the conditions of the template.
 *
 * @param presented A presentation that passed all other checks. A missing claim is NOT an issue here: the check of the
 *   query finds it.
 */
export function checkConditions(requested: readonly RequestedClaim[], presented: Claims): readonly Issue[] {
  return requested.flatMap(({ path, condition }) => {
    const codes = valuesAt(presented, path).flatMap(({ value }): IssueCode[] => {
      const code = brokenCondition(value, condition)
      if (code !== null) return [code]
      return lacksElements(value, presented) ? ['presentation.elements'] : []
    })
    return [...new Set(codes)].map((code) => issue(code, pathText(path)))
  })
}

/**
 * Returns the requested claims only, with their nesting; of an array the selected elements, in the order of the issuer.
 * [DCQL-21]
 */
export function pickRequested(requested: readonly RequestedClaim[], presented: Claims): JsonObject {
  const root: Picked = new Map()
  for (const { path } of requested) for (const found of valuesAt(presented, path)) place(root, found)
  return Object.fromEntries([...root].map(([name, one]) => [name, toJson(one)]))
}

/** Whether elements of a requested array were withheld, as far as their positions show it: decoys look the same. */
function lacksElements(value: Json, { positions }: Claims): boolean {
  const issued = Array.isArray(value) ? positions?.get(value) : undefined
  return issued !== undefined && (issued.length === 0 || issued.some((position, at) => position !== at))
}

function brokenCondition(value: Json, { type, value: expected, minimum, maximum }: Condition): IssueCode | null {
  if (type !== undefined && !isOfType(value, type)) return 'value.type'
  // [DCQL-4] equal in type and value
  if (expected !== undefined && value !== expected) return 'value.different'
  if (minimum !== undefined) {
    const order = compare(value, minimum)
    if (order === null) return 'value.type'
    if (order < 0) return 'value.below_minimum'
  }
  if (maximum !== undefined) {
    const order = compare(value, maximum)
    if (order === null) return 'value.type'
    if (order > 0) return 'value.above_maximum'
  }
  return null
}

/** Negative, zero or positive; null if the two cannot be compared. Full dates compare as text. */
function compare(value: Json, bound: string | number): number | null {
  if (typeof value === 'number' && typeof bound === 'number') return value - bound
  if (typeof bound !== 'string' || !isFullDate(value)) return null
  return value < bound ? -1 : value > bound ? 1 : 0
}

function valuesAt({ format, claims, positions }: Claims, path: readonly PathStep[]): readonly Found[] {
  const located = format === 'mso_mdoc' ? locateInMdoc(claims, path) : locate(claims, path, positions)
  // The claims were parsed from JSON.
  return typeof located === 'string' ? [] : (located as readonly Found[])
}

function place(root: Picked, { path, value }: Found): void {
  let here = root
  for (const step of path.slice(0, -1)) {
    const next = here.get(step)
    // The whole value was requested as well.
    if (next !== undefined && !(next instanceof Map)) return
    const inner: Picked = next ?? new Map()
    here.set(step, inner)
    here = inner
  }
  here.set(path.at(-1) ?? '', { value })
}

/** Values below an array are placed by their index. */
function toJson(picked: Picked | { readonly value: Json }): Json {
  if (!(picked instanceof Map)) return picked.value
  const entries = [...picked].map(([step, one]) => [step, toJson(one)] as const)
  if (typeof entries[0]?.[0] === 'string') return Object.fromEntries(entries)
  return entries.sort(([one], [other]) => Number(one) - Number(other)).map(([, one]) => one)
}
