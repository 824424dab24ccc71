import { type Static, Type } from 'typebox'
import type { Json } from '../../crypto/json.ts'
import { operationGroup } from '../operation-group.ts'
import { orNull, time } from '../shapes.ts'
import { CredentialDisplay } from './card-display.ts'
import { Credential } from './credentials.ts'
import { offerFaults, previewFaults } from './refusals.ts'
import { TrustBasis } from './trust-basis.ts'

/** An offer in the examples of the reference. */
export const EXAMPLE_OFFER =
  'openid-credential-offer://?credential_offer_uri=https%3A%2F%2Fcredentials.example.org%2Fissuers%2Facme%2Foffers%2FAaH7HKzsc7O9H8AJ'

const Loose = Type.Unsafe<Readonly<Record<string, unknown>>>({ type: 'object', additionalProperties: true })

const { format } = Credential.properties

/** Body with a credential offer. */
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
        description: 'The transaction code that the issuer sent through another channel.',
      }),
    ),
  },
  { additionalProperties: false, $id: 'OfferBody', examples: [{ credentialOffer: EXAMPLE_OFFER }] },
)

/** Body of a preview. */
const ResolveBody = Type.Object(
  { credentialOffer: OfferBody.properties.credentialOffer },
  { additionalProperties: false, $id: 'ResolveBody', examples: [{ credentialOffer: EXAMPLE_OFFER }] },
)

/** A credential offer with the metadata of its issuer. All of it is stated by the issuer, nothing is verified. */
export const ResolvedOffer = Type.Object(
  {
    credentialIssuer: Type.String({ description: 'The issuer of the offer, which receives the transaction code.' }),
    display: Type.Array(Loose),
    credentials: Type.Array(
      Type.Object({
        credentialConfigurationId: Type.String(),
        format,
        vct: Type.String({ description: 'Of an mdoc the document type.' }),
        display: Type.Array(Loose),
        claims: Type.Array(Loose),
        shown: CredentialDisplay,
      }),
    ),
    trust: Type.Enum(['own', 'trusted_entity', 'unknown'], {
      description:
        'Whether the organisation of the holder knows the issuer: it is the organisation itself, one of its trusted entities, or unknown.',
    }),
    expiresAt: Type.Union([time, Type.Null()], {
      description: 'When the offer ends, as its server states in the header `Sunset`; null: not stated.',
    }),
    takenCredentials: Type.Array(Type.String({ format: 'uuid' }), {
      description:
        'Credentials in the wallet that were received for this offer. A pre-authorized code is redeemed once.',
    }),
    authorization: Type.Enum(['preAuthorized', 'code'], {
      description: 'code: the holder must sign in at the issuer.',
    }),
    txCode: Type.Union([
      Type.Object({
        inputMode: Type.Enum(['numeric', 'text']),
        length: orNull(Type.Integer()),
        description: orNull(Type.String()),
      }),
      Type.Null(),
    ]),
  },
  { $id: 'ResolvedOffer' },
)

/** The type of {@link ResolvedOffer}. */
export type ResolvedOffer = Static<typeof ResolvedOffer>

/** The `meta` of a resolved offer: what is known of it besides what its issuer states. */
export const ResolvedMeta = Type.Object(
  {
    trust: Type.Optional(TrustBasis),
    offer: Type.Optional(
      Type.Object(
        {
          state: Type.Enum(['taken'], {
            description: 'A wallet has redeemed it; `takenCredentials` has what this one got.',
          }),
          issuerName: Type.Optional(Type.String({ description: 'The name of the issuer.' })),
        },
        {
          description:
            'Absent while the offer can be taken. Only for issuers of this deployment; others do not say it.',
        },
      ),
    ),
    isBeingRedeemed: Type.Optional(
      Type.Boolean({ description: 'true: the wallet has redeemed the offer and adds the credentials by itself.' }),
    ),
  },
  { $id: 'ResolvedMeta' },
)

/** The type of {@link ResolvedMeta}. */
export type ResolvedMeta = Static<typeof ResolvedMeta>

/** The `meta` of accepted credentials. */
const AcceptedMeta = Type.Object(
  {
    deferred: Type.Optional(
      Type.Array(
        Type.Object({
          credentialConfigurationId: Type.String(),
          vct: orNull(Type.String()),
          intervalSeconds: Type.Integer(),
        }),
        { description: 'Credentials that their issuer delivers later; the wallet adds them when they are issued.' },
      ),
    ),
    incomplete: Type.Optional(
      Type.Array(Type.Object({ credentialId: Type.String(), lacks: Type.Array(Type.Unsafe<Json>({})) }), {
        description: 'Credentials that lack claims which the metadata of their issuer calls mandatory.',
      }),
    ),
  },
  { $id: 'AcceptedMeta' },
)

const ofOffers = operationGroup({
  group: 'wallet',
  tag: 'credentials',
  scope: 'wallet:write',
  faults: ['holder.missing'],
})

/** Credential offers to the wallet of the caller. */
export const offers = {
  accept: ofOffers.post('/v2/credentials', {
    operationId: 'acceptCredentialOffer',
    summary: 'Redeems a credential offer, verifies the credentials and adds them to the wallet as pending.',
    body: OfferBody,
    status: 201,
    reply: Type.Array(Credential),
    meta: AcceptedMeta,
    faults: offerFaults,
  }),

  resolve: ofOffers.post('/v2/credential-offers/resolve', {
    operationId: 'resolveCredentialOffer',
    summary: 'Returns a preview of a credential offer, without consuming it.',
    scope: 'wallet:read',
    body: ResolveBody,
    reply: ResolvedOffer,
    meta: ResolvedMeta,
    faults: previewFaults,
  }),
} as const
