import type { UserId } from '../../caller.ts'
import { type Fault, faults } from '../../fault.ts'

/** Kinds of deliveries. */
export const deliveryKinds = ['credential', 'presentation'] as const
/** One of {@link deliveryKinds}. */
export type DeliveryKind = (typeof deliveryKinds)[number]

/** Statuses of a delivery. `deferred`: the issuer sends the rest later. `delivered` and `failed` are final. */
export const deliveryStatuses = ['delivering', 'deferred', 'delivered', 'failed'] as const
/** One of {@link deliveryStatuses}. */
export type DeliveryStatus = (typeof deliveryStatuses)[number]

/** Types of identifiers of a user. */
export const identifierTypes = ['email', 'username', 'externalIdentifier'] as const
/** One of {@link identifierTypes}. */
export type IdentifierType = (typeof identifierTypes)[number]

/** Why a delivery failed, as returned to its caller. */
export type DeliveryError = { readonly code: string; readonly message: string }

/** One delivery to one user, without its sealed parts. */
export type WalletDelivery = {
  readonly id: string
  readonly userId: UserId
  readonly kind: DeliveryKind
  readonly status: DeliveryStatus
  readonly identifierType: IdentifierType
  readonly issuanceId: string | null
  readonly credentialIds: readonly string[]
  /** Chosen at the start; the presentation exists once it is delivered. */
  readonly presentationId: string | null
  readonly error: DeliveryError | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** What is to be delivered. Secret: an offer is enough to redeem it. */
export type DeliveryPayload =
  | { readonly credentialOffer: string; readonly txCode?: string | undefined }
  | { readonly presentationRequest: string }

/** Returns what is stored of the fault that a delivery failed with. */
export function deliveryErrorOf({ code, detail }: Pick<Fault, 'code' | 'detail'>): DeliveryError {
  const { api, title } = faults[code]
  return { code: api[1], message: detail ?? title }
}
