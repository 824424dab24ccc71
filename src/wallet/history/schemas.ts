import { Type } from 'typebox'
import { IdParams } from '../../api/id-params.ts'
import { Credential } from '../credentials/schemas.ts'
import { historyKinds, historyStatuses } from './history.ts'

const { id: Uuid } = IdParams.properties
const Time = Type.String({ format: 'date-time' })
const Paths = (description: string) => Type.Array(Type.String(), { description })
const { format } = Credential.properties

const CredentialTrace = Type.Object(
  {
    vct: Type.String({ description: 'Its type; of an mdoc the document type.' }),
    format,
    iss: Type.Union([Type.String(), Type.Null()], { description: 'The issuer, as the credential names it.' }),
    credentialIssuer: Type.String({ description: 'The address that it was received from.' }),
    standing: Type.Optional(
      Type.Enum(['suspended', 'revoked'], {
        description: 'What its issuer has done to it, as far as is known. Left out while it is valid.',
      }),
    ),
  },
  { additionalProperties: false },
)
const Selected = Type.Object(
  {
    credentialId: Uuid,
    vct: Type.Union([Type.String(), Type.Null()], {
      description: 'Its type, also after it was removed. null: it was removed before removed ones were remembered.',
    }),
    matchedAttributes: Paths('Claim paths, dotted; of an mdoc namespace/element. Never a value.'),
    alsoDisclosed: Paths('What goes along because its issuer put it in the clear.'),
  },
  { additionalProperties: false },
)
const PresentationTrace = Type.Object(
  {
    verifier: Type.Object(
      {
        clientId: Type.String({ description: 'What the verifier calls itself.' }),
        name: Type.String(),
        responseHost: Type.String({ description: 'Where answers go.' }),
        authenticated: Type.Boolean({ description: 'The name was proved by a signature.' }),
        trusted: Type.Boolean({ description: 'The organisation of the holder trusts it.' }),
      },
      { additionalProperties: false },
    ),
    purpose: Type.Optional(Type.String({ description: 'Why it asked, in its own words.' })),
    disclosed: Type.Enum(['yes', 'no', 'unknown'], {
      description:
        'Whether the verifier got what stands in selectedCredentials. unknown: it was sent, but the verifier did not confirm it.',
    }),
    selectedCredentials: Type.Array(Selected, { description: 'What was, or would have been, shared: see disclosed.' }),
    error: Type.Optional(
      Type.Object({ code: Type.String(), message: Type.String() }, { description: 'Why it failed.' }),
    ),
  },
  { additionalProperties: false },
)

/** A line of a holder's history. */
export const HistoryEntry = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'Of the credential or the presentation.' }),
    kind: Type.Enum([...historyKinds], {
      description: 'credential: it was received. presentation: a verifier asked for something.',
    }),
    status: Type.Enum([...historyStatuses], {
      description:
        'What became of it. A credential: pending, accepted, rejected, removed. A presentation: pending, answered, rejected, failed, expired.',
    }),
    createdAt: Type.String({ format: 'date-time', description: 'When it was received, or asked for.' }),
    updatedAt: Type.String({
      format: 'date-time',
      description: 'When it got this status: of an answered presentation the time of sharing.',
    }),
    credential: Type.Optional(CredentialTrace),
    presentation: Type.Optional(PresentationTrace),
  },
  { additionalProperties: false, $id: 'HistoryEntry' },
)

/** What the history may be narrowed to. */
export const historyFilters = {
  kind: Type.Enum([...historyKinds]),
  status: Type.Enum([...historyStatuses]),
  createdAfter: Time,
  createdBefore: Time,
}
