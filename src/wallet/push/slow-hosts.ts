import { nameResolver } from '../../http/outbound/resolve-name.ts'
import type { Resolve } from '../../http/outbound/vetted-address.ts'
import { networkOf } from '../../memory/network.ts'
import type { Platform } from '../../platform.ts'
import { withTimeLimit } from '../../time-limit.ts'

/** A push service that takes longer is slow, for the next minute. */
const SLOW_MS = 2000
/** Concurrent calls of this process to a slow push service. */
const CALLS_MAX = 1
/** A name whose addresses are not known by then is one of those that cannot be told apart. */
const LOOKUP_MS_MAX = 1000
const UNRESOLVED = 'unresolved'
/** Of a name with many addresses. */
const NETWORKS_MAX = 8

/**
 * Calls a push service. One that was slow within the last minute is called for one message at a time, so that a hostile
 * host occupies one place of the worker, however many people and tenants have a browser there. The bound is for this
 * process. A service is its host name and each network that the name resolves to, since the owner of a domain has as
 * many names as it likes; all names that do not resolve within a second are one.
 *
 * @param resolve DNS queries to the name servers of the system by default. The guarded client resolves the name again,
 *   vets what it gets and connects to that.
 * @returns null, without a call, if that place is occupied
 */
export async function callService<T>(
  { memory, clock }: Pick<Platform, 'memory' | 'clock'>,
  endpoint: string,
  call: () => Promise<T>,
  resolve?: Resolve,
): Promise<{ readonly outcome: T; readonly isSlow: boolean } | null> {
  const slow = memory.cache<true>('wallet.slow_push_services')
  const calls = memory.single('wallet.push_calls', () => new Map<string, number>())
  const resolver = resolve ?? memory.single('wallet.push_names', () => nameResolver())
  const services = await servicesOf(new URL(endpoint), resolver)
  const isOccupied = (one: string) => (calls.get(one) ?? 0) >= CALLS_MAX && slow.get(one, clock.now()) !== undefined
  if (services.some(isOccupied)) return null
  for (const one of services) calls.set(one, (calls.get(one) ?? 0) + 1)
  const startedMs = performance.now()
  try {
    const outcome = await call()
    const isSlow = performance.now() - startedMs > SLOW_MS
    if (isSlow) for (const one of services) slow.set(one, true, clock.now())
    return { outcome, isSlow }
  } finally {
    for (const one of services) release(calls, one)
  }
}

function release(calls: Map<string, number>, service: string): void {
  const left = (calls.get(service) ?? 1) - 1
  if (left > 0) calls.set(service, left)
  else calls.delete(service)
}

async function servicesOf({ host, hostname }: URL, resolve: Resolve): Promise<readonly string[]> {
  // Development alone may call an address.
  if (/^[\d.]+$|^\[/.test(hostname)) return [host]
  const found = await withTimeLimit(resolve(hostname), LOOKUP_MS_MAX, () => new Error('late')).catch(() => [])
  if (found.length === 0) return [host, UNRESOLVED]
  // Of loopback, the host with its port tells services apart.
  const networks = new Set(found.slice(0, NETWORKS_MAX).map(({ address }) => networkOf(address) ?? host))
  return [...new Set([host, ...networks])]
}
