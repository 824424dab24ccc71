import type { Caller, UserId } from '../../caller.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { countHeld } from './credential-store.ts'

/** The most credentials of a wallet, and bytes of their copies. One response of an issuer may exceed it. */
const walletMax = { credentials: 1000, bytes: 64 * 1024 * 1024 } as const

/** Refuses an offer, before anything of it is redeemed, if the wallet is full. @throws Fault `wallet.full` */
export async function refuseFull(
  { store }: Pick<Platform, 'store'>,
  { tenantId, userId }: Pick<Caller, 'tenantId'> & { readonly userId: UserId },
): Promise<void> {
  const { credentials, bytes } = await store.single(tenantId, (tx) => countHeld(tx, userId))
  if (credentials >= walletMax.credentials || bytes >= walletMax.bytes) {
    throw new Fault('wallet.full', { meta: { credentials, bytes, max: walletMax } })
  }
}
