import type { TenantId } from '../../caller.ts'
import type { WalletDeliveryReply } from '../../contract/wallet/deliveries.ts'
import type { Platform } from '../../platform.ts'
import type { SealedDelivery } from '../delivery-records/delivery-store.ts'
import { openRecipient } from '../delivery-records/sealed-delivery.ts'

/** Returns a delivery as the API shows it. */
export async function showDelivery(
  { sealing }: Pick<Platform, 'sealing'>,
  tenantId: TenantId,
  delivery: SealedDelivery,
): Promise<WalletDeliveryReply> {
  const { id, kind, status, identifierType, userId, issuanceId, credentialIds, presentationId, error } = delivery
  return {
    id,
    kind,
    status,
    identifierType,
    userId,
    recipient: await openRecipient(sealing, tenantId, id, delivery.sealedRecipient),
    ...(issuanceId !== null && { issuanceId }),
    ...(kind === 'credential' && { credentialIds: [...credentialIds] }),
    ...(presentationId !== null && status === 'delivered' && { presentationId }),
    error,
    createdAt: delivery.createdAt.toISOString(),
    updatedAt: delivery.updatedAt.toISOString(),
  }
}
