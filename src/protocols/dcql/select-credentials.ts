import { type ClaimsMatch, type DcqlCredential, findUnmetReason, type IsUnderAuthority, matchClaims } from './match.ts'
import { type CredentialQuery, type DcqlQuery, dcqlLimits, type Work } from './query.ts'

/** A credential that can answer a query, and the claims that it would show. */
export type Match<C> = ClaimsMatch & { readonly credential: C }

/** Who can answer one credential query; empty if nobody. The order is that of the candidates, so the caller's favourite is first. */
type Matches<C> = { readonly id: string; readonly multiple: boolean; readonly matches: readonly Match<C>[] }

/** What a wallet could answer to a query. Nothing may be sent unless `satisfiable`. [DCQL-5] */
export type Selection<C> = {
  readonly satisfiable: boolean
  /** The query ids to answer: of every required set the first option that can be. Empty unless `satisfiable`. */
  readonly required: readonly string[]
  /** Query ids that the holder may answer on top, from optional sets. */
  readonly optional: readonly string[]
  /** The query ids nobody answers that stand in the way; empty if `satisfiable`. */
  readonly unmatched: readonly string[]
  /** For every credential query, also for those that need no answer: the alternatives. */
  readonly queries: ReadonlyMap<string, Matches<C>>
}

/**
 * Finds out which of a holder's credentials answer a query.
 *
 * Consent, and not leaking through errors that a value did not match (15.4.1), are the caller's. A credential may stand under
 * several ids; each needs a presentation of its own. [DCQL-8]
 *
 * @param candidates The credentials that may be presented at all, the favourite first.
 * @see [OpenID4VP 1.0, 6.4](https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#name-selecting-claims-and-creden)
 */
export function selectCredentials<C extends DcqlCredential>(
  query: DcqlQuery,
  candidates: readonly C[],
  standsUnder?: IsUnderAuthority<C>,
): Selection<C> {
  const queries = new Map<string, Matches<C>>()
  const work = { left: dcqlLimits.workMax }
  for (const one of query.credentials) {
    queries.set(one.id, {
      id: one.id,
      multiple: one.multiple,
      matches: findMatches(one, candidates, work, standsUnder),
    })
  }
  return { ...planSelection(query, (id) => (queries.get(id)?.matches.length ?? 0) > 0), queries }
}

/** Which query ids to answer, given those that can be. Wallet and verifier go by the same rules. [DCQL-7] */
export function planSelection(query: DcqlQuery, isMatched: (id: string) => boolean): Omit<Selection<never>, 'queries'> {
  // 6.4.2: without credential_sets all credentials are required.
  const sets = query.credentialSets ?? [{ options: [query.credentials.map((one) => one.id)], required: true }]
  const required = new Set<string>()
  const optional = new Set<string>()
  const unmatched = new Set<string>()
  for (const set of sets) {
    const option = set.options.find((ids) => ids.every(isMatched))
    if (option !== undefined) for (const id of option) (set.required ? required : optional).add(id)
    else if (set.required) for (const id of set.options.flat()) if (!isMatched(id)) unmatched.add(id)
  }
  // 6.4.2: if a required set cannot be satisfied, nothing is returned.
  if (unmatched.size > 0) return { satisfiable: false, required: [], optional: [], unmatched: [...unmatched] }
  return { satisfiable: true, required: [...required], optional: [...optional.difference(required)], unmatched: [] }
}

function findMatches<C extends DcqlCredential>(
  query: CredentialQuery,
  candidates: readonly C[],
  work: Work,
  standsUnder: IsUnderAuthority<C> | undefined,
): readonly Match<C>[] {
  const matches: Match<C>[] = []
  for (const credential of candidates) {
    if (findUnmetReason(query, credential, standsUnder) !== null) continue
    const claims = matchClaims(query, credential, work)
    if (claims !== null) matches.push({ credential, ...claims })
  }
  return matches
}
