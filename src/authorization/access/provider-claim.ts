import { isRole, type Role } from '../../caller.ts'
import { isJsonObject, type JsonObject, memberOf, parseJson } from '../../crypto/json.ts'
import { Fault } from '../../fault.ts'
import { stepsOf } from '../../json-pointer.ts'
import type { IdentityProvider } from './identity-provider.ts'

/** Returns a claim by its name, or by a JSON pointer. */
export function claimOf(claims: JsonObject, name: string): unknown {
  if (!name.startsWith('/')) return memberOf(claims, name)
  let value: unknown = claims
  for (const step of stepsOf(name)) value = isJsonObject(value) ? memberOf(value, step) : undefined
  return value
}

/**
 * Returns a claim that is one text: a text, a number, or an array of one of them, as providers write whose attributes
 * have several values. null: anything else, several values among it, of which none is the right one.
 */
export function oneTextOf(claim: unknown): string | null {
  const values: readonly unknown[] = Array.isArray(claim) ? claim : [claim]
  const [value] = values
  if (values.length > 1) return null
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null
}

/**
 * Returns our roles, sorted, for those that a provider states; null if it is not asked for roles, or states none: a
 * claim that is absent is unknown, not empty. Entra ID leaves out `groups` of a person who is in many, and names it in
 * `_claim_names` instead (OpenID Connect Core 1.0, 5.6.2). Roles that the map does not name give nothing. The names of
 * an object's members are roles too, and so are the elements of an array that is written as a text. All of them count,
 * however many: what was read from a provider bounds them. A claim of which nothing is a name, such as the array of
 * objects of VMware Identity Broker, is unknown as well.
 *
 * @param stated Sources of claims: the first that has the claim counts.
 */
export function mappedRoles(
  { claims, roles }: Pick<IdentityProvider, 'claims' | 'roles'>,
  ...stated: readonly JsonObject[]
): readonly Role[] | null {
  const name = claims.roles
  if (name === null) return null
  const value = stated.map((one) => claimOf(one, name)).find((one) => one !== undefined && one !== null)
  if (value === undefined) return null
  const stating = statedNames(value)
  const names = stating.filter((one) => typeof one === 'string')
  if (names.length === 0 && stating.length > 0) return null
  const mapped = names.flatMap((one): readonly Role[] => (Object.hasOwn(roles, one) ? (roles[one] ?? []) : []))
  return [...new Set(mapped.filter(isRole))].toSorted()
}

function statedNames(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  if (typeof value === 'string') return [value, ...elementsIn(value)]
  return isJsonObject(value) ? Object.keys(value) : [value]
}

/** Returns the elements of an array that is written as a text; none of another text. */
function elementsIn(text: string): readonly unknown[] {
  if (!text.trimStart().startsWith('[')) return []
  try {
    const value = parseJson(text)
    return Array.isArray(value) ? value : []
  } catch (error) {
    if (error instanceof Fault || error instanceof SyntaxError) return []
    throw error
  }
}
