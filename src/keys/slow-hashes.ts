import type { TenantId } from '../caller.ts'
import { Fault } from '../fault.ts'
import { NoPlace } from '../memory/fair-places.ts'
import type { Memory } from '../memory/memory.ts'
import { networkOf } from '../memory/network.ts'

/**
 * Who is charged for a slow hash: the tenant of a caller that authenticated before, as a client, as a device, or by a
 * session or link; else the address. Never the tenant that an unproven caller names: how long it waits would tell which
 * clients and users exist.
 */
export type HashCaller = { readonly tenantId: TenantId } | { readonly ip: string }

/**
 * Runs `work`, which hashes, in a place that tenants and networks share fairly. Several hashes in one `work` run one
 * after the other.
 *
 * @throws Fault `request.rate_limited` when too many callers of the same tenant or network wait, or too many unproven
 *   ones in all
 */
export async function hashInPlace<T>(
  { memory }: { readonly memory: Memory },
  caller: HashCaller,
  work: () => Promise<T>,
): Promise<T> {
  const isProven = 'tenantId' in caller
  const key = isProven ? caller.tenantId : (networkOf(caller.ip) ?? caller.ip)
  const leave = isProven ? () => undefined : memory.places('keys.unproven_hashes').tryTake(key)
  if (leave === null) throw tooMany()
  try {
    return await memory.places('keys.slow_hashes').hold(key, work)
  } catch (error) {
    throw error instanceof NoPlace ? tooMany(error) : error
  } finally {
    leave()
  }
}

function tooMany(cause?: NoPlace): Fault {
  return new Fault('request.rate_limited', { meta: { retryAfterSeconds: 1 }, cause })
}
