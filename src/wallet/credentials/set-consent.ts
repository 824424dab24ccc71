import type { Caller } from '../../caller.ts'
import { record } from '../../events/audit/record.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import type { Consent, ShownCredential } from './credential.ts'
import { findCredential, updateConsent } from './credential-store.ts'
import { showSealed } from './get-credential.ts'
import { holderOf } from './holder.ts'
import { enqueueNotification } from './notify-issuer.ts'

/**
 * Sets the holder's consent. Any status may follow any; setting the same again changes and records nothing.
 *
 * The issuer hears of it, if it asked to, by a job of the same transaction: of an acceptance once, and of a rejection, after which it hears nothing.
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
      const subject = { kind: 'wallet_credential', id } as const
      await record(
        tx,
        {
          action: `wallet_credential.${status === 'pending' ? 'reset' : status}`,
          subject,
          by: caller,
          detail: { before },
        },
        now,
      )
      // [W-R9] consent is news to the issuer, taking it back to pending is not
      if (status !== 'pending') await enqueueNotification(tx, id, now)
    }
    return findCredential(tx, userId, id)
  })
  if (changed === null) throw new Fault('resource.unknown')
  return showSealed(platform, caller.tenantId, changed)
}
