import type { Tenant } from '../../directory/tenants/tenant.ts'
import { remembered } from '../../memory/recent.ts'
import type { Platform } from '../../platform.ts'
import { ownDidDocument } from '../../protocols/did/did-document.ts'

type Needs = Pick<Platform, 'keys' | 'clock' | 'urls' | 'memory'>
type DocumentOwner = Pick<Tenant, 'id' | 'slug'>

const usages = ['credential', 'request'] as const

/**
 * Returns the DID document of a tenant, up to 5 s old: the keys that sign its credentials, status lists and
 * presentation requests, and those that did. The keys of requests are published as `authentication`, the others as
 * `assertionMethod`. Missing keys are created, so that a document never lacks the key of the first credential.
 */
export function publishDidDocument(needs: Needs, tenant: DocumentOwner): Promise<object> {
  const cache = needs.memory.cache<Promise<object>>('trust.did_documents')
  return remembered(cache, tenant.id, needs.clock.now(), () => makeDocument(needs, tenant))
}

async function makeDocument({ keys, urls }: Needs, { id, slug }: DocumentOwner): Promise<object> {
  await Promise.all(usages.map((usage) => keys.current(id, usage)))
  const published = (await keys.published(id, usages)).map(({ kid, jwk, usage }) => {
    const purpose = usage === 'request' ? 'authentication' : 'assertionMethod'
    return { kid, publicJwk: jwk, purpose } as const
  })
  return ownDidDocument(urls.did(slug), published)
}
