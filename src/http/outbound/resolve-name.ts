import { Resolver } from 'node:dns/promises'
import type { Resolve } from './vetted-address.ts'

const QUERY_MS_MAX = 2000
/** How long a failed look-up is cached. */
const FAILED_MS = 10_000
const FAILED_MAX = 1000

const loopback = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
] as const

/**
 * Resolves names by DNS queries on the event loop. The resolver of the system would block the four threads of libuv for
 * a minute when a name server does not answer. One query per address family, without a retry; concurrent callers share
 * the query. The hosts file is NOT read.
 *
 * @param servers Address and port of name servers; those of the system by default.
 */
export function nameResolver(servers?: readonly string[]): Resolve {
  const failed = new Map<string, { readonly error: Error; readonly until: number }>()
  const pending = new Map<string, ReturnType<Resolve>>()
  return async (hostname) => {
    // RFC 6761 6.3: localhost and what ends in it is this machine
    if (/(^|\.)localhost$/i.test(hostname)) return loopback
    const known = failed.get(hostname)
    if (known !== undefined && performance.now() < known.until) throw known.error
    const query = pending.get(hostname) ?? resolveBoth(hostname, servers).finally(() => pending.delete(hostname))
    pending.set(hostname, query)
    return query.catch((error: Error) => {
      const [oldest = hostname] = failed.keys()
      if (failed.size >= FAILED_MAX) failed.delete(oldest)
      failed.set(hostname, { error, until: performance.now() + FAILED_MS })
      throw error
    })
  }
}

async function resolveBoth(hostname: string, servers: readonly string[] | undefined) {
  // A new resolver each time uses the current name servers of the system.
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
