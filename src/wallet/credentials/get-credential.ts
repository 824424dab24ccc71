import type { ListRequest } from '../../api/list.ts'
import type { Caller, TenantId } from '../../caller.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { type Standing, showCredential } from './credential.ts'
import {
  type CredentialFilter,
  findCredential,
  listCredentials,
  listCredentialsOf,
  type SealedCredential,
} from './credential-store.ts'
import { listStandings } from './held-status-store.ts'
import { type Holder, holderOf } from './holder.ts'
import type { ShownCredential } from './schemas.ts'
import { openRaw } from './sealed-copy.ts'

type Needs = Pick<Platform, 'store' | 'sealing'>

/** Returns one credential of the caller's wallet. @throws Fault `holder.missing`, `resource.unknown` */
export async function getCredential(platform: Needs, caller: Caller, id: string): Promise<ShownCredential> {
  const userId = holderOf(caller)
  const found = await platform.store.single(caller.tenantId, (tx) => findCredential(tx, userId, id))
  if (found === null) throw new Fault('resource.unknown')
  return showSealed(platform, caller.tenantId, found)
}

/** Returns a page of the caller's wallet, and one credential more if there is a next page. @throws Fault `holder.missing` */
export async function listHeld(
  platform: Needs,
  caller: Caller,
  filter: CredentialFilter,
  list: ListRequest,
): Promise<ShownCredential[]> {
  const userId = holderOf(caller)
  const rows = await platform.store.single(caller.tenantId, (tx) => listCredentials(tx, userId, filter, list))
  return Promise.all(rows.map((row) => showSealed(platform, caller.tenantId, row)))
}

/** Returns the credentials that the wallet has received for an offer since a moment. */
export async function listReceived(
  { store, sealing }: Needs,
  { tenantId, userId }: Pick<Holder, 'tenantId' | 'userId'>,
  offerHash: string,
  since: Date,
): Promise<ShownCredential[]> {
  const rows = await store.single(tenantId, (tx) => listCredentialsOf(tx, userId, offerHash, since))
  return Promise.all(rows.map((row) => showSealed({ sealing }, tenantId, row)))
}

/** Returns the status of credentials as last checked, by id, without those that have none. */
export function standingsOf(
  { store }: Needs,
  { tenantId }: Caller,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Standing>> {
  return store.single(tenantId, (tx) => listStandings(tx, ids))
}

/** Opens a stored credential and returns it as the API shows it. */
export async function showSealed(
  { sealing }: Pick<Platform, 'sealing'>,
  tenantId: TenantId,
  found: SealedCredential,
): Promise<ShownCredential> {
  return showCredential(found, await openRaw(sealing, tenantId, found))
}
