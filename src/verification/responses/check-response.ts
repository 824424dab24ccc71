import type { Platform } from '../../platform.ts'
import { checkPresented, type DcqlCheckResult, type Presented } from '../../protocols/dcql/check-presented.ts'
import { parseQuery } from '../../protocols/dcql/parse-query.ts'
import { planSelection } from '../../protocols/dcql/select-credentials.ts'
import type { VpToken } from '../../protocols/openid4vp/response.ts'
import { type Issue, type IssueCode, isDefect, isReplay, issue, isTransientIssue } from '../requests/finding.ts'
import type {
  CredentialResult,
  Inconclusive,
  PendingRequest,
  RequestOutcome,
} from '../requests/presentation-request.ts'
import type { TemplateCredential } from '../templates/presentation-template.ts'
import { queryIdOf, queryOf, requestedClaimsOf } from '../templates/template-query.ts'
import { checkConditions, pickRequested } from './check-conditions.ts'
import { checkPresentation } from './check-presentation.ts'
import { type CheckedCredential, type ExpectedPresentation, rejectedCredential } from './checked-credential.ts'

/** One credential of the template, and what came for it. */
type Answer = {
  readonly queryId: string
  readonly credential: TemplateCredential
  readonly presentations: readonly string[]
  readonly judged: CheckedCredential
}

/**
 * Checks an answer completely: each presentation by itself, then all of them against the query, then values against conditions.
 *
 * A defect is a result and never thrown. Claims leave this function only where the whole answer is verified. Undecided it is if nothing
 * stands in the way but issuers or status lists that are out of reach at this moment.
 *
 * @param asked Who asked and where to, as the request object says; whom the tenant trusts at this moment.
 * @see [OpenID4VP 1.0, 8.6](https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#name-vp-token-validation)
 */
export async function checkResponse(
  platform: Pick<Platform, 'fetch' | 'config'>,
  question: PendingRequest,
  vpToken: VpToken,
  asked: Pick<ExpectedPresentation, 'aud' | 'responseUri' | 'now' | 'trust' | 'home'>,
): Promise<RequestOutcome | Inconclusive> {
  const judging = question.credentials.map(async (credential, position): Promise<Answer> => {
    const queryId = queryIdOf(position)
    const presentations = vpToken.get(queryId) ?? []
    const judged = await judgeOne(platform, presentations, { ...asked, credential, nonce: question.nonce })
    return { queryId, credential, presentations, judged }
  })
  const answers = await Promise.all(judging)
  const query = parseQuery(queryOf(question))
  const all = presentedIn(answers, vpToken, () => true)
  const answered = checkPresented(query, all)
  const issues = new Map(answers.map((one) => [one.queryId, issuesOf(one, answered)]))
  // 3.9 step 12: what has a defect is discarded, and the rest must still be enough
  const left = presentedIn(answers, vpToken, (one) => !issues.get(one.queryId)?.some(isDefect))
  const { satisfied } = checkPresented(query, left)
  // 14.1.2: one presentation for another request spoils the whole answer
  const isReplayed = [...issues.values()].flat().some(isReplay)
  const isVerified = satisfied && !isReplayed
  const shown = answers.filter((one) => one.presentations.length > 0 || issues.get(one.queryId)?.some(isDefect))
  const credentials = shown.map((one) => resultOf(one, issues.get(one.queryId) ?? [], isVerified))
  if (isVerified) return { status: 'verified', error: null, credentials }
  const unknown = unknownQueries(answered)
  const details = [...credentials.flatMap((one) => one.issues.filter(isDefect)), ...unknown]
  const mayHold = (id: string) => issues.get(id)?.filter(isDefect).every(isTransientIssue) === true && vpToken.has(id)
  if (!isReplayed && unknown.length === 0 && planSelection(query, mayHold).satisfiable)
    return { status: 'undecided', details }
  const error = { code: 422, message: 'The presentation does not satisfy the request.', details }
  return { status: 'failed', error, credentials }
}

async function judgeOne(
  platform: Pick<Platform, 'fetch' | 'config'>,
  presentations: readonly string[],
  expected: Parameters<typeof checkPresentation>[2],
): Promise<CheckedCredential> {
  const [only] = presentations
  if (only === undefined) return rejectedCredential([])
  // [VP-S1] we never ask for more than one, so more of them are not even looked at
  if (presentations.length > 1) return rejectedCredential([issue('presentation.too_many')])
  return checkPresentation(platform, only, expected)
}

/** What the query sees. Ids that nobody asked for are kept, for they make the answer wrong. */
function presentedIn(
  answers: readonly Answer[],
  vpToken: VpToken,
  counts: (answer: Answer) => boolean,
): ReadonlyMap<string, readonly Presented[]> {
  const presented = new Map<string, readonly Presented[]>()
  for (const id of vpToken.keys()) if (!answers.some((one) => one.queryId === id)) presented.set(id, [])
  for (const one of answers) {
    if (one.judged.presented !== null && counts(one)) presented.set(one.queryId, [one.judged.presented])
  }
  return presented
}

/** 3.9 steps 10 to 12 for one credential, in this order: the query, then the conditions of the template. */
function issuesOf(
  { queryId, credential, presentations, judged }: Answer,
  { findings }: DcqlCheckResult,
): readonly Issue[] {
  const issues = [...judged.issues]
  for (const { code } of findings.filter((one) => one.queryId === queryId)) {
    // `unanswered` says nothing new about what was presented and discarded
    if (code !== 'unanswered') issues.push(issue(`presentation.${code}` satisfies IssueCode))
    else if (presentations.length === 0) issues.push(issue('presentation.missing'))
  }
  if (judged.presented !== null && !issues.some(isDefect)) {
    issues.push(...checkConditions(requestedClaimsOf(credential), judged.presented.claims))
  }
  return issues
}

function resultOf({ credential, judged }: Answer, issues: readonly Issue[], isVerified: boolean): CredentialResult {
  const { name = null, type, format } = credential
  const isValid = judged.presented !== null && !issues.some(isDefect)
  // [DCQL-21] only what was asked for, and nothing of an answer that as a whole does not hold
  const attributes =
    isValid && isVerified && judged.presented !== null
      ? pickRequested(requestedClaimsOf(credential), judged.presented.claims)
      : {}
  return { isValid, name, type, format, attributes, issuer: judged.issuer, issues }
}

function unknownQueries({ findings }: DcqlCheckResult): readonly Issue[] {
  return findings.some((one) => one.code === 'unknown_query') ? [issue('presentation.unknown_query')] : []
}
