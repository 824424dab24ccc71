import { type ClaimPath, type IssuedPositions, locate, locateInMdoc } from './claims-path.ts'
import type { ClaimQuery, CredentialQuery, TrustedAuthority } from './query.ts'

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
export type StandsUnder<C> = (credential: C, authority: TrustedAuthority) => boolean

/** What a credential lacks for a credential query. */
export type Lack = 'format' | 'type' | 'trusted_authority' | 'holder_binding' | 'claims'

/** The claims that answer a query: which option of it, and where each claim stands. */
export type ClaimsMatch = { readonly option: number; readonly paths: readonly ClaimPath[] }

/**
 * Everything of a credential query but its claims.
 *
 * Without `standsUnder` a query that names trusted authorities is matched by nothing.
 * @returns null if the credential fits.
 * @see [OpenID4VP 1.0, 6.1](https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#name-credential-query)
 */
export function findLack<C extends DcqlCredential>(
  query: CredentialQuery,
  credential: C,
  standsUnder?: StandsUnder<C>,
): Lack | null {
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
 * @returns null if no option can be satisfied.
 */
export function matchClaims(query: CredentialQuery, credential: DcqlCredential): ClaimsMatch | null {
  // Evaluated once per claim, however many options name it.
  const known: (readonly ClaimPath[] | null | undefined)[] = []
  const pathsOf = (claim: ClaimQuery) => {
    let paths = known[claim.position]
    if (paths === undefined) {
      paths = claimPaths(claim, credential)
      known[claim.position] = paths
    }
    return paths
  }
  for (const [option, claims] of query.options.entries()) {
    const paths = allPaths(claims, pathsOf)
    if (paths !== null) return { option, paths }
  }
  return null
}

function allPaths(
  claims: readonly ClaimQuery[],
  pathsOf: (claim: ClaimQuery) => readonly ClaimPath[] | null,
): readonly ClaimPath[] | null {
  const all: ClaimPath[] = []
  for (const claim of claims) {
    const paths = pathsOf(claim)
    if (paths === null) return null
    for (const path of paths) all.push(path)
  }
  return all
}

function claimPaths({ path, values }: ClaimQuery, credential: DcqlCredential): readonly ClaimPath[] | null {
  const located =
    credential.format === 'mso_mdoc'
      ? locateInMdoc(credential.claims, path)
      : locate(credential.claims, path, credential.positions)
  if (typeof located === 'string') return null
  // [DCQL-4] equal in type and value
  const wanted = values === null ? located : located.filter((one) => values.some((value) => value === one.value))
  return wanted.length === 0 ? null : wanted.map((one) => one.path)
}

function isOfType(types: readonly string[] | null, { type, alsoTypes }: DcqlCredential): boolean {
  if (types === null) return false
  return types.includes(type) || (alsoTypes?.some((one) => types.includes(one)) ?? false)
}
