import { type DcqlCredential, findUnmetReason, type IsUnderAuthority, matchClaims, type UnmetReason } from './match.ts'
import type { CredentialQuery, DcqlQuery } from './query.ts'
import { planSelection } from './select-credentials.ts'

/** A presentation that passed all checks of its format. */
export type Presented = DcqlCredential & {
  /** Names the credential behind it, e.g. the hash of the issuer-signed part; two presentations of one credential have the same. */
  readonly fingerprint?: string
}

/** Something that a response lacks. `queryId` is null where it is about the response as a whole, `index` where about a query. */
type DcqlFinding = {
  readonly queryId: string | null
  readonly index: number | null
  readonly code: UnmetReason | 'unknown_query' | 'too_many' | 'duplicate' | 'unanswered'
}

/** `satisfied`: what is left after discarding every presentation with a finding answers the query. */
export type Verdict = { readonly satisfied: boolean; readonly findings: readonly DcqlFinding[] }

/**
 * Checks at the verifier that presentations answer the query, whatever the wallet claims to have done. [DCQL-20]
 *
 * Signatures, trust, status and holder binding were judged before: pass only presentations that may count. A presentation with a
 * finding is discarded, then the rest must satisfy all required sets (3.9, step 12).
 *
 * @see [OpenID4VP 1.0, 8.6](https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#name-vp-token-validation)
 */
export function checkPresented<P extends Presented>(
  query: DcqlQuery,
  presented: ReadonlyMap<string, readonly P[]>,
  standsUnder?: IsUnderAuthority<P>,
): Verdict {
  const findings: DcqlFinding[] = []
  const answered = new Set<string>()
  const byId = new Map(query.credentials.map((one) => [one.id, one]))
  for (const [queryId, presentations] of presented) {
    const asked = byId.get(queryId)
    // 8.1: keys of the VP Token are ids of credential queries.
    if (asked === undefined) findings.push({ queryId, index: null, code: 'unknown_query' })
    else if (checkAnswer(asked, presentations, standsUnder, findings)) answered.add(queryId)
  }
  const { satisfiable, unmatched } = planSelection(query, (id) => answered.has(id))
  for (const queryId of unmatched) findings.push({ queryId, index: null, code: 'unanswered' })
  return { satisfied: satisfiable && !findings.some((one) => one.code === 'unknown_query'), findings }
}

/** Adds what is wrong with the presentations for one query; true if at least one of them counts. */
function checkAnswer<P extends Presented>(
  asked: CredentialQuery,
  presentations: readonly P[],
  standsUnder: IsUnderAuthority<P> | undefined,
  findings: DcqlFinding[],
): boolean {
  const queryId = asked.id
  // 8.1: exactly one presentation unless `multiple`.
  if (presentations.length > 1 && !asked.multiple) {
    findings.push({ queryId, index: null, code: 'too_many' })
    return false
  }
  const seen = new Set<string>()
  let counting = 0
  for (const [index, one] of presentations.entries()) {
    const code = judge(asked, one, standsUnder, seen)
    if (code === null) counting += 1
    else findings.push({ queryId, index, code })
  }
  return counting > 0
}

function judge<P extends Presented>(
  asked: CredentialQuery,
  one: P,
  standsUnder: IsUnderAuthority<P> | undefined,
  seen: Set<string>,
): DcqlFinding['code'] | null {
  const lack = findUnmetReason(asked, one, standsUnder)
  if (lack !== null) return lack
  // [DCQL-4] values are hints to the wallet and rules to us.
  if (matchClaims(asked, one) === null) return 'claims'
  // 3.9, step 13: one credential shown twice counts once.
  if (one.fingerprint === undefined) return null
  if (seen.has(one.fingerprint)) return 'duplicate'
  seen.add(one.fingerprint)
  return null
}
