import { checkPresented, type DcqlCheckResult, type Presented } from '../../protocols/dcql/check-presented.ts'
import { parseQuery } from '../../protocols/dcql/parse-query.ts'
import type { DcqlQuery } from '../../protocols/dcql/query.ts'
import { planSelection } from '../../protocols/dcql/select-credentials.ts'
import type { VpToken } from '../../protocols/openid4vp/response.ts'
import { findUnauthorized, readSentTransaction } from '../../protocols/openid4vp/transactions.ts'
import type { TrustNeeds } from '../../trust/lookups/needs.ts'
import { checksOf } from '../findings/checks.ts'
import { type Issue, type IssueCode, isDefect, isReplay, issue, isTransientIssue } from '../findings/finding.ts'
import type {
  CredentialResult,
  Inconclusive,
  PendingRequest,
  RequestOutcome,
} from '../requests/presentation-request.ts'
import type { TemplateCredential } from '../templates/presentation-template.ts'
import { queryIdOf, queryOf, requestedClaimsOf } from '../templates/template-query.ts'
import { checkConditions, pickRequested } from './check-conditions.ts'
import { checkMdocPresentation } from './check-mdoc-presentation.ts'
import { checkSdJwtPresentation } from './check-sd-jwt-presentation.ts'
import { type CheckedCredential, type ExpectedPresentation, rejectedCredential } from './checked-credential.ts'

/** The most presentations for a query with `multiple`. */
const MULTIPLE_MAX = 16

/** One presentation, or the lack of any, for a credential of the template. */
type Answer = {
  readonly queryId: string
  readonly credential: TemplateCredential
  readonly isPresent: boolean
  readonly checked: CheckedCredential
}

/**
 * What a response is checked against besides the request. `transactions`: the encoded transaction data of the request.
 */
type ResponseContext = Omit<ExpectedPresentation, 'credential' | 'nonce'> & { readonly transactions: readonly string[] }

/**
 * Checks a response: each presentation on its own, then all of them against the query, then the values against the
 * conditions.
 *
 * A defect is a result and never thrown. Claims are returned only if the whole response is verified. The result is
 * `undecided` if only issuers or status lists that could not be reached are in the way.
 *
 * @param context Client identifier and response URI of the request object, and whom the tenant trusts now.
 * @see [OpenID4VP 1.0, 8.6](https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#name-vp-token-validation)
 */
export async function checkResponse(
  platform: TrustNeeds,
  request: PendingRequest,
  vpToken: VpToken,
  context: ResponseContext,
): Promise<RequestOutcome | Inconclusive> {
  const checks = request.credentials.map(async (credential, position): Promise<readonly Answer[]> => {
    const queryId = queryIdOf(position)
    const presentations = vpToken.get(queryId) ?? []
    const checked = await checkEach(platform, presentations, { ...context, credential, nonce: request.nonce })
    return checked.map((one) => ({ queryId, credential, isPresent: presentations.length > 0, checked: one }))
  })
  const answers = (await Promise.all(checks)).flat()
  const query = parseQuery(queryOf(request))
  const answered = check(query, answers, vpToken)
  const issues = new Map(answers.map((one) => [one, issuesOf(one, answered)]))
  const unauthorized = addUnauthorized(context.transactions, issues)
  // OpenID4VP 1.0, 8.6: presentations with a defect are discarded, and the others must still satisfy the query
  const valid = answers.filter((one) => one.isPresent && !issues.get(one)?.some(isDefect))
  const { satisfied } = check(query, valid, vpToken).result
  // OpenID4VP 1.0, 14.2.2: one presentation for another request invalidates the whole response
  const isReplayed = [...issues.values()].flat().some(isReplay)
  const isVerified = satisfied && valid.length > 0 && !isReplayed && !unauthorized
  const shown = answers.filter((one) => one.isPresent || issues.get(one)?.some(isDefect))
  const hasTransaction = context.transactions.length > 0
  const credentials = shown.map((one) => resultOf(one, issues.get(one) ?? [], isVerified, hasTransaction))
  if (isVerified) return { status: 'verified', error: null, credentials }
  const unknown = unknownQueries(answered.result)
  const details = [...credentials.flatMap((one) => one.issues.filter(isDefect)), ...unknown]
  const mayBeValid = (id: string) =>
    answers.some(
      (one) => one.queryId === id && one.isPresent && issues.get(one)?.filter(isDefect).every(isTransientIssue),
    )
  const isInconclusive = [...issues.values()].flat().some(isTransientIssue)
  if (isInconclusive && !isReplayed && unknown.length === 0 && planSelection(query, mayBeValid).satisfiable)
    return { status: 'undecided', details }
  const error = { code: 422, message: 'The presentation does not satisfy the request.', details }
  return { status: 'failed', error, credentials }
}

