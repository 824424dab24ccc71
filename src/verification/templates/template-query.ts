import type { Json, JsonObject } from '../../crypto/json.ts'
import type { PathStep } from '../../protocols/dcql/query.ts'
import { vpFormatsSupported } from '../../protocols/openid4vp/request-object.ts'
import { type RequestedClaim, readRequestedAttributes } from './attribute-grammar.ts'
import type { TemplateContent, TemplateCredential, VerifierConfig } from './presentation-template.ts'

type TemplateSet = NonNullable<VerifierConfig['credentialSets']>[number]

/** What a request stores of its template; later changes to the template do not affect it. */
export type TemplateSnapshot = Pick<TemplateContent, 'credentials' | 'verifierConfig'>

/** Returns the DCQL query id of the template's credential at a position. */
export function queryIdOf(position: number): string {
  return `c${position}`
}

/**
 * Returns the DCQL query of a template.
 *
 * Conditions are not part of it: the verifier would learn from a refusal about values that the holder did not disclose
 * (OpenID4VP 1.0, 15.4.1), and DCQL has no ranges. They are checked after disclosure. `values` are, since the template
 * says so.
 *
 * @param authorities Key identifiers of accepted authorities by position, where the template states none. A response is
 *   checked without them: `trustedIssuers` is the stronger condition.
 * @see [OpenID4VP 1.0, 6](https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#name-digital-credentials-query-l)
 */
export function queryOf(
  { credentials, verifierConfig }: TemplateSnapshot,
  authorities: ReadonlyMap<number, readonly string[]> = new Map(),
): JsonObject {
  const sets = setsOf(credentials, verifierConfig?.credentialSets ?? [])
  return {
    credentials: credentials.map((credential, position) => {
      const requested = requestedClaimsOf(credential)
      const { claimSets = [] } = credential
      const claims = requested.map(({ path, values, intentToRetain }, at) => ({
        // OpenID4VP 1.0, 6.3: required with claim_sets
        ...(claimSets.length > 0 && { id: claimIdOf(at) }),
        path,
        ...(values !== undefined && { values }),
        // OpenID4VP 1.0, B.2.4
        ...(intentToRetain !== undefined && { intent_to_retain: intentToRetain }),
      }))
      return {
        id: queryIdOf(position),
        ...formatOf(credential),
        ...rulesOf(credential, authorities.get(position) ?? []),
        // OpenID4VP 1.0, 6.1: `claims` is left out rather than empty
        ...(claims.length > 0 && { claims }),
        ...(claimSets.length > 0 && {
          claim_sets: claimSets.map((set) => set.map((one) => claimIdOf(claimPositionOf(one, requested) ?? 0))),
        }),
      }
    }),
    ...(sets.length > 0 && { credential_sets: sets }),
  }
}

function claimIdOf(position: number): string {
  return `a${position}`
}

/**
 * Returns the position of a claim among the requested ones, by the name of an attribute or its path; null if there is
 * none.
 */
export function claimPositionOf(
  reference: string | readonly PathStep[],
  requested: readonly Pick<RequestedClaim, 'path'>[],
): number | null {
  const text = JSON.stringify(typeof reference === 'string' ? [reference] : reference)
  const position = requested.findIndex(({ path }) => JSON.stringify(path) === text)
  return position < 0 ? null : position
}

/** Returns the formats that a request queries, as value of `vp_formats_supported`. */
export function formatsOf({ credentials }: Pick<TemplateSnapshot, 'credentials'>): Partial<typeof vpFormatsSupported> {
  const has = (format: string) => credentials.some((one) => one.format === format)
  const { 'dc+sd-jwt': sdJwt, mso_mdoc } = vpFormatsSupported
  return { ...(has('sd-jwt-vc') && { 'dc+sd-jwt': sdJwt }), ...(has('mdoc') && { mso_mdoc }) }
}

/** OpenID4VP 1.0, B.2.3 and B.3.5 */
function formatOf({ format, type }: TemplateCredential): JsonObject {
  if (format === 'mdoc') return { format: 'mso_mdoc', meta: { doctype_value: type } }
  return { format: 'dc+sd-jwt', meta: { vct_values: [type] } }
}

/** OpenID4VP 1.0, 6.1: members that have a default are left out where they have it. */
function rulesOf(
  { multiple, requireCryptographicHolderBinding, trustedAuthorities = [] }: TemplateCredential,
  keyIds: readonly string[],
): JsonObject {
  const authorities = keyIds.length > 0 ? [{ type: 'aki', values: [...keyIds] }] : trustedAuthorities
  return {
    ...(multiple === true && { multiple }),
    ...(requireCryptographicHolderBinding === false && { require_cryptographic_holder_binding: false }),
    ...(authorities.length > 0 && { trusted_authorities: authorities }),
  }
}

/** Returns the claims that a stored template credential requests. */
export function requestedClaimsOf({ attributes, format }: TemplateCredential): readonly RequestedClaim[] {
  return readRequestedAttributes(attributes, format, '').claims
}

/** Returns the position of a credential by its name or position; null if there is none. */
export function credentialPosition(
  reference: string | number,
  credentials: readonly { readonly name?: string }[],
): number | null {
  const position = typeof reference === 'number' ? reference : credentials.findIndex((one) => one.name === reference)
  return Number.isInteger(position) && position >= 0 && position < credentials.length ? position : null
}

/** [VP-R10] Returns the attestations about the verifier as they go over the wire. */
export function verifierInfoOf({ credentials, verifierConfig }: TemplateSnapshot): readonly JsonObject[] | undefined {
  return verifierConfig?.verifierInfo?.map(({ format, data, credentials: named }) => ({
    // The template was parsed from JSON.
    format,
    data: data as Json,
    ...(named !== undefined && {
      credential_ids: named.map((one) => queryIdOf(credentialPosition(one, credentials) ?? 0)),
    }),
  }))
}

/** OpenID4VP 1.0, 6.2: the sets of the template, and one for each optional credential that is in none of them. */
function setsOf(credentials: readonly TemplateCredential[], stated: readonly TemplateSet[]): readonly JsonObject[] {
  const ids = credentials.map((_, position) => queryIdOf(position))
  const isOptional = (id: string) => credentials[ids.indexOf(id)]?.optional === true
  const optional = ids.filter(isOptional)
  if (stated.length === 0 && optional.length === 0) return []
  const needed = ids.filter((id) => !isOptional(id))
  const sets = stated.length > 0 ? stated.map((set) => setOf(set, credentials)) : [{ options: [needed] }]
  const named = new Set(sets.flatMap(({ options }) => options.flat()))
  return [...sets, ...optional.filter((id) => !named.has(id)).map((id) => ({ options: [[id]], required: false }))]
}

function setOf({ options, required }: TemplateSet, credentials: readonly TemplateCredential[]) {
  return {
    options: options.map((option) =>
      option.map((reference) => queryIdOf(credentialPosition(reference, credentials) ?? 0)),
    ),
    ...(required !== undefined && { required }),
  }
}
