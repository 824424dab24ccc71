import type { TenantId } from '../../caller.ts'
import type { Platform } from '../../platform.ts'
import type { KeptImage } from '../../protocols/image.ts'
import { fetchPicture } from './fetch-images.ts'

const TIMEOUT_MS = 4000
/** A logo that did not arrive is fetched again after this time. */
const RETRY_MS = 60_000

/**
 * Returns the logo of an organisation, fetched by the client for foreign addresses with the limits of an issuer's: once
 * an hour and process, so that its host does not learn who looks at a page. Concurrent callers share one request.
 *
 * @param uri The setting `logoUri`.
 * @returns null if it is no picture that may be kept, or did not arrive
 */
export function organisationLogo(
  platform: Pick<Platform, 'fetch' | 'log' | 'memory' | 'clock'>,
  tenantId: TenantId,
  uri: string,
): Promise<KeptImage | null> {
  const { memory, clock } = platform
  const name = `${tenantId} ${uri}`
  const cache = memory.cache<Promise<KeptImage | null>>('wallet.organisation_logos')
  const known = cache.get(name, clock.now())
  if (known !== undefined) return known
  const fetching = fetchPicture(platform, tenantId, uri, TIMEOUT_MS).then((image) => {
    if (image === null) keepFor(RETRY_MS)
    return image
  })
  const keepFor = (ms: number) => cache.set(name, fetching, clock.now(), clock.now().getTime() + ms)
  cache.set(name, fetching, clock.now())
  fetching.catch(() => cache.delete(name))
  return fetching
}
