import { isJsonObject, type Json, type JsonObject, memberOf } from '../../crypto/json.ts'
import { isOfType, pathText } from '../../protocols/claim-tree.ts'
import { isFullDate } from '../../protocols/shape.ts'
import { type Issue, type IssueCode, issue } from '../requests/finding.ts'
import type { Condition, RequestedClaim } from '../templates/attribute-grammar.ts'

/**
 * Checks the values of disclosed claims against the conditions of the template.
 *
 * @param claims The processed payload of a presentation that passed all other checks. A missing claim is NOT an issue here: the check of
 *   the query finds it.
 */
export function checkConditions(requested: readonly RequestedClaim[], claims: JsonObject): readonly Issue[] {
  const issues: Issue[] = []
  for (const { path, condition } of requested) {
    const value = valueAt(claims, path)
    if (value === undefined) continue
    const code = brokenCondition(value, condition)
    if (code !== null) issues.push(issue(code, pathText(path)))
  }
  return issues
}

/** Returns the requested claims only, with their nesting. [DCQL-21] */
export function pickRequested(requested: readonly RequestedClaim[], claims: JsonObject): JsonObject {
  const picked: Record<string, Json> = {}
  for (const { path } of requested) {
    const value = valueAt(claims, path)
    if (value !== undefined) place(picked, path, value)
  }
  return picked
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

function valueAt(claims: JsonObject, path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>((at, step) => (isJsonObject(at) ? memberOf(at, step) : undefined), claims)
}

function place(into: Record<string, Json>, path: readonly string[], value: Json): void {
  let here = into
  for (const step of path.slice(0, -1)) {
    const next = Object.hasOwn(here, step) ? here[step] : undefined
    // Every object on the way to a leaf was created here.
    here[step] = isJsonObject(next) ? next : {}
    here = here[step] as Record<string, Json>
  }
  here[path.at(-1) ?? ''] = value
}
