import type { Caller, TenantId } from '../../caller.ts'
import type { Actor } from '../../events/audit/entry.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import type { TenantTx } from '../../store/store.ts'
import { reinstateOffered, renewOffered } from './reinstate-offer-store.ts'

/**
 * Reinstates an offer whose access token was lost because the process of our own wallet died. The token is revoked, so
 * there is still one credential. Does nothing if the offer was not redeemed or a holder key is bound.
 */
export async function reinstateOffer(
  { store, clock }: Pick<Platform, 'store' | 'clock'>,
  tenantId: TenantId,
  issuanceId: string,
  by: Actor,
): Promise<void> {
  const entry = { action: 'issuance.reoffered', subject: { kind: 'issuance', id: issuanceId }, by } as const
  await store.inTenant(tenantId, (tx) => reinstateOffered(tx, issuanceId, entry, clock.now()))
}

/**
 * Offers a credential again, under the same link, while its claims are kept: the offer ends later, and an access token
 * that a wallet has for it is revoked. For a holder who lost the link, or whose wallet lost the token.
 *
 * @throws Fault `resource.unknown`; `state.invalid` when a wallet has the credential, or the offer has ended
 */
export async function renewOffer(
  { store, clock }: Pick<Platform, 'store' | 'clock'>,
  caller: Caller,
  id: string,
  {
    expiresInSeconds,
    also,
  }: {
    readonly expiresInSeconds: number
    /** Runs in the transaction that has renewed the offer. */
    readonly also?: (tx: TenantTx) => Promise<void>
  },
): Promise<void> {
  const now = clock.now()
  const expiresAt = new Date(now.getTime() + expiresInSeconds * 1000)
  const entry = { action: 'issuance.reoffered', subject: { kind: 'issuance', id }, by: caller } as const
  const renewed = await store.inTenant(caller.tenantId, async (tx) => {
    const outcome = await renewOffered(tx, id, expiresAt, entry, now)
    if (outcome === 'renewed') await also?.(tx)
    return outcome
  })
  if (renewed === 'unknown') throw new Fault('resource.unknown')
  if (renewed === 'renewed') return
  const detail = 'A wallet has the credential, or the offer has ended and its claims are erased. Create a new issuance.'
  throw new Fault('state.invalid', { detail })
}
