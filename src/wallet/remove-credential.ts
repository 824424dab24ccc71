import type { Caller } from '../caller.ts'
import { record } from '../events/record.ts'
import { Fault } from '../fault.ts'
import type { Platform } from '../platform.ts'
import { deleteCredential } from './credential-store.ts'
import { holderOf } from './holder.ts'
import { queueNews } from './notify-issuer.ts'

/**
 * Removes a credential for good: what it says, all its copies and the keys that they are bound to. The issuer hears of it if it asked to.
 *
 * @throws Fault `holder.missing`, `resource.unknown`
 */
export async function removeCredential({ store, clock }: Platform, caller: Caller, id: string): Promise<void> {
  const userId = holderOf(caller)
  const now = clock.now()
  await store.inTenant(caller.tenantId, async (tx) => {
    if (!(await deleteCredential(tx, userId, id))) throw new Fault('resource.unknown')
    await record(
      tx,
      { action: 'wallet.credential.removed', subject: { kind: 'wallet-credential', id }, by: caller },
      now,
    )
    await queueNews(tx, id, 'credential_deleted', now)
  })
}
