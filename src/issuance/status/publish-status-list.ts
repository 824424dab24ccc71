import type { Tenant } from '../../directory/tenants/tenant.ts'
import { Fault } from '../../fault.ts'
import { type CompressedList, compressList, emptyStatusList } from '../../protocols/status-list/packed-list.ts'
import type { TenantTx } from '../../store/store.ts'
import { usableCertificates } from '../../trust/certificates/get-certificate.ts'
import { isWrittenUuid } from '../../uuid.ts'
import {
  type ListNeeds,
  type PublishedList,
  type StatusListForm,
  signStatusList,
  statusListUri,
} from './sign-status-list.ts'
import { LIST_ENTRIES } from './status-entries.ts'
import { findStatusList, listStatusAuthorities, listStatusListIds, type StoredStatusList } from './status-list-store.ts'

/** A token is signed again after this time: its `iat` stays recent, and a new signer takes effect. */
const SIGNED_AGAIN_MS = 60_000
const LISTS_MAX = 10_000

type Token = { readonly published: Promise<PublishedList>; readonly signedAt: number }
/** One version of a list, compressed, and its signed tokens: some 50 KiB. */
type CachedList = {
  readonly version: number
  readonly list: CompressedList
  readonly authorityId: string | null
  readonly kid: string | null
  readonly tokens: Map<StatusListForm, Token>
}

/**
 * Returns a status list of the tenant, signed at most a minute ago. Each request reads the version of the list, one
 * small statement, so a change by any process shows at once; the list is rebuilt when its version has changed.
 *
 * @throws Fault `resource.unknown`
 * @see [Token Status List, 5](https://datatracker.ietf.org/doc/html/draft-ietf-oauth-status-list#section-5)
 */
export async function publishStatusList(
  needs: ListNeeds,
  tenant: Tenant,
  listId: string,
  form: StatusListForm,
): Promise<PublishedList> {
  const cached = await cachedList(needs, tenant, listId)
  const now = needs.clock.now().getTime()
  const last = cached.tokens.get(form)
  if (last !== undefined && Math.abs(now - last.signedAt) < SIGNED_AGAIN_MS) return last.published
  const uri = statusListUri(needs.urls.issuer(tenant.slug), listId)
  const made = { published: signStatusList(needs, tenant, { uri, ...cached }, form), signedAt: now }
  cached.tokens.set(form, made)
  made.published.catch(() => cached.tokens.delete(form))
  return made.published
}

/** Returns the URIs of all status lists of a tenant. @see [Token Status List, 9.3](https://datatracker.ietf.org/doc/html/draft-ietf-oauth-status-list#section-9.3) */
export async function publishAggregation({ store, urls }: ListNeeds, tenant: Tenant): Promise<object> {
  const ids = await store.single(tenant.id, (tx) => listStatusListIds(tx, LISTS_MAX))
  return { status_lists: ids.map((id) => statusListUri(urls.issuer(tenant.slug), id)) }
}

/**
 * Counts the status lists that no certificate of their authority can sign any more: verifiers do not accept them for
 * their credentials.
 */
export async function countUnverifiableLists(tx: TenantTx, now: Date): Promise<number> {
  const authorities = await listStatusAuthorities(tx)
  if (authorities.length === 0) return 0
  const ids = authorities.map(({ authorityId }) => authorityId)
  const usable = await usableCertificates(tx, ids, now)
  return authorities.reduce((sum, { authorityId, lists }) => sum + (usable.has(authorityId) ? 0 : lists), 0)
}

async function cachedList({ store, clock, memory }: ListNeeds, tenant: Tenant, listId: string): Promise<CachedList> {
  if (!isWrittenUuid(listId)) throw new Fault('resource.unknown')
  const cache = memory.cache<CachedList>('issuance.status_lists')
  const name = `${tenant.id}|${listId}`
  const before = cache.get(name, clock.now())
  const found = await store.single(tenant.id, (tx) => findStatusList(tx, listId, before?.version ?? -1))
  if (found === null) throw new Fault('resource.unknown')
  if (before?.version === found.version) return before
  // A concurrent request may have cached it meanwhile.
  const meanwhile = cache.get(name, clock.now())
  if (meanwhile !== undefined && meanwhile.version >= found.version) return meanwhile
  const { version, authorityId, kid } = found
  const made = { version, list: compressed(found), authorityId, kid, tokens: new Map() }
  cache.set(name, made, clock.now())
  return made
}

function compressed({ bits, packed }: StoredStatusList): CompressedList {
  return compressList(packed === null ? emptyStatusList(bits, LIST_ENTRIES) : { bits, packed })
}
