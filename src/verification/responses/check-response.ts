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
import { checkMdocPresentation } from './check-mdoc-presentation.ts'
import { checkSdJwtPresentation } from './check-sd-jwt-presentation.ts'
import { type CheckedCredential, type ExpectedPresentation, rejectedCredential } from './checked-credential.ts'

/** One credential of the template, and its presentations in the response. */
type Answer = {
  readonly queryId: string
  readonly credential: TemplateCredential
  readonly presentations: readonly string[]
  readonly checked: CheckedCredential
}

/**
 * Checks a response: each presentation on its own, then all of them against the query, then the values against the conditions.
 *
 * A defect is a result and never thrown. Claims are returned only if the whole response is verified. The result is `undecided` if only
 * issuers or status lists that could not be reached are in the way.
 *
 * @param context Client identifier and response URI of the request object, and whom the tenant trusts now.
 * @see [OpenID4VP 1.0, 8.6](https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#name-vp-token-validation)
 */
export async function checkResponse(
  platform: Pick<Platform, 'fetch' | 'config' | 'memory'>,
  request: PendingRequest,
  vpToken: VpToken,
  context: Pick<ExpectedPresentation, 'aud' | 'responseUri' | 'now' | 'trust' | 'verifier'>,
): Promise<RequestOutcome | Inconclusive> {
  const checks = request.credentials.map(async (credential, position): Promise<Answer> => {
    const queryId = queryIdOf(position)
    const presentations = vpToken.get(queryId) ?? []
    const checked = await checkOne(platform, presentations, { ...context, credential, nonce: request.nonce })
    return { queryId, credential, presentations, checked }
  })
  const answers = await Promise.all(checks)
  const query = parseQuery(queryOf(request))
  const all = presentedIn(answers, vpToken, () => true)
  const answered = checkPresented(query, all)
  const issues = new Map(answers.map((one) => [one.queryId, issuesOf(one, answered)]))
  // 3.9 step 12: presentations with a defect are discarded, and the others must still satisfy the query
  const valid = presentedIn(answers, vpToken, (one) => !issues.get(one.queryId)?.some(isDefect))
  const { satisfied } = checkPresented(query, valid)
  // 14.1.2: one presentation for another request invalidates the whole response
  const isReplayed = [...issues.values()].flat().some(isReplay)
  const isVerified = satisfied && !isReplayed
  const shown = answers.filter((one) => one.presentations.length > 0 || issues.get(one.queryId)?.some(isDefect))
  const credentials = shown.map((one) => resultOf(one, issues.get(one.queryId) ?? [], isVerified))
  if (isVerified) return { status: 'verified', error: null, credentials }
  const unknown = unknownQueries(answered)
  const details = [...credentials.flatMap((one) => one.issues.filter(isDefect)), ...unknown]
  const mayBeValid = (id: string) =>
    issues.get(id)?.filter(isDefect).every(isTransientIssue) === true && vpToken.has(id)
  if (!isReplayed && unknown.length === 0 && planSelection(query, mayBeValid).satisfiable)
    return { status: 'undecided', details }
  const error = { code: 422, message: 'The presentation does not satisfy the request.', details }
  return { status: 'failed', error, credentials }
}

async function checkOne(
  platform: Pick<Platform, 'fetch' | 'config' | 'memory'>,
  presentations: readonly string[],
  expected: ExpectedPresentation,
): Promise<CheckedCredential> {
  const [only] = presentations
  if (only === undefined) return rejectedCredential([])
  // [VP-S1] no query of ours allows more than one
  if (presentations.length > 1) return rejectedCredential([issue('presentation.too_many')])
  // 3.9 step 5: in the requested format only
  const check = expected.credential.format === 'mdoc' ? checkMdocPresentation : checkSdJwtPresentation
  return check(platform, only, expected)
}

/** The presentations by query id. Unknown ids are included: they make the response invalid. */
function presentedIn(
  answers: readonly Answer[],
  vpToken: VpToken,
  isIncluded: (answer: Answer) => boolean,
): ReadonlyMap<string, readonly Presented[]> {
  const presented = new Map<string, readonly Presented[]>()
  for (const id of vpToken.keys()) if (!answers.some((one) => one.queryId === id)) presented.set(id, [])
  for (const one of answers) {
    if (one.checked.presented !== null && isIncluded(one)) presented.set(one.queryId, [one.checked.presented])
  }
  return presented
}

/** 3.9 steps 10 to 12 for one credential, in this order: the query, then the conditions of the template. */
function issuesOf(
  { queryId, credential, presentations, checked }: Answer,
  { findings }: DcqlCheckResult,
): readonly Issue[] {
  const issues = [...checked.issues]
  for (const { code } of findings.filter((one) => one.queryId === queryId)) {
    // a presentation that was discarded for a defect leaves its query unanswered
    if (code !== 'unanswered') issues.push(issue(`presentation.${code}` satisfies IssueCode))
    else if (presentations.length === 0) issues.push(issue('presentation.missing'))
  }
  if (checked.presented !== null && !issues.some(isDefect)) {
    issues.push(...checkConditions(requestedClaimsOf(credential), checked.presented.claims))
  }
  return issues
}

function resultOf({ credential, checked }: Answer, issues: readonly Issue[], isVerified: boolean): CredentialResult {
  const { name = null, type, format } = credential
  const isValid = checked.presented !== null && !issues.some(isDefect)
  // [DCQL-21] only requested claims, and none unless the whole response is verified
  const claims = isValid && isVerified ? (checked.presented?.claims ?? {}) : {}
  const attributes = pickRequested(requestedClaimsOf(credential), claims)
  return { isValid, name, type, format, attributes, issuer: checked.issuer, issues: [...issues] }
}

function unknownQueries({ findings }: DcqlCheckResult): readonly Issue[] {
  return findings.some((one) => one.code === 'unknown_query') ? [issue('presentation.unknown_query')] : []
}
