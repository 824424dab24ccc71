import type { Tenant } from '../../directory/tenants/tenant.ts'
import { Fault } from '../../fault.ts'
import { Recent } from '../../memory/recent.ts'
import { type CompressedList, compressList, emptyList } from '../../protocols/status-list/packed-list.ts'
import { oncePer } from '../../store/once-per.ts'
import { isWrittenUuid } from '../../uuid.ts'
import {
  type ListNeeds,
  type PublishedList,
  type StatusListForm,
  signStatusList,
  statusListUri,
} from './sign-status-list.ts'
import { LIST_ENTRIES } from './status-entries.ts'
import { findStatusList, listStatusListIds, type StoredStatusList } from './status-list-store.ts'

/** A token is signed anew after this time, so that its `iat` says something, and who signs may have changed. */
const SIGNED_AGAIN_MS = 60_000
/** Of one list some 50 KiB are kept, with all its forms. */
const BOUNDS = { entriesMax: 200, ttlMs: 86_400_000 } as const
const LISTS_MAX = 10_000

type Token = { readonly published: Promise<PublishedList>; readonly signedAt: number }
/** One version of a list, compressed, and what was signed of it. */
type Known = {
  readonly version: number
  readonly list: CompressedList
  readonly authorityId: string | null
  readonly tokens: Map<StatusListForm, Token>
}

const caches = oncePer(() => new Recent<Known>(BOUNDS))

/**
 * A status list of the tenant, signed now or less than a minute ago. Each request asks the database for the version of the list, one small
 * statement, so that a change shows at once whichever process made it; the list is built anew when its version has changed.
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
  const known = await knownList(needs, tenant, listId)
  const now = needs.clock.now().getTime()
  const kept = known.tokens.get(form)
  if (kept !== undefined && Math.abs(now - kept.signedAt) < SIGNED_AGAIN_MS) return kept.published
  const uri = statusListUri(needs.urls.issuer(tenant.slug), listId)
  const made = { published: signStatusList(needs, tenant, { uri, ...known }, form), signedAt: now }
  known.tokens.set(form, made)
  made.published.catch(() => known.tokens.delete(form))
  return made.published
}

/** The addresses of all status lists of a tenant. @see [Token Status List, 9.3](https://datatracker.ietf.org/doc/html/draft-ietf-oauth-status-list#section-9.3) */
export async function publishAggregation({ store, urls }: ListNeeds, tenant: Tenant): Promise<object> {
  const ids = await store.single(tenant.id, (tx) => listStatusListIds(tx, LISTS_MAX))
  return { status_lists: ids.map((id) => statusListUri(urls.issuer(tenant.slug), id)) }
}

async function knownList({ store, clock }: ListNeeds, tenant: Tenant, listId: string): Promise<Known> {
  if (!isWrittenUuid(listId)) throw new Fault('resource.unknown')
  const cache = caches(store)
  const name = `${tenant.id}|${listId}`
  const before = cache.get(name, clock.now())
  const found = await store.single(tenant.id, (tx) => findStatusList(tx, listId, before?.version ?? -1))
  if (found === null) throw new Fault('resource.unknown')
  if (before?.version === found.version) return before
  // somebody who asked at the same moment may have been here
  const meanwhile = cache.get(name, clock.now())
  if (meanwhile !== undefined && meanwhile.version >= found.version) return meanwhile
  const made = { version: found.version, list: compressed(found), authorityId: found.authorityId, tokens: new Map() }
  cache.set(name, made, clock.now())
  return made
}

function compressed({ bits, packed }: StoredStatusList): CompressedList {
  return compressList(packed === null ? emptyList(bits, LIST_ENTRIES) : { bits, packed })
}
