import { limitRefusals } from '../../api/failure-limit.ts'
import type { Tenant } from '../../directory/tenants/tenant.ts'
import type { FaultCode } from '../../fault.ts'
import type { Platform } from '../../platform.ts'

/** Outcomes of guessing addresses and states, and of responses that make this server fetch issuers repeatedly. */
const counted: ReadonlySet<FaultCode> = new Set([
  'resource.unknown',
  'presentation_request.closed',
  'presentation_response.undecided',
])

/**
 * Runs `work`, unless this tenant refused too many requests from the network of `ip` lately. [SEC-74]
 *
 * @throws Fault `request.rate_limited`, and what `work` throws
 */
export async function limitVerifierRefusals<T>(
  needs: Pick<Platform, 'store' | 'sealing' | 'memory' | 'rateLimiter' | 'clock'>,
  { tenant, ip }: { readonly tenant: Pick<Tenant, 'id'>; readonly ip: string },
  work: () => Promise<T>,
): Promise<T> {
  return limitRefusals(needs, { name: 'verification.refusals', of: tenant.id, ip, counted }, work)
}
