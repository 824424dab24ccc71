import {
  type DcqlClaimPath,
  type FoundClaim,
  type IssuedPositions,
  type LocatedClaims,
  locate,
  locateInMdoc,
} from './claims-path.ts'
import {
  type ClaimQuery,
  type CredentialQuery,
  dcqlLimits,
  type PathStep,
  type TrustedAuthority,
  type WorkBudget,
} from './query.ts'

/** A credential as input of DCQL: fully disclosed in the wallet, with the disclosed claims only at the verifier. */
export type DcqlCredential = {
  readonly format: 'dc+sd-jwt' | 'mso_mdoc'
  /** The `vct` or the document type. */
  readonly type: string
  /** Its further types: `aka_vcts` and what its type metadata extends. [DCQL-2] */
  readonly alsoTypes?: readonly string[]
  /** The processed payload, or for an mdoc `{namespace: {element: value}}`. */
  readonly claims: unknown
  /** Verifier side: issued positions of elements in arrays that lost some. */
  readonly positions?: IssuedPositions
  /** Wallet: it is bound to a key in the wallet. Verifier: this presentation proves the binding. */
  readonly holderBound: boolean
  /** The authority key identifiers of the certificates in its chain, base64url. */
  readonly authorityKeyIds?: readonly string[]
}

/** Why a credential does not match a credential query. */
export type UnmetReason = 'format' | 'type' | 'trusted_authority' | 'holder_binding' | 'claims'

/** The claims that satisfy a query: the index of the option, and the paths of its claims, each once. */
export type ClaimsMatch = { readonly option: number; readonly paths: readonly DcqlClaimPath[] }

/**
 * Matches a credential against a credential query, except for claims.
 *
 * OpenID4VP 1.0, 6.1.1: of trusted authorities `aki` is evaluated; no credential matches one of another type.
 * @returns null if the credential matches.
 * @see [OpenID4VP 1.0, 6.1](https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#name-credential-query)
 */
export function findUnmetReason(query: CredentialQuery, credential: DcqlCredential): UnmetReason | null {
  if (query.format !== credential.format) return 'format'
  if (!isOfType(query.types, credential)) return 'type'
  // [DCQL-1] holder binding is required by default
  if (query.holderBinding && !credential.holderBound) return 'holder_binding'
  const authorities = query.trustedAuthorities
  if (authorities !== null && !authorities.some((one) => isUnder(credential, one))) return 'trusted_authority'
  return null
}

/** OpenID4VP 1.0, 6.1.1.1: one certificate of the chain has the identifier as its authority key identifier. */
function isUnder({ authorityKeyIds = [] }: DcqlCredential, { type, values }: TrustedAuthority): boolean {
  return type === 'aki' && authorityKeyIds.some((one) => values.includes(one))
}

/**
 * Finds the first option of claims that a credential can satisfy. [DCQL-3]
 *
 * `values` count: a claim with none of them counts as absent (OpenID4VP 1.0, 6.4.1). Of several elements that one
 * pointer selects, only those with a requested value are in `paths`, so that nothing else is disclosed.
 *
 * @param total Work budget; a claim that cannot be evaluated within {@link dcqlLimits} does not match.
 * @returns null if no option can be satisfied.
 */
export function matchClaims(
  query: CredentialQuery,
  credential: DcqlCredential,
  total: WorkBudget = { left: dcqlLimits.workMax },
): ClaimsMatch | null {
  const budget = Math.min(total.left, dcqlLimits.elementsMax)
  const work = { left: budget }
  // Each path is located once, whatever the number of claims and options with it.
  const locatedByPointer: LocatedClaims[] = []
  const pathsOf = ({ path, pointer, values }: ClaimQuery) => {
    const located = locatedByPointer[pointer] ?? locateIn(credential, path, work)
    locatedByPointer[pointer] = located
    return typeof located === 'string' ? [] : withValue(located, values, work)
  }
  const found = firstOption(query, pathsOf, work)
  total.left -= budget - Math.max(work.left, 0)
  return found
}

function firstOption(
  { options }: CredentialQuery,
  pathsOf: (claim: ClaimQuery) => readonly DcqlClaimPath[],
  work: WorkBudget,
): ClaimsMatch | null {
  for (const [option, claims] of options.entries()) {
    const paths = new Set<DcqlClaimPath>()
    const whole = new Set<number>()
    const isMet = claims.every((claim) => {
      if (claim.values === null && whole.has(claim.pointer)) return true
      const selected = --work.left < 0 ? [] : pathsOf(claim)
      if (claim.values === null && selected.length > 0) whole.add(claim.pointer)
      for (const path of selected) paths.add(path)
      return selected.length > 0
    })
    if (isMet) return { option, paths: [...paths] }
  }
  return null
}

function locateIn(
  { format, claims, positions }: DcqlCredential,
  path: readonly PathStep[],
  work: WorkBudget,
): LocatedClaims {
  return format === 'mso_mdoc' ? locateInMdoc(claims, path) : locate(claims, path, positions, work)
}

/** [DCQL-4] Equal in type and value. */
function withValue(
  located: readonly FoundClaim[],
  values: ClaimQuery['values'],
  work: WorkBudget,
): readonly DcqlClaimPath[] {
  work.left -= located.length
  if (work.left < 0) return []
  const accepted = new Set<unknown>(values)
  return located.filter(({ value }) => values === null || accepted.has(value)).map(({ path }) => path)
}

function isOfType(types: readonly string[] | null, { type, alsoTypes }: DcqlCredential): boolean {
  if (types === null) return false
  return types.includes(type) || (alsoTypes?.slice(0, dcqlLimits.valuesMax).some((one) => types.includes(one)) ?? false)
}
