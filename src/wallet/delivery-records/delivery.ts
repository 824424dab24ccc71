import type { UserId } from '../../caller.ts'
import { type Fault, faults } from '../../fault.ts'

/** What may be delivered to a user. */
export const deliveryKinds = ['credential', 'presentation'] as const
/** One of {@link deliveryKinds}. */
export type DeliveryKind = (typeof deliveryKinds)[number]

/** Statuses of a delivery. `deferred`: the issuer gives the rest later. `delivered` and `failed` are final. */
export const deliveryStatuses = ['delivering', 'deferred', 'delivered', 'failed'] as const
/** One of {@link deliveryStatuses}. */
export type DeliveryStatus = (typeof deliveryStatuses)[number]

/** What a user may be named by. */
export const identifierTypes = ['email', 'username', 'externalIdentifier'] as const
/** One of {@link identifierTypes}. */
export type IdentifierType = (typeof identifierTypes)[number]

/** Why a delivery failed, as its caller was told. */
export type DeliveryError = { readonly code: string; readonly message: string }

/** One delivery to one user, without what is sealed. */
export type WalletDelivery = {
  readonly id: string
  readonly userId: UserId
  readonly kind: DeliveryKind
  readonly status: DeliveryStatus
  readonly identifierType: IdentifierType
  readonly issuanceId: string | null
  readonly credentialIds: readonly string[]
  /** Chosen at the start; there once it is delivered. */
  readonly presentationId: string | null
  readonly error: DeliveryError | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** What is to be delivered. Secret: an offer is worth its credential. */
export type DeliveryPayload =
  | { readonly credentialOffer: string; readonly txCode?: string | undefined }
  | { readonly presentationRequest: string }

/** What is kept of the reason that a delivery failed for. */
export function deliveryErrorOf({ code, detail }: Pick<Fault, 'code' | 'detail'>): DeliveryError {
  const { api, title } = faults[code]
  return { code: api[1], message: detail ?? title }
}
