import { type Static, Type } from 'typebox'
import { consents } from './credential.ts'
import { walletFormats } from './wallet-format.ts'

const Uuid = Type.String({ format: 'uuid' })
const Time = Type.String({ format: 'date-time' })
/** An offer in the examples of the reference. */
export const EXAMPLE_OFFER =
  'openid-credential-offer://?credential_offer_uri=https%3A%2F%2Fcredentials.example.org%2Fissuers%2Facme%2Foffers%2FAaH7HKzsc7O9H8AJ'
/** A presentation request in the examples of the reference. */
export const EXAMPLE_REQUEST =
  'openid4vp://?client_id=decentralized_identifier%3Adid%3Aweb%3Acredentials.example.org%3Aissuers%3Aacme&request_uri=https%3A%2F%2Fcredentials.example.org%2Fverifiers%2Facme%2Frequests%2FAaH7HVQAdF6'
const Loose = Type.Unsafe<Readonly<Record<string, unknown>>>({ type: 'object', additionalProperties: true })

const Format = Type.Enum([...walletFormats], {
  description: 'vc+sd-jwt: SD-JWT VC, whatever the issuer calls it. mso_mdoc: ISO mdoc, where the tenant opened it.',
})

/** Body of a change of consent. */
export const ConsentBody = Type.Object(
  {
    status: Type.Enum([...consents], {
      description: 'The consent of the holder. Only accepted credentials are ever presented.',
    }),
  },
  { additionalProperties: false, $id: 'ConsentBody', examples: [{ status: 'accepted' }] },
)

/** A credential of a wallet. */
export const Credential = Type.Object(
  {
    id: Uuid,
    claims: Type.Unsafe<Readonly<Record<string, unknown>>>({
      type: 'object',
      additionalProperties: true,
      description:
        'What the credential says about its subject. Of an mdoc, namespaces with their elements: dates are texts, byte strings base64url.',
    }),
    iat: Type.String({
      format: 'date-time',
      description: 'When it was issued; if the issuer does not say, when it was received.',
    }),
    status: Type.Enum([...consents], { description: 'The consent of the holder.' }),
    format: Format,
    vct: Type.String({
      minLength: 1,
      maxLength: 256,
      description: 'The type of the credential; of an mdoc the document type.',
    }),
    iss: Type.Optional(
      Type.String({ minLength: 1, maxLength: 512, description: 'The issuer: a DID, an https identifier or a DN.' }),
    ),
  },
  { $id: 'Credential' },
)

/** Body that brings an offer. */
export const OfferBody = Type.Object(
  {
    credentialOffer: Type.String({
      minLength: 1,
      maxLength: 65_536,
      description:
        'openid-credential-offer://…, any https URL with credential_offer or credential_offer_uri, or the JSON of the offer.',
    }),
    txCode: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description: 'The transaction code that the issuer sent by another way.',
      }),
    ),
  },
  { additionalProperties: false, $id: 'OfferBody', examples: [{ credentialOffer: EXAMPLE_OFFER }] },
)

/** Body of a preview. */
export const ResolveBody = Type.Object(
  { credentialOffer: OfferBody.properties.credentialOffer },
  { additionalProperties: false, $id: 'ResolveBody', examples: [{ credentialOffer: EXAMPLE_OFFER }] },
)

/** What an offer would bring. All of it is the issuer's own word. */
export const ResolvedOffer = Type.Object(
  {
    credentialIssuer: Type.String({ description: 'Whose offer it is, and who would get a transaction code.' }),
    display: Type.Array(Loose),
    credentials: Type.Array(
      Type.Object({
        credentialConfigurationId: Type.String(),
        format: Format,
        vct: Type.String({ description: 'Of an mdoc the document type.' }),
        display: Type.Array(Loose),
        claims: Type.Array(Loose),
      }),
    ),
    authorization: Type.Enum(['preAuthorized', 'code'], {
      description: 'code: the holder has to sign in at the issuer.',
    }),
    txCode: Type.Union([
      Type.Object({
        inputMode: Type.Enum(['numeric', 'text']),
        length: Type.Union([Type.Integer(), Type.Null()]),
        description: Type.Union([Type.String(), Type.Null()]),
      }),
      Type.Null(),
    ]),
  },
  { $id: 'ResolvedOffer' },
)
/** As {@link ResolvedOffer}, for code. */
export type ResolvedOffer = Static<typeof ResolvedOffer>

const SelectedCredential = Type.Object(
  {
    credentialId: Uuid,
    matchedAttributes: Type.Array(Type.String(), {
      description: 'Claim paths, dotted; [] stands for every element of an array. Of an mdoc namespace/element.',
    }),
  },
  { additionalProperties: false },
)

/** Statuses of a presentation; all but `pending` are final. */
export const presentationStatuses = ['pending', 'answered', 'rejected', 'expired', 'failed'] as const
/** One of {@link presentationStatuses}. */
export type PresentationStatus = (typeof presentationStatuses)[number]

/** What a verifier asked of a holder. */
export const Presentation = Type.Object(
  {
    id: Uuid,
    tenantId: Type.String({ format: 'uuid', description: 'The tenant of the holder.' }),
    status: Type.Enum([...presentationStatuses], { description: 'All but pending are final.' }),
    createdAt: Time,
    updatedAt: Time,
    selectedCredentials: Type.Array(SelectedCredential, {
      description: 'What is, or would be, shared. Empty: nothing in the wallet answers the request.',
    }),
  },
  { $id: 'Presentation' },
)
/** A presentation as the API shows it. */
export type ShownPresentation = Static<typeof Presentation>

/** Body that brings a presentation request. */
export const PresentationBody = Type.Object(
  {
    presentationRequest: Type.String({
      minLength: 1,
      maxLength: 65_536,
      description: 'openid4vp://…, or any https URL with client_id and request_uri.',
    }),
  },
  { additionalProperties: false, $id: 'PresentationBody', examples: [{ presentationRequest: EXAMPLE_REQUEST }] },
)

/** Body of the holder's answer. */
export const AnswerBody = Type.Object(
  {
    status: Type.Enum(['answered', 'rejected'], { description: 'Whether the holder shares, or refuses.' }),
    selectedCredentials: Type.Optional(
      Type.Array(
        Type.Object(
          {
            credentialId: Uuid,
            matchedAttributes: Type.Optional(Type.Array(Type.String({ maxLength: 1024 }), { maxItems: 256 })),
          },
          { additionalProperties: false },
        ),
        {
          minItems: 1,
          maxItems: 64,
          description:
            'Which of the alternatives to present; the proposal if absent. What is disclosed follows from the request.',
        },
      ),
    ),
  },
  { additionalProperties: false, $id: 'AnswerBody', examples: [{ status: 'answered' }] },
)
/** The holder's answer. */
export type AnswerBody = Static<typeof AnswerBody>

/** The caller's own record. */
export const CurrentUser = Type.Object(
  {
    id: Type.String(),
    name: Type.String({ description: 'First and last name, else the username; of a client its id.' }),
    email: Type.String({ description: 'Empty for a client.' }),
  },
  { $id: 'CurrentUser' },
)
