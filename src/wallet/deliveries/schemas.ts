import { type Static, Type } from 'typebox'
import { listQuery } from '../../api/list.ts'
import { deliveryKinds, deliveryStatuses, identifierTypes } from '../delivery-records/delivery.ts'
import { EXAMPLE_OFFER, OfferBody } from '../offers/schemas.ts'
import { EXAMPLE_REQUEST, PresentationBody } from '../presentations/schemas.ts'

const Uuid = Type.String({ format: 'uuid' })
const Time = Type.String({ format: 'date-time' })
const EXAMPLE_ID = '01890000-0000-7000-8000-000000000000'

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
export const DeliverCredentialBody = Type.Object(
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
export const DeliverPresentationBody = Type.Object(
  { presentationRequest: PresentationBody.properties.presentationRequest, ...recipient },
  {
    additionalProperties: false,
    $id: 'DeliverPresentationBody',
    examples: [{ presentationRequest: EXAMPLE_REQUEST, recipient: 'EXT-1', identifierType: 'externalIdentifier' }],
  },
)

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
export const WalletDeliveryListQuery = listQuery({
  filters: {
    status: Type.Enum([...deliveryStatuses]),
    kind: Type.Enum([...deliveryKinds]),
    userId: Uuid,
    issuanceId: Uuid,
  },
})

function exampleDelivery() {
  return {
    ...{ id: EXAMPLE_ID, kind: 'credential', status: 'delivered', recipient: 'thandi@example.org' },
    ...{ identifierType: 'email', userId: EXAMPLE_ID, credentialIds: [EXAMPLE_ID], error: null },
    ...{ createdAt: '2026-01-01T08:00:00.000Z', updatedAt: '2026-01-01T08:00:00.000Z' },
  }
}
