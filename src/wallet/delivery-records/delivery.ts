import type { UserId } from '../../caller.ts'
import type { DeliveryKind, DeliveryStatus, IdentifierType } from '../../contract/wallet/deliveries.ts'
import { type Fault, faults } from '../../fault.ts'

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
