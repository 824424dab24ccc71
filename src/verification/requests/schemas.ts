import { type Static, Type } from 'typebox'
import { templateFormats } from '../templates/schemas.ts'

/** Statuses of a request in the API. `requested` is open; the others are final. */
const requestStatuses = ['requested', 'verified', 'rejected', 'failed', 'expired'] as const

/** Body of POST /presentations/request. */
export const CreateRequestBody = Type.Object(
  {
    presentationTemplateId: Type.String({ maxLength: 64, description: 'Id of the presentation template.' }),
    reference: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'Your own correlation id; returned with the request and usable as a filter.',
      }),
    ),
    expiresInSeconds: Type.Optional(
      Type.Integer({
        minimum: 30,
        maximum: 86_400,
        description: 'Lifetime of the request; by default that of the template, else of the server.',
      }),
    ),
    redirectUri: Type.Optional(
      Type.String({
        maxLength: 2000,
        description:
          "Where the wallet sends the holder's browser after the response, with a fresh `response_code` (same-device flow).",
      }),
    ),
  },
  {
    additionalProperties: false,
    $id: 'CreatePresentationRequestBody',
    examples: [{ presentationTemplateId: '01890000-0000-7000-8000-000000000000', reference: 'application-17' }],
  },
)
export type CreateRequestBody = Static<typeof CreateRequestBody>

const Issue = Type.Object(
  {
    code: Type.String({ description: 'Stable.' }),
    message: Type.String(),
  },
  { additionalProperties: false },
)

const CredentialResult = Type.Object(
  {
    isValid: Type.Boolean(),
    name: Type.Union([Type.String(), Type.Null()]),
    type: Type.String(),
    format: Type.Enum([...templateFormats]),
    attributes: Type.Record(Type.String(), Type.Unknown(), {
      description:
        'The requested claims only, for an mdoc by namespace; empty unless the request is verified and the credential valid.',
    }),
    issuer: Type.Union([Type.String(), Type.Null()], {
      description: 'The issuer: a DID, an https identifier, or the subject of the signer certificate.',
    }),
    issues: Type.Array(Issue, {
      description:
        '`issuer.not_restricted`, `validity.certificate` and `presentation.elements` are warnings; every other issue makes the credential invalid.',
    }),
  },
  { additionalProperties: false, $id: 'CredentialResult' },
)

/** A presentation request with its result. */
export const PresentationRequestReply = Type.Object(
  {
    id: Type.String(),
    status: Type.Enum([...requestStatuses]),
    error: Type.Union([
      Type.Null(),
      Type.Object(
        { code: Type.Integer(), message: Type.String(), details: Type.Array(Issue) },
        { additionalProperties: false },
      ),
    ]),
    presentationTemplateId: Type.String(),
    reference: Type.Optional(Type.String()),
    credentials: Type.Array(CredentialResult),
    expiresAt: Type.String({ format: 'date-time' }),
    authorizationRequestUri: Type.String({ description: 'Opens a wallet on the same device.' }),
    authorizationRequestQrUri: Type.String({ description: 'The same as a QR code: SVG, or PNG by `Accept`.' }),
    createdAt: Type.String({ format: 'date-time' }),
    updatedAt: Type.String({ format: 'date-time' }),
  },
  { additionalProperties: false, $id: 'PresentationRequest' },
)
export type PresentationRequestReply = Static<typeof PresentationRequestReply>
