import { type ClaimsMatch, type DcqlCredential, findUnmetReason, matchClaims } from './match.ts'
import { type CredentialQuery, type DcqlQuery, dcqlLimits, type WorkBudget } from './query.ts'

/** A credential that matches a credential query, and the claims to disclose. */
export type Match<C> = ClaimsMatch & { readonly credential: C }

/** The credentials that match one credential query, in the order of the candidates. */
type Matches<C> = { readonly id: string; readonly multiple: boolean; readonly matches: readonly Match<C>[] }

/** How a wallet can satisfy a query. Nothing may be sent unless `satisfiable`. [DCQL-5] */
export type Selection<C> = {
  readonly satisfiable: boolean
  /** The query ids to present: of every required set the first satisfiable option. Empty unless `satisfiable`. */
  readonly required: readonly string[]
  /** Further query ids that the holder may present, from optional sets. */
  readonly optional: readonly string[]
  /** Required query ids without a matching credential; empty if `satisfiable`. */
  readonly unmatched: readonly string[]
  /** The matching credentials of every credential query, optional ones included. */
  readonly queries: ReadonlyMap<string, Matches<C>>
}

/**
 * Selects the credentials of a holder that match a query.
 *
 * The caller obtains consent, and reveals no mismatch of values through errors (OpenID4VP 1.0, 15.4.1). A credential
 * may match several ids; each needs a presentation of its own. [DCQL-8]
 *
 * @param candidates The presentable credentials, the preferred one first.
 * @param isUsable Whether a credential may answer a credential query, by rules outside of the query.
 * @see [OpenID4VP 1.0, 6.4](https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#name-selecting-claims-and-creden)
 */
export function selectCredentials<C extends DcqlCredential>(
  query: DcqlQuery,
  candidates: readonly C[],
  isUsable: (queryId: string, credential: C) => boolean = () => true,
): Selection<C> {
  const queries = new Map<string, Matches<C>>()
  const work = { left: dcqlLimits.workMax }
  for (const one of query.credentials) {
    const usable = candidates.filter((credential) => isUsable(one.id, credential))
    queries.set(one.id, { id: one.id, multiple: one.multiple, matches: findMatches(one, usable, work) })
  }
  return { ...planSelection(query, (id) => (queries.get(id)?.matches.length ?? 0) > 0), queries }
}

/** Evaluates the credential sets, given the matched query ids. The same for wallet and verifier. [DCQL-7] */
export function planSelection(query: DcqlQuery, isMatched: (id: string) => boolean): Omit<Selection<never>, 'queries'> {
  // OpenID4VP 1.0, 6.4.2: without credential_sets all credentials are required.
  const sets = query.credentialSets ?? [{ options: [query.credentials.map((one) => one.id)], required: true }]
  const required = new Set<string>()
  const optional = new Set<string>()
  const unmatched = new Set<string>()
  for (const set of sets) {
    const option = set.options.find((ids) => ids.every(isMatched))
    if (option !== undefined) for (const id of option) (set.required ? required : optional).add(id)
    else if (set.required) for (const id of set.options.flat()) if (!isMatched(id)) unmatched.add(id)
  }
  // OpenID4VP 1.0, 6.4.2: if a required set cannot be satisfied, nothing is returned.
  if (unmatched.size > 0) return { satisfiable: false, required: [], optional: [], unmatched: [...unmatched] }
  return { satisfiable: true, required: [...required], optional: [...optional.difference(required)], unmatched: [] }
}

function findMatches<C extends DcqlCredential>(
  query: CredentialQuery,
  candidates: readonly C[],
  work: WorkBudget,
): readonly Match<C>[] {
  const matches: Match<C>[] = []
  for (const credential of candidates) {
    if (findUnmetReason(query, credential) !== null) continue
    const claims = matchClaims(query, credential, work)
    if (claims !== null) matches.push({ credential, ...claims })
  }
  return matches
}
