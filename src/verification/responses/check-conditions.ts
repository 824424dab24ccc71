import { isJsonObject, type Json, type JsonObject, memberOf } from '../../crypto/json.ts'
import { type Issue, type IssueCode, issue } from '../requests/finding.ts'
import { type Condition, isFullDate, type RequestedClaim } from '../templates/attribute-grammar.ts'

/**
 * Checks the values of disclosed claims against what the template demands of them.
 *
 * @param claims The processed payload of a presentation that passed all other checks. A claim that is not there is left to the check of
 *   the query.
 */
export function checkConditions(wanted: readonly RequestedClaim[], claims: JsonObject): readonly Issue[] {
  const issues: Issue[] = []
  for (const { path, condition } of wanted) {
    const value = valueAt(claims, path)
    if (value === undefined) continue
    const code = objectionTo(value, condition)
    if (code !== null) issues.push(issue(code, path.join('.')))
  }
  return issues
}

/** The claims that were asked for and nothing else, nested as they were asked for. [DCQL-21] */
export function pickRequested(wanted: readonly RequestedClaim[], claims: JsonObject): JsonObject {
  const picked: Record<string, Json> = {}
  for (const { path } of wanted) {
    const value = valueAt(claims, path)
    if (value !== undefined) place(picked, path, value)
  }
  return picked
}

function objectionTo(value: Json, { type, value: demanded, minimum, maximum }: Condition): IssueCode | null {
  if (type === 'date' ? !isFullDate(value) : type !== undefined && typeof value !== type) return 'value.type'
  // [DCQL-4] equal in type and value
  if (demanded !== undefined && value !== demanded) return 'value.different'
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

/** Negative, zero or positive; null where the two cannot be compared. Full dates order as text. */
function compare(value: Json, bound: string | number): number | null {
  if (typeof value === 'number' && typeof bound === 'number') return value - bound
  if (typeof bound !== 'string' || !isFullDate(value)) return null
  return value < bound ? -1 : value > bound ? 1 : 0
}

function valueAt(claims: JsonObject, path: readonly string[]): Json | undefined {
  let here: Json | undefined = claims
  for (const step of path) here = isJsonObject(here) ? memberOf(here, step) : undefined
  return here
}

function place(into: Record<string, Json>, path: readonly string[], value: Json): void {
  let here = into
  for (const step of path.slice(0, -1)) {
    const next = Object.hasOwn(here, step) ? here[step] : undefined
    // Nothing but objects that were made here stands on the way to a leaf.
    const made = isJsonObject(next) ? (next as Record<string, Json>) : {}
    here[step] = made
    here = made
  }
  here[path.at(-1) ?? ''] = value
}