/**
 * [VP-T4] Adds an issue to the answers that should authorize a transaction and do not. Returns whether there are any.
 */
function addUnauthorized(transactions: readonly string[], issues: Map<Answer, readonly Issue[]>): boolean {
  if (transactions.length === 0) return false
  const signed = [...issues].flatMap(
    ([
      {
        queryId,
        checked: { presented },
      },
      found,
    ]) =>
      presented === null || found.some(isDefect)
        ? []
        : { queryId, format: presented.format, claims: presented.signedByHolder },
  )
  const wrong = findUnauthorized(transactions.map(readSentTransaction), signed)
  // One that could not be checked yet may authorize it.
  if ([...issues].some(([{ queryId }, found]) => wrong.has(queryId) && found.some(isTransientIssue))) return true
  for (const [answer, found] of issues)
    if (wrong.has(answer.queryId)) issues.set(answer, [...found, issue('presentation.transaction_data')])
  return wrong.size > 0
}

/** Returns the result of each presentation; one result if there is none, or too many. */
async function checkEach(
  platform: TrustNeeds,
  presentations: readonly string[],
  expected: ExpectedPresentation,
): Promise<readonly CheckedCredential[]> {
  if (presentations.length === 0) return [rejectedCredential([])]
  // [VP-S1] several only where the query says so
  if (presentations.length > (expected.credential.multiple === true ? MULTIPLE_MAX : 1))
    return [rejectedCredential([issue('presentation.too_many')])]
  // OpenID4VP 1.0, 8.6: in the requested format only
  const checkOne = expected.credential.format === 'mdoc' ? checkMdocPresentation : checkSdJwtPresentation
  return Promise.all(presentations.map((one) => checkOne(platform, one, expected)))
}

/** The result of the query, and the answers in the order of its indexes. */
type CheckedAnswers = { readonly result: DcqlCheckResult; readonly ordered: ReadonlyMap<string, readonly Answer[]> }

/** Evaluates the query over the answers without a defect. Unknown ids are included: they make the response invalid. */
function check(query: DcqlQuery, answers: readonly Answer[], vpToken: VpToken): CheckedAnswers {
  const known = new Set(query.credentials.map(({ id }) => id))
  const presented = new Map<string, readonly Presented[]>()
  for (const id of vpToken.keys()) if (!known.has(id)) presented.set(id, [])
  const ordered = Map.groupBy(
    answers.filter(({ checked }) => checked.presented !== null),
    ({ queryId }) => queryId,
  )
  for (const [id, all] of ordered)
    presented.set(
      id,
      all.flatMap(({ checked }) => checked.presented ?? []),
    )
  return { result: checkPresented(query, presented), ordered }
}

/** OpenID4VP 1.0, 8.6 for one credential, in this order: the query, then the conditions of the template. */
function issuesOf(answer: Answer, { result, ordered }: CheckedAnswers): readonly Issue[] {
  const { queryId, credential, isPresent, checked } = answer
  const issues = [...checked.issues]
  const position = ordered.get(queryId)?.indexOf(answer)
  for (const { code, index } of result.findings.filter((one) => one.queryId === queryId)) {
    // a presentation that was discarded for a defect leaves its query unanswered
    if (code === 'unanswered') issues.push(...(isPresent ? [] : [issue('presentation.missing')]))
    else if (index === null || index === position) issues.push(issue(`presentation.${code}` satisfies IssueCode))
  }
  if (checked.presented !== null && !issues.some(isDefect)) {
    issues.push(...checkConditions(requestedClaimsOf(credential), checked.presented))
  }
  return issues
}

function resultOf(
  { credential, checked }: Answer,
  issues: readonly Issue[],
  isVerified: boolean,
  hasTransaction: boolean,
): CredentialResult {
  const { name = null, type, format } = credential
  const isValid = checked.presented !== null && !issues.some(isDefect)
  // [DCQL-21] only requested claims, and none unless the whole response is verified
  const isShown = isValid && isVerified && checked.presented !== null
  const attributes = isShown ? pickRequested(requestedClaimsOf(credential), checked.presented) : {}
  const hasConditions = requestedClaimsOf(credential).some(({ condition }) => Object.keys(condition).length > 0)
  const checks = checksOf(issues, checked.facts, { values: hasConditions, transaction: hasTransaction })
  return { isValid, name, type, format, attributes, issuer: checked.issuer, issues: [...issues], checks }
}

function unknownQueries({ findings }: DcqlCheckResult): readonly Issue[] {
  return findings.some((one) => one.code === 'unknown_query') ? [issue('presentation.unknown_query')] : []
}
