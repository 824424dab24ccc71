import { type Static, Type } from 'typebox'
import { templateFormats } from '../templates/presentation-template.ts'
import { requestStatuses } from './presentation-request.ts'

/** Body of POST /presentations/request. */
export const CreateRequestBody = Type.Object(
  {
    presentationTemplateId: Type.String({ maxLength: 64, description: 'Which presentation template to ask with.' }),
    reference: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200, description: 'Your own correlation id; given back and filterable.' }),
    ),
    expiresInSeconds: Type.Optional(
      Type.Integer({
        minimum: 30,
        maximum: 86_400,
        description: 'How long it may be answered. Before: the template, then the server.',
      }),
    ),
    redirectUri: Type.Optional(
      Type.String({
        maxLength: 2000,
        description:
          "Where the holder's browser goes after the answer, with a fresh `response_code`. For flows on one device.",
      }),
    ),
  },
  {
    additionalProperties: false,
    $id: 'OpenRequestBody',
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
        'What the template asks for and nothing else, for an mdoc by namespace; empty unless the request is verified and the credential valid.',
    }),
    issuer: Type.Union([Type.String(), Type.Null()], {
      description: 'Who issued it: a DID, an https identifier, or the subject of the certificate that signed.',
    }),
    issues: Type.Array(Issue, {
      description:
        '`issuer.not_restricted` says that the template allows any issuer and is no defect; every other issue makes the credential invalid.',
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
    authorizationRequestQrUri: Type.String({ description: 'The same as a QR image (SVG, or PNG by Accept).' }),
    createdAt: Type.String({ format: 'date-time' }),
    updatedAt: Type.String({ format: 'date-time' }),
  },
  { additionalProperties: false, $id: 'PresentationRequest' },
)
export type PresentationRequestReply = Static<typeof PresentationRequestReply>
