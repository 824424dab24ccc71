import type { TenantId } from '../../caller.ts'
import type { Actor } from '../../events/audit/entry.ts'
import type { Platform } from '../../platform.ts'
import { reinstateOffered } from './reinstate-offer-store.ts'

/**
 * Lets an offer be redeemed again whose access token was lost on its way to our own wallet: between the two a process can die, and then the
 * credential could be had by nobody. The token is void from then on, so still there is one credential. Does nothing if the offer was not
 * redeemed, or anything was bound already.
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
