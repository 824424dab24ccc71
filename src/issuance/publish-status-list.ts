import { sha256Base64url } from '../crypto/digest.ts'
import { Recent } from '../directory/recent.ts'
import type { Tenant } from '../directory/tenant.ts'
import { Fault } from '../fault.ts'
import type { Platform } from '../platform.ts'
import { emptyList, setStatus } from '../protocols/status-list/packed-list.ts'
import { buildStatusListToken } from '../protocols/status-list/status-list-token.ts'
import type { Store } from '../store/store.ts'
import { LIST_ENTRIES } from './status-slots.ts'
import { findSetEntries } from './status-store.ts'

type Needs = Pick<Platform, 'store' | 'keys' | 'clock' | 'urls'>

/** A signed status list as it is served. */
export type PublishedList = { readonly token: string; readonly etag: string }

/** How long others may keep a list: how late a revocation may reach them. [TS-21] */
export const STATUS_LIST_TTL_SECONDS = 300
const LIFETIME_SECONDS = 86_400
/** A list is built and signed at most once in this time, however often it is asked for. A change by another process shows this late. */
const BOUNDS = { entriesMax: 500, ttlMs: 5_000 } as const
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const caches = new WeakMap<Store, Recent<Promise<PublishedList>>>()

/** Where a list is served; stands in each credential. */
export function statusListUri(issuer: string, listId: string): string {
  return `${issuer}/status-lists/${listId}`
}

/**
 * A status list of the tenant, signed now or some seconds ago.
 *
 * @throws Fault `resource.unknown`
 * @see [Token Status List, 5.1](https://datatracker.ietf.org/doc/html/draft-ietf-oauth-status-list#section-5.1)
 */
export function publishStatusList(needs: Needs, tenant: Tenant, listId: string): Promise<PublishedList> {
  if (!UUID.test(listId)) throw new Fault('resource.unknown')
  const cache = caches.get(needs.store) ?? new Recent<Promise<PublishedList>>(BOUNDS)
  caches.set(needs.store, cache)
  const name = `${tenant.id}|${listId}`
  const now = needs.clock.now()
  const known = cache.get(name, now)
  if (known !== undefined) return known
  const making = makeList(needs, tenant, listId, now)
  cache.set(name, making, now)
  making.catch(() => cache.delete(name))
  return making
}

/** Lets go of what is kept of a tenant's list after a change in this process, so that it shows at once. */
export function forgetStatusList({ store }: Pick<Platform, 'store'>, tenant: Pick<Tenant, 'id'>, listId: string): void {
  caches.get(store)?.delete(`${tenant.id}|${listId}`)
}

async function makeList(needs: Needs, tenant: Tenant, listId: string, now: Date): Promise<PublishedList> {
  const entries = await needs.store.single(tenant.id, (tx) => findSetEntries(tx, listId))
  if (entries === null) throw new Fault('resource.unknown')
  const list = emptyList(2, LIST_ENTRIES)
  for (const { index, status } of entries) setStatus(list, index, status)
  const key = await needs.keys.current(tenant.id, 'status')
  const did = needs.urls.did(tenant.slug)
  const ask = {
    uri: statusListUri(needs.urls.issuer(tenant.slug), listId),
    list,
    ttlSeconds: STATUS_LIST_TTL_SECONDS,
    lifetimeSeconds: LIFETIME_SECONDS,
    header: { kid: `${did}#${key.kid}` },
    issuer: did,
  }
  const token = buildStatusListToken(ask, key, now)
  return { token, etag: `"${sha256Base64url(token).slice(0, 22)}"` }
}
