import { Type } from 'typebox'
import { type Issue, isDefect } from './finding.ts'

/** The checks of a presented credential, in their order. Codes are stable. */
export const checkMeanings = {
  form: 'It is a well-formed credential of the requested format and type.',
  signature: 'The issuer signed it, and nothing in it was changed.',
  issuer: 'The template accepts the issuer; `acceptedAs` says on what ground.',
  validity: 'Its validity period has begun and has not ended.',
  holder_binding: 'The holder proved possession of the key that it is bound to, for this request.',
  status:
    'The status list of the issuer says that it is neither revoked nor suspended; `statusAsOf` says how old the list is.',
  claims: 'Every requested claim was disclosed.',
  values: 'The claims have the values that the template requires.',
  transaction: 'The key of the credential signed the transaction data of the request.',
} as const
type CheckCode = keyof typeof checkMeanings
// The order of the members is that of the checks.
const checkCodes = Object.keys(checkMeanings) as CheckCode[]

const issuerBases = ['any', 'named', 'trusted_entity', 'own', 'type_owner'] as const
/** On what ground an issuer is accepted. */
export type IssuerBasis = (typeof issuerBases)[number]

/** One check of a credential and its outcome, for people and programs. */
export const CheckView = Type.Object(
  {
    code: Type.Enum([...checkCodes], {
      description: 'What was checked; docs/codes.md says what each means.',
    }),
    outcome: Type.Enum(['passed', 'warning', 'failed', 'not_asked', 'not_checked'], {
      description:
        '`not_asked`: the template or the credential has nothing to check. `not_checked`: an earlier check failed.',
    }),
    issues: Type.Array(Type.String(), { description: 'The codes of the issues that the outcome is from.' }),
    acceptedAs: Type.Optional(
      Type.Enum([...issuerBases], {
        description:
          'Of the issuer: the template accepts any, names it, or it is a trusted entity, the organisation itself, or the owner of the type.',
      }),
    ),
    statusAsOf: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'Of the status: when the issuer signed the list that was read.',
      }),
    ),
  },
  { additionalProperties: false, $id: 'VerificationCheck' },
)
export type CheckView = Type.Static<typeof CheckView>

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
    ...{ form: true, signature: true, issuer: true, validity: true, claims: true, ...asked },
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
