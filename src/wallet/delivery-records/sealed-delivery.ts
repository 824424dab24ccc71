import { sealedJson, sealedText } from '../../keys/sealed-column.ts'
import type { DeliveryPayload } from './delivery.ts'

/** The identifier of a recipient. */
export const { seal: sealRecipient, open: openRecipient } = sealedText('wallet_delivery', 'sealed_recipient')

/** The payload of a delivery. */
export const { seal: sealPayload, open: openPayload } = sealedJson<DeliveryPayload>('wallet_delivery', 'sealed_parcel')
