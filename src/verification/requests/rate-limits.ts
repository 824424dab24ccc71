import type { Tenant } from '../../directory/tenants/tenant.ts'
import { Fault, type FaultCode } from '../../fault.ts'
import { networkOf } from '../../memory/network.ts'
import type { Platform } from '../../platform.ts'

/** What somebody meets who tries addresses and states, or has us ask for issuers again and again. */
const counted: ReadonlySet<FaultCode> = new Set([
  ...(['resource.unknown', 'presentation_request.closed', 'presentation_response.undecided'] as const),
])

/**
 * Does the work unless its caller was refused too often. [SEC-74]
 *
 * @throws Fault `request.rate_limited`, and what the work throws
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
