import { record } from '../../../events/audit/record.ts'
import type { Platform } from '../../../platform.ts'
import { isUuid } from '../../../uuid.ts'
import type { Session } from '../session.ts'
import { actorOf, type Visit } from '../visit.ts'
import { deletePasskey, listPasskeyRows, type PasskeyView, updatePasskeyName } from './passkey-store.ts'
import { passkeyName } from './register-passkey.ts'

type Needs = Pick<Platform, 'store' | 'clock'>

/** Lists the passkeys of the user of a session, the oldest first. */
export function listPasskeys({ store }: Needs, { tenantId, userId }: Session): Promise<readonly PasskeyView[]> {
  return store.single(tenantId, (tx) => listPasskeyRows(tx, userId))
}

/** Renames a passkey of the user of a session. Returns false if there is none. */
export async function renamePasskey(
  { store }: Needs,
  { tenantId, userId }: Session,
  { id, name }: { readonly id: string; readonly name: string },
): Promise<boolean> {
  return isUuid(id) && store.single(tenantId, (tx) => updatePasskeyName(tx, userId, id, passkeyName(name)))
}

/** Removes a passkey of the user of a session. Returns false if there is none. Sessions that it started go on. */
export async function removePasskey(
  { store, clock }: Needs,
  { tenantId, userId }: Session,
  id: string,
  visit: Visit,
): Promise<boolean> {
  if (!isUuid(id)) return false
  return store.inTenant(tenantId, async (tx) => {
    if (!(await deletePasskey(tx, userId, id))) return false
    const subject = { kind: 'passkey', id } as const
    await record(
      tx,
      { action: 'passkey.removed', subject, by: actorOf(userId, visit), detail: { userId } },
      clock.now(),
    )
    return true
  })
}
