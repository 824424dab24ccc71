import type { ListRequest } from '../../api/list.ts'
import type { Caller, TenantId } from '../../caller.ts'
import type { ShownCredential } from '../../contract/wallet/credentials.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { showCredential } from './credential.ts'
import {
  type CredentialFilter,
  findCredential,
  listCredentials,
  listCredentialsOf,
  type SealedCredential,
} from './credential-store.ts'
import { type Holder, holderOf } from './holder.ts'
import { openRaw } from './sealed-copy.ts'

type Needs = Pick<Platform, 'store' | 'sealing'>
type ListNeeds = Needs & Pick<Platform, 'clock'>

/** Returns one credential of the caller's wallet. @throws Fault `holder.missing`, `resource.unknown` */
export async function getCredential(platform: Needs, caller: Caller, id: string): Promise<ShownCredential> {
  const userId = holderOf(caller)
  const found = await platform.store.single(caller.tenantId, (tx) => findCredential(tx, userId, id))
  if (found === null) throw new Fault('resource.unknown')
  return showSealed(platform, caller.tenantId, found)
}

/**
 * Returns a page of the caller's wallet, and one credential more if there is a next page.
 *
 * @throws Fault `holder.missing`
 */
export async function listHeld(
  platform: ListNeeds,
  caller: Caller,
  filter: CredentialFilter,
  list: ListRequest,
): Promise<ShownCredential[]> {
  const userId = holderOf(caller)
  const rows = await platform.store.single(caller.tenantId, (tx) =>
    listCredentials(tx, userId, filter, list, platform.clock.now()),
  )
  return Promise.all(rows.map((row) => showSealed(platform, caller.tenantId, row)))
}

/** As {@link listHeld} of all credentials, each with one of its copies as its issuer issued it. */
export async function listHeldRaw(
  { store, sealing, clock }: ListNeeds,
  caller: Caller,
  list: ListRequest,
): Promise<(ShownCredential & { readonly raw: string })[]> {
  const userId = holderOf(caller)
  const rows = await store.single(caller.tenantId, (tx) =>
    listCredentials(tx, userId, { status: null, vct: null, superseded: null }, list, clock.now()),
  )
  const opened = rows.map(async (row) => {
    const raw = await openRaw(sealing, caller.tenantId, row)
    return { ...showCredential(row, raw), raw }
  })
  return Promise.all(opened)
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

/** Returns the ids of the credentials in a wallet that were received for an offer, at any time. */
export async function listTaken(
  { store }: Pick<Platform, 'store'>,
  { tenantId, userId }: Pick<Holder, 'tenantId' | 'userId'>,
  offerHash: string,
): Promise<string[]> {
  const rows = await store.single(tenantId, (tx) => listCredentialsOf(tx, userId, offerHash, new Date(0)))
  return rows.map(({ id }) => id)
}

/** Opens a stored credential and returns it as the API shows it. */
export async function showSealed(
  { sealing }: Pick<Platform, 'sealing'>,
  tenantId: TenantId,
  found: SealedCredential,
): Promise<ShownCredential> {
  return showCredential(found, await openRaw(sealing, tenantId, found))
}
