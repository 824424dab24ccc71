import type { TenantId } from '../../caller.ts'
import type { Actor } from '../../events/audit/entry.ts'
import type { Platform } from '../../platform.ts'
import { reinstateOffered } from './reinstate-offer-store.ts'

/**
 * Reinstates an offer whose access token was lost because the process of our own wallet died. The token is revoked, so there is still one
 * credential. Does nothing if the offer was not redeemed or a holder key is bound.
 */
export async function reinstateOffer(
  { store, clock }: Pick<Platform, 'store' | 'clock'>,
  tenantId: TenantId,
  issuanceId: string,
  by: Actor,
): Promise<void> {
  const entry = { action: 'issuance.reoffered', subject: { kind: 'issuance', id: issuanceId }, by } as const
  await store.single(tenantId, (tx) => reinstateOffered(tx, issuanceId, entry, clock.now()))
}
