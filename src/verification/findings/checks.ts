import { type CheckCode, type CheckView, checkCodes, type IssuerBasis } from '../../contract/verification/checks.ts'
import { type Issue, isDefect } from './finding.ts'

// The order of the members is that of the checks.
/** What the checks of a presentation found out besides issues. */
export type CheckFacts = {
  readonly acceptedAs: IssuerBasis | null
  /** Whether the holder had to prove possession of the key, or did. */
  readonly holderBinding: boolean
  /** `none`: the credential has no status list; `skipped`: an earlier check failed. */
  readonly status: 'read' | 'none' | 'skipped'
  readonly statusAsOf: Date | null
}

/** What the template asks beyond the credential itself. */
type Asked = { readonly values: boolean; readonly transaction: boolean }

const areas: Readonly<Record<CheckCode, RegExp>> = {
  form: /^(presentation\.(malformed|format|type|too_many|duplicate|unknown_query)|vct\.|doc_type\.|structure\.|claim\.|response\.)/,
  signature: /^(jwt|issuer_auth|digest|disclosure|element|sd_alg|mso)\./,
  issuer: /^(issuer|certificate|chain|ca|iaca|leaf|crl)\.|^presentation\.trusted_authority$/,
  validity: /^validity\./,
  holder_binding: /^(kb|cnf|device_auth|device_key|device_signed|audience)\.|^presentation\.holder_binding$/,
  status: /^status\./,
  claims: /^presentation\.(missing|claims|elements)$/,
  values: /^value\./,
  transaction: /^presentation\.transaction_data$/,
}

/**
 * Returns every check of a presented credential with its outcome, those that passed too.
 *
 * @param facts Null: the presentation was refused before its signature was verified.
 */
export function checksOf(issues: readonly Issue[], facts: CheckFacts | null, asked: Asked): CheckView[] {
  const isSound = facts !== null && !issues.some((one) => isDefect(one) && !/^(presentation|value)\./.test(one.code))
  const isReached: Readonly<Record<CheckCode, boolean>> = {
    form: !issues.some(({ code }) => code === 'presentation.missing'),
    signature: facts !== null,
    issuer: facts !== null,
    validity: facts !== null,
    holder_binding: facts !== null,
    status: facts?.status === 'read',
    claims: isSound,
    values: isSound && !issues.some((one) => isDefect(one) && areas.claims.test(one.code)),
    transaction: isSound,
  }
  const isAsked: Readonly<Record<CheckCode, boolean>> = {
    form: true,
    signature: true,
    issuer: true,
    validity: true,
    claims: true,
    ...asked,
    holder_binding: facts?.holderBinding !== false,
    status: facts?.status !== 'none',
  }
  return checkCodes.map((code) => {
    const own = issues.filter((one) => areas[code].test(one.code))
    return {
      code,
      outcome: outcomeOf(own, isAsked[code], isReached[code]),
      issues: [...new Set(own.map((one) => one.code))],
      ...(code === 'issuer' && facts?.acceptedAs && { acceptedAs: facts.acceptedAs }),
      ...(code === 'status' && facts?.statusAsOf && { statusAsOf: facts.statusAsOf.toISOString() }),
    }
  })
}

function outcomeOf(own: readonly Issue[], isAsked: boolean, isReached: boolean): CheckView['outcome'] {
  if (own.some(isDefect)) return 'failed'
  if (own.length > 0) return 'warning'
  if (!isAsked) return 'not_asked'
  return isReached ? 'passed' : 'not_checked'
}
