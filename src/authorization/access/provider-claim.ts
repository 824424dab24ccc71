import { isRole, type Role } from '../../caller.ts'
import { isJsonObject, type JsonObject, memberOf } from '../../crypto/json.ts'
import { stepsOf } from '../../json-pointer.ts'
import type { IdentityProvider } from './identity-provider.ts'

const ROLES_MAX = 500

/** Returns a claim by its name, or by a JSON pointer. */
export function claimOf(claims: JsonObject, name: string): unknown {
  if (!name.startsWith('/')) return memberOf(claims, name)
  let value: unknown = claims
  for (const step of stepsOf(name)) value = isJsonObject(value) ? memberOf(value, step) : undefined
  return value
}

/** Returns our roles for those that a provider states; null if it is not asked for roles. Roles that the map does not name give nothing. */
export function mappedRoles({ claims, roles }: Pick<IdentityProvider, 'claims' | 'roles'>, stated: JsonObject) {
  if (claims.roles === null) return null
  const value = claimOf(stated, claims.roles) ?? []
  const names = (Array.isArray(value) ? value : [value]).slice(0, ROLES_MAX)
  const mapped = names.flatMap((one): readonly Role[] =>
    typeof one === 'string' && Object.hasOwn(roles, one) ? (roles[one] ?? []) : [],
  )
  return [...new Set(mapped.filter(isRole))]
}
