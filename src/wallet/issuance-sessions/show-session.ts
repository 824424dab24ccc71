import type { Caller, TenantId } from '../../caller.ts'
import type { IssuanceSession } from '../../contract/wallet/issuance-sessions.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { holderOf } from '../credentials/holder.ts'
import { type IssuanceSessionRow, sealedWork } from './session.ts'
import { findIssuanceSession } from './session-store.ts'

/** Returns a session of the caller. @throws Fault `resource.unknown`, `holder.missing` */
export async function getSession(platform: Platform, caller: Caller, id: string): Promise<IssuanceSession> {
  const { store, clock } = platform
  const userId = holderOf(caller)
  const row = await store.single(caller.tenantId, (tx) => findIssuanceSession(tx, userId, id, clock.now()))
  if (row === null) throw new Fault('resource.unknown')
  return showSession(platform, caller.tenantId, row)
}

async function showSession(
  { sealing }: Pick<Platform, 'sealing'>,
  tenantId: TenantId,
  row: IssuanceSessionRow,
): Promise<IssuanceSession> {
  const { id, status, credentialIssuer, credentialIds, error } = row
  const isOpen = status === 'pending' && row.sealedWork !== null
  const work = isOpen && row.sealedWork !== null ? await sealedWork.open(sealing, tenantId, id, row.sealedWork) : null
  return {
    id,
    status,
    credentialIssuer,
    credentialIds: [...credentialIds],
    error,
    authorizationUrl: work?.authorizationUrl ?? null,
    openBefore: work?.openBefore ?? null,
    expiresAt: row.expiresAt.toISOString(),
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}
