import type { Platform } from '../../platform.ts'

/**
 * Counts an attempt to sign in by network, before the work that it costs.
 *
 * @returns what takes the count back after a success.
 * @throws Fault `request.rate_limited`
 */
export function countSignInAttempt(
  { rateLimiter, clock }: Pick<Platform, 'rateLimiter' | 'clock'>,
  ip: string,
): () => void {
  rateLimiter.admitAddress('authorization.sign_ins_of_network', ip, clock.now())
  rateLimiter.countAddress('authorization.sign_ins_of_network', ip, clock.now())
  return () => rateLimiter.countAddress('authorization.sign_ins_of_network', ip, clock.now(), -1)
}
