import { Type } from 'typebox'

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

/** The code of a check. */
export type CheckCode = keyof typeof checkMeanings

/** The codes of the checks, in their order. */
// The order of the members is that of the checks.
export const checkCodes = Object.keys(checkMeanings) as CheckCode[]

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
