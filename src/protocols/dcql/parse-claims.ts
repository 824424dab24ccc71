import { isJsonObject } from '../../crypto/json.ts'
import { identifier, invalidQuery, list, optionalBoolean } from './checks.ts'
import { type ClaimQuery, type ClaimValue, dcqlLimits, type PathStep } from './query.ts'

/**
 * Parses the `claims` of one credential query.
 *
 * @throws Fault `dcql.invalid`
 * @see [OpenID4VP 1.0, 6.3](https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#name-claims-query)
 */
export function parseClaims(value: unknown, format: string, hasClaimSets: boolean, at: string): readonly ClaimQuery[] {
  if (value === undefined) return []
  const claims = list(value, `${at}/claims`, dcqlLimits.claimsMax).map((one, i) =>
    parseClaim(one, format, hasClaimSets, `${at}/claims/${i}`),
  )
  const ids = claims.flatMap((one) => one.id ?? [])
  // OpenID4VP 1.0, 6.3: a claim id MUST be unique within the array.
  if (new Set(ids).size !== ids.length) throw invalidQuery(`${at}/claims`, 'two claims have the same id')
  const pointers = new Map<string, number>()
  return claims.map((claim, position) => {
    const key = JSON.stringify(claim.path)
    const pointer = pointers.get(key) ?? position
    pointers.set(key, pointer)
    return { ...claim, pointer }
  })
}

/** Merges `claims` and `claim_sets` into one list of options. @throws Fault `dcql.invalid` */
export function parseOptions(
  value: unknown,
  claims: readonly ClaimQuery[],
  at: string,
): readonly (readonly ClaimQuery[])[] {
  // OpenID4VP 1.0, 6.4.1: without claim_sets all listed claims are requested; without claims no selectively disclosable
  // ones.
  if (value === undefined) return [claims]
  // OpenID4VP 1.0, 6.1: `claim_sets` MUST NOT be present without `claims`.
  if (claims.length === 0) throw invalidQuery(`${at}/claim_sets`, 'needs claims')
  const byId = new Map(claims.map((claim) => [claim.id, claim]))
  return list(value, `${at}/claim_sets`, dcqlLimits.optionsMax).map((set, i) =>
    list(set, `${at}/claim_sets/${i}`, dcqlLimits.claimsMax).map((id, j) => {
      const claim = byId.get(identifier(id, `${at}/claim_sets/${i}/${j}`))
      if (claim === undefined) throw invalidQuery(`${at}/claim_sets/${i}/${j}`, 'names no claim')
      return claim
    }),
  )
}

function parseClaim(value: unknown, format: string, needsId: boolean, at: string): Omit<ClaimQuery, 'pointer'> {
  if (!isJsonObject(value)) throw invalidQuery(at, 'must be an object')
  // OpenID4VP 1.0, 6.3: `id` is REQUIRED if claim_sets is present.
  if (needsId && value.id === undefined) throw invalidQuery(`${at}/id`, 'is required where claim_sets is used')
  return {
    id: value.id === undefined ? null : identifier(value.id, `${at}/id`),
    path: parsePath(value.path, format, `${at}/path`),
    values: parseValues(value.values, `${at}/values`),
    intentToRetain: optionalBoolean(value.intent_to_retain, null, `${at}/intent_to_retain`),
  }
}

function parsePath(value: unknown, format: string, at: string): readonly PathStep[] {
  const path = list(value, at, dcqlLimits.pathStepsMax).map((step, i) => {
    if (!isStep(step)) throw invalidQuery(`${at}/${i}`, 'must be a string, null or a non-negative integer')
    return step
  })
  // OpenID4VP 1.0, 7.2: a pointer into an mdoc is a namespace and an element identifier.
  if (format === 'mso_mdoc' && (path.length !== 2 || path.some((step) => typeof step !== 'string'))) {
    throw invalidQuery(at, 'must be a namespace and an element identifier')
  }
  return path
}

function isStep(step: unknown): step is PathStep {
  if (typeof step === 'string') return step.length <= dcqlLimits.textLengthMax
  return step === null || (Number.isSafeInteger(step) && Number(step) >= 0)
}

function parseValues(value: unknown, at: string): readonly ClaimValue[] | null {
  if (value === undefined) return null
  return list(value, at, dcqlLimits.valuesMax).map((one, i) => {
    // OpenID4VP 1.0, 6.3: strings, integers and booleans only.
    if (!isClaimValue(one)) throw invalidQuery(`${at}/${i}`, 'must be a string, an integer or a boolean')
    return one
  })
}

function isClaimValue(one: unknown): one is ClaimValue {
  if (typeof one === 'string') return one.length <= dcqlLimits.textLengthMax
  return typeof one === 'boolean' || Number.isSafeInteger(one)
}
