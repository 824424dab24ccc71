import { type Static, Type } from 'typebox'
import { IdParams } from '../id-params.ts'
import { listQuery } from '../list-query.ts'
import { operationGroup } from '../operation-group.ts'
import { time } from '../shapes.ts'
import { EXAMPLE_OFFER, OfferBody } from './offers.ts'
import { EXAMPLE_REQUEST, PresentationBody } from './presentations.ts'
import { offerFaults, presentationRequestFaults } from './refusals.ts'

const Uuid = Type.String({ format: 'uuid' })

const Time = time

const EXAMPLE_ID = '01890000-0000-7000-8000-000000000000'

/** Types of identifiers of a user. */
const identifierTypes = ['email', 'username', 'externalIdentifier'] as const

const recipient = {
  recipient: Type.String({
    minLength: 1,
    maxLength: 512,
    description: 'The e-mail address, username or external identifier of a user of the tenant.',
  }),
  identifierType: Type.Optional(
    Type.Enum([...identifierTypes], { description: 'What `recipient` is; email by default.' }),
  ),
}

/** Body that delivers an offer. */
const DeliverCredentialBody = Type.Object(
  {
    credentialOffer: OfferBody.properties.credentialOffer,
    ...recipient,
    txCode: Type.Optional(
      Type.String({ minLength: 1, maxLength: 255, description: 'The transaction code, if the offer needs one.' }),
    ),
  },
  {
    additionalProperties: false,
    $id: 'DeliverCredentialBody',
    examples: [{ credentialOffer: EXAMPLE_OFFER, recipient: 'thandi@example.org' }],
  },
)

/** Body that delivers a presentation request. */
const DeliverPresentationBody = Type.Object(
  { presentationRequest: PresentationBody.properties.presentationRequest, ...recipient },
  {
    additionalProperties: false,
    $id: 'DeliverPresentationBody',
    examples: [{ presentationRequest: EXAMPLE_REQUEST, recipient: 'EXT-1', identifierType: 'externalIdentifier' }],
  },
)

/** Kinds of deliveries. */
const deliveryKinds = ['credential', 'presentation'] as const

/** Statuses of a delivery. `deferred`: the issuer sends the rest later. `delivered` and `failed` are final. */
const deliveryStatuses = ['delivering', 'deferred', 'delivered', 'failed'] as const

function exampleDelivery() {
  return {
    id: EXAMPLE_ID,
    kind: 'credential',
    status: 'delivered',
    recipient: 'thandi@example.org',
    identifierType: 'email',
    userId: EXAMPLE_ID,
    credentialIds: [EXAMPLE_ID],
    error: null,
    createdAt: '2026-01-01T08:00:00.000Z',
    updatedAt: '2026-01-01T08:00:00.000Z',
  }
}

/** A delivery as the API shows it, without its content, which only the holder sees. */
export const WalletDeliveryReply = Type.Object(
  {
    id: Uuid,
    kind: Type.Enum([...deliveryKinds]),
    status: Type.Enum([...deliveryStatuses], {
      description:
        'delivering: in progress. deferred: the issuer sends (the rest of) it later. delivered: it is in the wallet, pending. failed: see error.',
    }),
    recipient: Type.String({ description: 'As in the request.' }),
    identifierType: Type.Enum([...identifierTypes]),
    userId: Uuid,
    issuanceId: Type.Optional(
      Type.String({ format: 'uuid', description: 'The issuance that was created for this delivery.' }),
    ),
    credentialIds: Type.Optional(
      Type.Array(Uuid, { description: 'Ids in the wallet of the user. Only for credentials.' }),
    ),
    presentationId: Type.Optional(
      Type.String({ format: 'uuid', description: 'Id in the wallet of the user, once it is delivered.' }),
    ),
    error: Type.Union(
      [Type.Object({ code: Type.String(), message: Type.String() }, { additionalProperties: false }), Type.Null()],
      { description: 'Why (a part of) it failed: the code that the call returned.' },
    ),
    createdAt: Time,
    updatedAt: Time,
  },
  { additionalProperties: false, $id: 'Delivery', examples: [exampleDelivery()] },
)

/** The type of {@link WalletDeliveryReply}. */
export type WalletDeliveryReply = Static<typeof WalletDeliveryReply>

/** The query of the list of deliveries. */
const WalletDeliveryListQuery = listQuery({
  filters: {
    status: Type.Enum([...deliveryStatuses]),
    kind: Type.Enum([...deliveryKinds]),
    userId: Uuid,
    issuanceId: Uuid,
  },
})

const ofDeliveries = operationGroup({
  group: 'wallet',
  tag: 'deliveries',
  scope: 'users:read',
  params: IdParams,
  reply: WalletDeliveryReply,
})

const deliverCredential = {
  summary: "Adds the offered credentials to a user's wallet as pending.",
  scope: 'issuance:write',
  body: DeliverCredentialBody,
  status: 201,
  faults: ['resource.unknown', 'state.invalid', ...offerFaults],
} as const

/** Deliveries of the organisation to the wallets of its users. */
export const deliveries = {
  deliverCredential: ofDeliveries.post('/v2/orgs/credentials', {
    ...deliverCredential,
    operationId: 'deliverCredential',
  }),
  deliverCredentialAtFormerPath: ofDeliveries.post('/orgs/credentials', {
    ...deliverCredential,
    operationId: 'deliverCredentialAtFormerPath',
  }),

  deliverPresentation: ofDeliveries.post('/v2/orgs/presentations', {
    operationId: 'deliverPresentation',
    summary: "Creates a pending presentation in a user's wallet; the user accepts or declines it.",
    scope: 'verification:write',
    body: DeliverPresentationBody,
    status: 201,
    faults: ['resource.unknown', 'state.invalid', ...presentationRequestFaults],
  }),

  list: ofDeliveries.list('/v2/orgs/deliveries', {
    summary: 'Lists the deliveries of the organisation to its users, failed ones included.',
    query: WalletDeliveryListQuery,
  }),

  get: ofDeliveries.get('/v2/orgs/deliveries/{id}', {
    summary: 'Returns the record of a delivery.',
  }),
} as const

/** One of {@link deliveryKinds}. */
export type DeliveryKind = (typeof deliveryKinds)[number]

/** One of {@link deliveryStatuses}. */
export type DeliveryStatus = (typeof deliveryStatuses)[number]

/** One of {@link identifierTypes}. */
export type IdentifierType = (typeof identifierTypes)[number]
