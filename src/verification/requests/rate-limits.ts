import type { Tenant } from '../../directory/tenants/tenant.ts'
import { Fault, type FaultCode } from '../../fault.ts'
import { networkOf } from '../../memory/network.ts'
import type { Platform } from '../../platform.ts'

/** Outcomes of guessing addresses and states, and of responses that make this server fetch issuers repeatedly. */
const counted: ReadonlySet<FaultCode> = new Set([
  ...(['resource.unknown', 'presentation_request.closed', 'presentation_response.undecided'] as const),
])

/**
 * Runs `work`, unless this tenant refused too many requests from the network of `ip` lately. [SEC-74]
 *
 * @throws Fault `request.rate_limited`, and what `work` throws
 */
export async function limitVerifierRefusals<T>(
  { rateLimiter, clock }: Pick<Platform, 'rateLimiter' | 'clock'>,
  { tenant, ip }: { readonly tenant: Pick<Tenant, 'id'>; readonly ip: string },
  work: () => Promise<T>,
): Promise<T> {
  const network = networkOf(ip)
  if (network === null) return work()
  const key = `${tenant.id} ${network}`
  rateLimiter.admit('verification.refusals', key, clock.now())
  try {
    return await work()
  } catch (error) {
    if (error instanceof Fault && counted.has(error.code)) rateLimiter.count('verification.refusals', key, clock.now())
    throw error
  }
}
