import type { Caller } from '../../caller.ts'
import type { Consent, ShownCredential } from '../../contract/wallet/credentials.ts'
import { record } from '../../events/audit/record.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { findCredential, updateConsent } from './credential-store.ts'
import { showSealed } from './get-credential.ts'
import { hastenOlderStandings } from './held-status-store.ts'
import { holderOf } from './holder.ts'
import { enqueueNotification } from './notify-issuer.ts'

/**
 * Sets the holder's consent. Any status may follow any; setting the same status again changes and records nothing.
 *
 * If the issuer requested notifications, a job of the same transaction sends one: for an acceptance once, for a
 * rejection as the last one. An accepted credential may replace an older one, whose status is checked soon.
 *
 * @throws Fault `holder.missing`, `resource.unknown`
 */
export async function setConsent(
  platform: Platform,
  caller: Caller,
  id: string,
  status: Consent,
): Promise<ShownCredential> {
  const userId = holderOf(caller)
  const now = platform.clock.now()
  const changed = await platform.store.inTenant(caller.tenantId, async (tx) => {
    const before = await updateConsent(tx, userId, id, status, now)
    if (before === null) throw new Fault('resource.unknown')
    if (before !== status) {
      const action = `wallet_credential.${status === 'pending' ? 'reset' : status}` as const
      const subject = { kind: 'wallet_credential', id } as const
      await record(tx, { action, subject, by: caller, detail: { before } }, now)
      // [W-R9] there is no event for a consent that is pending again
      if (status !== 'pending') await enqueueNotification(tx, id, now)
      if (status === 'accepted') await hastenOlderStandings(tx, userId, id, now)
    }
    return findCredential(tx, userId, id)
  })
  if (changed === null) throw new Fault('resource.unknown')
  return showSealed(platform, caller.tenantId, changed)
}
