import type { Caller } from '../../caller.ts'
import { record } from '../../events/audit/record.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { describeCredentials } from '../display/describe-credentials.ts'
import { deleteCredential, findCredential } from './credential-store.ts'
import { holderOf } from './holder.ts'
import { enqueueNotification } from './notify-issuer.ts'
import { sealTrace } from './sealed-trace.ts'

/**
 * Removes a credential, all its copies and the keys they are bound to. A trace stays in the holder's history. The
 * issuer is notified if it requested that.
 *
 * @throws Fault `holder.missing`, `resource.unknown`
 */
export async function removeCredential(platform: Platform, caller: Caller, id: string): Promise<void> {
  const { store, sealing, clock } = platform
  const userId = holderOf(caller)
  const { tenantId } = caller
  const found = await store.single(tenantId, (tx) => findCredential(tx, userId, id))
  if (found === null) throw new Fault('resource.unknown')
  const { vct, format, iss, statedIss, credentialIssuer } = found
  const { name, issuer } =
    (await describeCredentials(platform, { tenantId, userId }, [id], undefined)).get(id)?.display ?? {}
  const names = { ...(name != null && { name }), ...(issuer?.name != null && { issuerName: issuer.name }) }
  const trace = { vct, format, iss, ...(statedIss !== null && { statedIss }), credentialIssuer, ...names }
  const sealedTrace = await sealTrace(sealing, tenantId, id, trace)
  const now = clock.now()
  await store.inTenant(tenantId, async (tx) => {
    // a concurrent request may have removed it
    if (!(await deleteCredential(tx, userId, { id, sealedTrace }, now))) throw new Fault('resource.unknown')
    await record(
      tx,
      { action: 'wallet_credential.removed', subject: { kind: 'wallet_credential', id }, by: caller },
      now,
    )
    await enqueueNotification(tx, id, now)
  })
}
