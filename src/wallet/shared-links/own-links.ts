import type { ListRequest } from '../../api/list.ts'
import type { Caller } from '../../caller.ts'
import type { SharedLink } from '../../contract/wallet/card-links.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import { holderOf } from '../credentials/holder.ts'
import { showSharedLink } from './card-link.ts'
import { endSharedLinkRow, findSharedLink, listSharedLinkRows, type SealedSharedLink } from './card-link-store.ts'
import { openLinkView } from './sealed-link.ts'

type Needs = Pick<Platform, 'store' | 'sealing' | 'clock' | 'urls'>

/**
 * Returns a page of the caller's links, and one link more if there is a next page.
 *
 * @param credentialId Only links of this credential; null: all.
 * @throws Fault `holder.missing`
 */
export async function listSharedLinks(
  platform: Needs,
  caller: Caller,
  credentialId: string | null,
  list: ListRequest,
): Promise<SharedLink[]> {
  const userId = holderOf(caller)
  const rows = await platform.store.single(caller.tenantId, (tx) => listSharedLinkRows(tx, userId, credentialId, list))
  return Promise.all(rows.map((row) => shown(platform, caller, row)))
}

/** Returns one link of the caller. @throws Fault `holder.missing`, `resource.unknown` */
export async function getSharedLink(platform: Needs, caller: Caller, id: string): Promise<SharedLink> {
  const userId = holderOf(caller)
  const row = await platform.store.single(caller.tenantId, (tx) => findSharedLink(tx, userId, id))
  if (row === null) throw new Fault('resource.unknown')
  return shown(platform, caller, row)
}

/** Ends a link; one that has ended stays as it is. @throws Fault `holder.missing`, `resource.unknown` */
export async function endSharedLink(platform: Needs, caller: Caller, id: string): Promise<void> {
  const { store, clock } = platform
  const userId = holderOf(caller)
  const subject = { kind: 'wallet_shared_link', id } as const
  const entry = { action: 'wallet_shared_link.ended', subject, by: caller } as const
  const isEnded = await store.inTenant(caller.tenantId, (tx) => endSharedLinkRow(tx, userId, id, entry, clock.now()))
  if (!isEnded) await getSharedLink(platform, caller, id)
}

async function shown({ sealing, clock, urls }: Needs, { tenantId }: Caller, row: SealedSharedLink) {
  return showSharedLink(urls, row, await openLinkView(sealing, tenantId, row.id, row.sealedView), clock.now())
}
