import { type DcqlCredential, findUnmetReason, matchClaims, type UnmetReason } from './match.ts'
import type { CredentialQuery, DcqlQuery } from './query.ts'
import { planSelection } from './select-credentials.ts'

/** A presentation that passed all checks of its format. */
export type Presented = DcqlCredential & {
  /**
   * Identifies the credential, e.g. by the hash of the issuer-signed part; equal for presentations of one credential.
   */
  readonly fingerprint?: string
}

/** A finding about a response. `queryId` is null if it concerns the whole response, `index` if it concerns a query. */
type DcqlFinding = {
  readonly queryId: string | null
  readonly index: number | null
  readonly code: UnmetReason | 'unknown_query' | 'too_many' | 'duplicate' | 'unanswered'
}

/** `satisfied`: the presentations without a finding satisfy the query. */
export type DcqlCheckResult = { readonly satisfied: boolean; readonly findings: readonly DcqlFinding[] }

/**
 * Checks at the verifier whether presentations satisfy the query, independent of the wallet's evaluation. [DCQL-20]
 *
 * NOT checked: signatures, trust, status and holder binding; pass only presentations that passed these checks. A
 * presentation with a finding is discarded, then the rest must satisfy all required sets.
 *
 * @see [OpenID4VP 1.0, 8.6](https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#name-vp-token-validation)
 */
export function checkPresented(
  query: DcqlQuery,
  presented: ReadonlyMap<string, readonly Presented[]>,
): DcqlCheckResult {
  const findings: DcqlFinding[] = []
  const answered = new Set<string>()
  const byId = new Map(query.credentials.map((one) => [one.id, one]))
  for (const [queryId, presentations] of presented) {
    const credentialQuery = byId.get(queryId)
    // OpenID4VP 1.0, 8.1: keys of the VP Token are ids of credential queries.
    if (credentialQuery === undefined) findings.push({ queryId, index: null, code: 'unknown_query' })
    else if (checkAnswer(credentialQuery, presentations, findings)) answered.add(queryId)
  }
  const { satisfiable, unmatched } = planSelection(query, (id) => answered.has(id))
  for (const queryId of unmatched) findings.push({ queryId, index: null, code: 'unanswered' })
  return { satisfied: satisfiable && !findings.some((one) => one.code === 'unknown_query'), findings }
}

/** Adds the findings about the presentations for one query; true if at least one has none. */
function checkAnswer(
  credentialQuery: CredentialQuery,
  presentations: readonly Presented[],
  findings: DcqlFinding[],
): boolean {
  const queryId = credentialQuery.id
  // OpenID4VP 1.0, 8.1: one presentation, unless `multiple` is set
  if (presentations.length > 1 && !credentialQuery.multiple) {
    findings.push({ queryId, index: null, code: 'too_many' })
    return false
  }
  const seen = new Set<string>()
  let counting = 0
  for (const [index, one] of presentations.entries()) {
    const code = findPresentedError(credentialQuery, one, seen)
    if (code === null) counting += 1
    else findings.push({ queryId, index, code })
  }
  return counting > 0
}

function findPresentedError(
  credentialQuery: CredentialQuery,
  one: Presented,
  seen: Set<string>,
): DcqlFinding['code'] | null {
  const unmet = findUnmetReason(credentialQuery, one)
  if (unmet !== null) return unmet
  // [DCQL-4] `values` are optional for the wallet, but required here.
  if (matchClaims(credentialQuery, one) === null) return 'claims'
  // presentations of one credential count once
  if (one.fingerprint === undefined) return null
  if (seen.has(one.fingerprint)) return 'duplicate'
  seen.add(one.fingerprint)
  return null
}
