import type { TenantId } from '../../caller.ts'
import { readOwnJson } from '../../crypto/json.ts'
import type { RecipientIdentifier } from '../../directory/users/find-recipient.ts'
import type { SealedPlace, Sealing } from '../../keys/sealing.ts'

/** Seals the recipient of an item. */
export async function sealBatchRecipient(
  sealing: Sealing,
  tenantId: TenantId,
  itemId: string,
  recipient: RecipientIdentifier,
): Promise<Buffer> {
  return sealing.seal(placeOf(tenantId, itemId), JSON.stringify(recipient))
}

/** Opens what {@link sealBatchRecipient} sealed. */
export async function openBatchRecipient(
  sealing: Sealing,
  tenantId: TenantId,
  itemId: string,
  sealed: Buffer,
): Promise<RecipientIdentifier> {
  const opened = await sealing.open(placeOf(tenantId, itemId), sealed)
  // Sealed by this server.
  return readOwnJson(opened) as RecipientIdentifier
}

function placeOf(tenantId: TenantId, itemId: string): SealedPlace {
  return { tenantId, table: 'issuance_batch_item', column: 'sealed_recipient', row: itemId }
}
