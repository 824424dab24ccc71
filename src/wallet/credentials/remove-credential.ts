import type { Caller } from '../../caller.ts'
import { record } from '../../events/audit/record.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { deleteCredential, findCredential } from './credential-store.ts'
import { holderOf } from './holder.ts'
import { enqueueNotification } from './notify-issuer.ts'
import { sealTrace } from './sealed-trace.ts'

/**
 * Removes a credential for good: what it says, all its copies and the keys that they are bound to. That it was there stays in the
 * holder's history. The issuer hears of it if it asked to.
 *
 * @throws Fault `holder.missing`, `resource.unknown`
 */
export async function removeCredential({ store, sealing, clock }: Platform, caller: Caller, id: string): Promise<void> {
  const userId = holderOf(caller)
  const { tenantId } = caller
  const found = await store.single(tenantId, (tx) => findCredential(tx, userId, id))
  if (found === null) throw new Fault('resource.unknown')
  const { vct, format, iss, credentialIssuer } = found
  const sealedTrace = await sealTrace(sealing, tenantId, id, { vct, format, iss, credentialIssuer })
  const now = clock.now()
  await store.inTenant(tenantId, async (tx) => {
    // somebody else may have removed it at this very moment
    if (!(await deleteCredential(tx, userId, { id, sealedTrace }, now))) throw new Fault('resource.unknown')
    await record(
      tx,
      { action: 'wallet_credential.removed', subject: { kind: 'wallet_credential', id }, by: caller },
      now,
    )
    await enqueueNotification(tx, id, now)
  })
}
