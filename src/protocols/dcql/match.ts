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
  type Work,
} from './query.ts'

/** A credential as DCQL sees it: fully disclosed in the wallet, as far as disclosed at the verifier. */
export type DcqlCredential = {
  readonly format: 'dc+sd-jwt' | 'mso_mdoc'
  /** The `vct` or the document type. */
  readonly type: string
  /** Types that it also is: `aka_vcts` and what its type metadata extends. [DCQL-2] */
  readonly alsoTypes?: readonly string[]
  /** The processed payload, or for an mdoc `{namespace: {element: value}}`. */
  readonly claims: unknown
  /** Verifier side: issued positions of elements in arrays that lost some. */
  readonly positions?: IssuedPositions
  /** Wallet: it is bound to a key of ours. Verifier: the binding was proved in this presentation. */
  readonly holderBound: boolean
}

/** Tells whether the issuer of a credential stands under a trusted authority (`aki`, `etsi_tl`, …); the chain is the caller's matter. */
export type IsUnderAuthority<C> = (credential: C, authority: TrustedAuthority) => boolean

/** What a credential lacks for a credential query. */
export type UnmetReason = 'format' | 'type' | 'trusted_authority' | 'holder_binding' | 'claims'

/** The claims that answer a query: which option of it, and where its claims stand, each place once. */
export type ClaimsMatch = { readonly option: number; readonly paths: readonly DcqlClaimPath[] }

/**
 * Everything of a credential query but its claims.
 *
 * Without `standsUnder` a query that names trusted authorities is matched by nothing.
 * @returns null if the credential fits.
 * @see [OpenID4VP 1.0, 6.1](https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#name-credential-query)
 */
export function findUnmetReason<C extends DcqlCredential>(
  query: CredentialQuery,
  credential: C,
  standsUnder?: IsUnderAuthority<C>,
): UnmetReason | null {
  if (query.format !== credential.format) return 'format'
  if (!isOfType(query.types, credential)) return 'type'
  // [DCQL-1] holder binding is wanted unless the query says otherwise
  if (query.holderBinding && !credential.holderBound) return 'holder_binding'
  const authorities = query.trustedAuthorities
  if (authorities !== null && !authorities.some((one) => standsUnder?.(credential, one) === true))
    return 'trusted_authority'
  return null
}

/**
 * Finds the first option of claims that a credential can satisfy. [DCQL-3]
 *
 * `values` count: a claim with none of them is as absent as one that is not there (6.4.1). Of several elements that one pointer
 * selects, only those with a wanted value are in `paths`, so that nothing more needs to be disclosed.
 *
 * @param total What the evaluation is taken off; a claim that cannot be evaluated within {@link dcqlLimits} is not met.
 * @returns null if no option can be satisfied.
 */
export function matchClaims(
  query: CredentialQuery,
  credential: DcqlCredential,
  total: Work = { left: dcqlLimits.workMax },
): ClaimsMatch | null {
  const granted = Math.min(total.left, dcqlLimits.elementsMax)
  const work = { left: granted }
  // Each path is looked up once, however many claims and options name it.
  const known: LocatedClaims[] = []
  const pathsOf = ({ path, pointer, values }: ClaimQuery) => {
    const located = known[pointer] ?? locateIn(credential, path, work)
    known[pointer] = located
    return typeof located === 'string' ? [] : withValue(located, values, work)
  }
  const found = firstOption(query, pathsOf, work)
  total.left -= granted - Math.max(work.left, 0)
  return found
}

function firstOption(
  { options }: CredentialQuery,
  pathsOf: (claim: ClaimQuery) => readonly DcqlClaimPath[],
  work: Work,
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

function locateIn({ format, claims, positions }: DcqlCredential, path: readonly PathStep[], work: Work): LocatedClaims {
  return format === 'mso_mdoc' ? locateInMdoc(claims, path) : locate(claims, path, positions, work)
}

/** [DCQL-4] Equal in type and value. */
function withValue(located: readonly FoundClaim[], values: ClaimQuery['values'], work: Work): readonly DcqlClaimPath[] {
  work.left -= located.length
  if (work.left < 0) return []
  const wanted = new Set<unknown>(values)
  return located.filter(({ value }) => values === null || wanted.has(value)).map(({ path }) => path)
}

function isOfType(types: readonly string[] | null, { type, alsoTypes }: DcqlCredential): boolean {
  if (types === null) return false
  return types.includes(type) || (alsoTypes?.slice(0, dcqlLimits.valuesMax).some((one) => types.includes(one)) ?? false)
}
