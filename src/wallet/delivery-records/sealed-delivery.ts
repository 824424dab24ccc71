import type { TenantId } from '../../caller.ts'
import { readOwnJson } from '../../crypto/json.ts'
import type { Sealing } from '../../keys/sealing.ts'
import type { DeliveryPayload } from './delivery.ts'

/** Seals the identifier of a recipient. */
export function sealRecipient(sealing: Sealing, tenantId: TenantId, id: string, recipient: string): Promise<Buffer> {
  return sealing.seal(place(tenantId, id, 'sealed_recipient'), recipient)
}

/** Opens the identifier of a recipient. */
export async function openRecipient(sealing: Sealing, tenantId: TenantId, id: string, sealed: Buffer): Promise<string> {
  return (await sealing.open(place(tenantId, id, 'sealed_recipient'), sealed)).toString('utf8')
}

/** Seals the payload of a delivery. */
export function sealPayload(
  sealing: Sealing,
  tenantId: TenantId,
  id: string,
  payload: DeliveryPayload,
): Promise<Buffer> {
  return sealing.seal(place(tenantId, id, 'sealed_parcel'), JSON.stringify(payload))
}

/** Opens the payload of a delivery. */
export async function openPayload(
  sealing: Sealing,
  tenantId: TenantId,
  id: string,
  sealed: Buffer,
): Promise<DeliveryPayload> {
  const plain = await sealing.open(place(tenantId, id, 'sealed_parcel'), sealed)
  // Sealed by sealPayload in this form.
  return readOwnJson(plain) as DeliveryPayload
}

function place(tenantId: TenantId, row: string, column: string) {
  return { tenantId, table: 'wallet_delivery', column, row }
}
