import type { Caller, UserId } from '../../caller.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { countHeld } from './credential-store.ts'

/** How much a wallet holds at most: credentials, and bytes of their copies. One response of an issuer may go beyond it. */
export const walletMax = { credentials: 1000, bytes: 64 * 1024 * 1024 } as const

/** Refuses an offer, before anything of it is redeemed, if the wallet holds as much as it may. @throws Fault `wallet.full` */
export async function refuseFull(
  { store }: Pick<Platform, 'store'>,
  { tenantId, userId }: Pick<Caller, 'tenantId'> & { readonly userId: UserId },
): Promise<void> {
  const { credentials, bytes } = await store.single(tenantId, (tx) => countHeld(tx, userId))
  if (credentials >= walletMax.credentials || bytes >= walletMax.bytes) {
    throw new Fault('wallet.full', { meta: { credentials, bytes, ...{ max: walletMax } } })
  }
}
