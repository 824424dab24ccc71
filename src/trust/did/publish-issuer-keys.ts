import type { Tenant } from '../../directory/tenants/tenant.ts'
import { remembered } from '../../memory/recent.ts'
import type { Platform } from '../../platform.ts'
import { buildJwtVcIssuer } from '../../protocols/sd-jwt-vc/issuer-key.ts'

type Needs = Pick<Platform, 'keys' | 'clock' | 'urls' | 'memory'>

/**
 * Returns the JWT VC issuer metadata of a tenant, up to 5 s old: the keys that sign its credentials and status lists,
 * and those that did. The DID document names the same keys. A missing key is created, so that the metadata never lacks
 * the key of the first credential.
 *
 * @see [SD-JWT VC, 4](https://datatracker.ietf.org/doc/draft-ietf-oauth-sd-jwt-vc/)
 */
export function publishIssuerKeys({ keys, clock, urls, memory }: Needs, { id, slug }: Tenant): Promise<object> {
  const cache = memory.cache<Promise<object>>('trust.issuer_keys')
  return remembered(cache, id, clock.now(), async () => {
    await keys.current(id, 'credential')
    return buildJwtVcIssuer(urls.issuer(slug), await keys.published(id, ['credential']))
  })
}
