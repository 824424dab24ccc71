import type { Platform } from '../../platform.ts'

type Kept = { url: string | null }

function keptIn({ memory }: Pick<Platform, 'memory'>): Kept {
  return memory.single('pages.newcomer_link', () => ({ url: null }))
}

/** Keeps the link by which a newcomer becomes an owner, for the first page of this process; null: it was used. */
export function keepNewcomerLink(platform: Pick<Platform, 'memory'>, url: string | null): void {
  keptIn(platform).url = url
}

/**
 * Returns the link by which a newcomer becomes an owner; null if there is none. It makes an owner of whom it is shown
 * to, so only a person at this machine sees it, of a server that is for this machine alone.
 *
 * @param ip The address of the person.
 */
export function newcomerLinkFor(platform: Pick<Platform, 'memory' | 'config'>, ip: string): string | null {
  const { config } = platform
  const isHere = ['127.0.0.1', '::1', '::ffff:127.0.0.1'].includes(ip)
  const { hostname } = new URL(config.publicUrl)
  const isForHere = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  return config.isDevelopment && isHere && isForHere ? keptIn(platform).url : null
}
