import type { Platform } from '../../platform.ts'
import { listPublicRedirects } from './client-store.ts'

type Needs = Pick<Platform, 'store' | 'memory' | 'clock'>

/** More redirect URIs are not read: the origins of the others are not allowed. */
const REDIRECTS_MAX = 20_000

/**
 * Whether an origin is that of a redirect URI of a public client, of whatever tenant: an application that runs in
 * browsers. All origins are read at once and cached, so that requests with made-up origins cost no statement.
 */
export async function isClientOrigin(needs: Needs, origin: string): Promise<boolean> {
  const cache = needs.memory.cache<Promise<ReadonlySet<string>>>('directory.client_origins')
  const now = needs.clock.now()
  const cached = cache.get('all', now)
  if (cached !== undefined) return (await cached).has(origin)
  const reading = readOrigins(needs)
  cache.set('all', reading, now)
  reading.catch(() => cache.delete('all'))
  return (await reading).has(origin)
}

async function readOrigins({ store }: Needs): Promise<ReadonlySet<string>> {
  const uris = await store.singleAcross('redirect URIs of public clients', (tx) =>
    listPublicRedirects(tx, REDIRECTS_MAX),
  )
  return new Set(uris.flatMap(originOf))
}

/** RFC 6454 4. A private-use scheme of a native application has no origin. */
function originOf(uri: string): readonly string[] {
  const url = URL.parse(uri)
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:') ? [url.origin] : []
}
