import { networkOf } from '../../memory/network.ts'
import type { Platform } from '../../platform.ts'

/**
 * Counts an attempt to sign in by network, before the work that it costs.
 *
 * @returns what takes the count back after a success.
 * @throws Fault `request.rate_limited`
 */
export function countAttempt({ rateLimiter, clock }: Pick<Platform, 'rateLimiter' | 'clock'>, ip: string): () => void {
  const network = networkOf(ip)
  if (network === null) return () => undefined
  rateLimiter.admit('authorization.sign_ins_of_network', network, clock.now())
  rateLimiter.count('authorization.sign_ins_of_network', network, clock.now())
  return () => rateLimiter.count('authorization.sign_ins_of_network', network, clock.now(), -1)
}
