import { Resolver } from 'node:dns/promises'
import type { Resolve } from './vetted-address.ts'

const QUERY_MS_MAX = 2000
/** A name that could not be resolved is not looked up again sooner. */
const FAILED_MS = 10_000
const FAILED_MAX = 1000

const here = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
] as const

/**
 * Resolves names by DNS queries of our own, which the event loop waits for. The resolver of the system runs on the four threads that also
 * read files: a name server that does not answer would hold them for a minute. One query for each kind of address, without a second try;
 * callers that need one name share a query. The hosts file is NOT read.
 *
 * @param servers Address and port of name servers; those of the system by default.
 */
export function nameResolver(servers?: readonly string[]): Resolve {
  const failed = new Map<string, { readonly error: Error; readonly until: number }>()
  const coming = new Map<string, ReturnType<Resolve>>()
  return async (hostname) => {
    // RFC 6761 6.3: localhost and what ends in it is this machine
    if (/(^|\.)localhost$/i.test(hostname)) return here
    const known = failed.get(hostname)
    if (known !== undefined && performance.now() < known.until) throw known.error
    const query = coming.get(hostname) ?? resolveBoth(hostname, servers).finally(() => coming.delete(hostname))
    coming.set(hostname, query)
    return query.catch((error: Error) => {
      const [oldest = hostname] = failed.keys()
      if (failed.size >= FAILED_MAX) failed.delete(oldest)
      failed.set(hostname, { error, until: performance.now() + FAILED_MS })
      throw error
    })
  }
}

async function resolveBoth(hostname: string, servers: readonly string[] | undefined) {
  // Made anew each time, so that the name servers are those that the system has now.
  const resolver = new Resolver({ timeout: QUERY_MS_MAX, tries: 1 })
  if (servers !== undefined) resolver.setServers(servers)
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
  const found = [
    ...(v4.status === 'fulfilled' ? v4.value.map((address) => ({ address, family: 4 })) : []),
    ...(v6.status === 'fulfilled' ? v6.value.map((address) => ({ address, family: 6 })) : []),
  ]
  if (found.length === 0 && v4.status === 'rejected') throw v4.reason
  return found
}
