import type { Tenant } from '../../directory/tenants/tenant.ts'
import { Recent } from '../../memory/recent.ts'
import type { Platform } from '../../platform.ts'
import { ownDidDocument } from '../../protocols/did/did-document.ts'
import { oncePer } from '../../store/once-per.ts'

type Needs = Pick<Platform, 'store' | 'keys' | 'clock' | 'urls'>

const usages = ['credential', 'status', 'request'] as const
/** A key that was rotated in by another process is published by this one within this time. */
const BOUNDS = { entriesMax: 1000, ttlMs: 5_000 } as const

const caches = oncePer(() => new Recent<Promise<object>>(BOUNDS))

/**
 * The DID document of a tenant, up to 5 s old: the keys that sign its credentials, status lists and presentation requests, and those that
 * did. The keys of requests are offered as `authentication`, the others as `assertionMethod`. Keys are made here if there are none, so that a document never lacks the key of the first credential.
 */
export function publishDidDocument(platform: Needs, { id, slug }: Pick<Tenant, 'id' | 'slug'>): Promise<object> {
  const { store, keys, clock, urls } = platform
  const cache = caches(store)
  const known = cache.get(id, clock.now())
  if (known !== undefined) return known
  const making = Promise.all(usages.map((usage) => keys.current(id, usage))).then(async () => {
    const published = await keys.published(id, usages)
    return ownDidDocument(
      urls.did(slug),
      published.map(({ kid, jwk, usage }) => {
        const purpose = usage === 'request' ? 'authentication' : 'assertionMethod'
        return { kid, publicJwk: jwk, purpose } as const
      }),
    )
  })
  cache.set(id, making, clock.now())
  making.catch(() => cache.delete(id))
  return making
}
