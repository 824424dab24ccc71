import type { ListRequest } from '../../api/list.ts'
import type { Caller } from '../../caller.ts'
import type { IssuanceView } from '../../contract/issuance/issuances.ts'
import { findUser, usernamesOf } from '../../directory/users/find-user.ts'
import { Fault } from '../../fault.ts'
import type { Platform } from '../../platform.ts'
import type { TenantTx } from '../../store/store.ts'
import { isUuid } from '../../uuid.ts'
import { nameWordMacs } from '../names/name-words.ts'
import { credentialIdOf, issuanceIdOf } from './credential-id.ts'
import type { Issuance, ShownIssuance } from './issuance.ts'
import { type IssuanceFilter, listIssuances } from './issuance-list-store.ts'
import { findIssuance } from './issuance-store.ts'
import { showIssuance } from './issuance-view.ts'

type Needs = Pick<Platform, 'store' | 'sealing' | 'clock' | 'urls' | 'memory' | 'log'>

/** Returns one issuance of the caller's tenant. @throws Fault `resource.unknown` */
export async function getIssuance(needs: Needs, caller: Caller, id: string): Promise<IssuanceView> {
  const { store, clock } = needs
  const found = await store.single(caller.tenantId, (tx) => findIssuance(tx, id, clock.now()))
  if (found === null) throw new Fault('resource.unknown')
  const names =
    found.holderId === null ? [found] : await store.single(caller.tenantId, (tx) => withHolders(tx, [found]))
  return showIssuance(needs, caller, { holderName: null, ...found, ...names[0] })
}

/**
 * Returns the credentials that match a filter and that a change of status may change, the newest first, one more than
 * asked for if there are more.
 *
 * @param standings Statuses that the change may change.
 */
export async function findChangeable(
  needs: Pick<Needs, 'store' | 'clock' | 'sealing'>,
  caller: Caller,
  filter: PageFilter,
  { standings, countMax }: { readonly standings: readonly string[]; readonly countMax: number },
): Promise<string[]> {
  const sort = { field: 'createdAt', descending: true }
  const page = { size: countMax, after: null, before: null, readDescending: true, sort }
  const found = await listIssuancePage(needs, caller, page, { ...filter, standings })
  return found.map(({ id }) => credentialIdOf(id))
}

/** Filters of a page; `recipient` is a username or the id of a user, `name` has words that are all in the label. */
type PageFilter = Omit<IssuanceFilter, 'holderId' | 'nameWords'> & {
  readonly recipient?: string | undefined
  readonly name?: string | undefined
}

/** Returns one page of issuances with the names of their users, and one row more if there is a next page. */
export async function listIssuancePage(
  { store, clock, sealing }: Pick<Needs, 'store' | 'clock' | 'sealing'>,
  { tenantId }: Caller,
  list: ListRequest,
  { recipient, name, ...others }: PageFilter,
): Promise<ShownIssuance[]> {
  const nameWords = name === undefined ? undefined : await nameWordMacs(sealing, tenantId, name)
  const filter = { ...others, nameWords }
  return store.inTenant(tenantId, async (tx) => {
    if (recipient === undefined) return withHolders(tx, await listIssuances(tx, list, filter, clock.now()))
    const user = await findUser(tx, 'username', recipient)
    const holderId = user?.id ?? (isUuid(recipient) ? recipient.toLowerCase() : null)
    if (holderId === null) return []
    return withHolders(tx, await listIssuances(tx, list, { ...filter, holderId }, clock.now()))
  })
}

/**
 * Returns the issuances with an id, that of the issuance or of its credential, with a prefix of their reference, or
 * with words that are all in their label; a page of them.
 */
export async function findIssuances(
  { store, clock, sealing }: Pick<Needs, 'store' | 'clock' | 'sealing'>,
  { tenantId }: Caller,
  list: ListRequest,
  by: { readonly id: string } | { readonly referencePrefix: string } | { readonly name: string },
): Promise<Issuance[]> {
  const now = clock.now()
  const nameWords = 'name' in by ? await nameWordMacs(sealing, tenantId, by.name) : undefined
  return store.inTenant(tenantId, async (tx) => {
    if (!('id' in by)) return (await listIssuances(tx, list, { ...by, nameWords }, now)).slice(0, list.size)
    const found = [await findIssuance(tx, by.id, now), await findIssuance(tx, issuanceIdOf(by.id), now)]
    return found.filter((one) => one !== null)
  })
}

async function withHolders(tx: TenantTx, found: readonly Issuance[]): Promise<ShownIssuance[]> {
  const names = await usernamesOf(
    tx,
    found.flatMap(({ holderId }) => holderId ?? []),
  )
  return found.map((one) => ({ ...one, holderName: one.holderId === null ? null : (names.get(one.holderId) ?? null) }))
}
