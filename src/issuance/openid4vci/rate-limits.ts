import type { Tenant } from '../../directory/tenants/tenant.ts'
import { Fault, type FaultCode } from '../../fault.ts'
import { networkOf } from '../../memory/network.ts'
import type { Platform } from '../../platform.ts'

type Needs = Pick<Platform, 'rateLimiter' | 'clock'>
/** Who asks whom. */
type Between = { readonly tenant: Pick<Tenant, 'id'>; readonly ip: string }

/** What somebody who tries codes, tokens and links meets. The mistakes of a form cost nothing. */
const counted: ReadonlySet<FaultCode> = new Set([
  ...(['grant.invalid', 'token.invalid', 'resource.unknown', 'nonce.invalid', 'key_proof.invalid'] as const),
])

/**
 * Does the work unless its caller was refused too often. [SEC-74]
 *
 * @throws Fault `request.rate_limited`, and what the work throws
 */
export async function limitIssuanceRefusals<T>(needs: Needs, between: Between, work: () => Promise<T>): Promise<T> {
  const key = keyOf(between)
  if (key === null) return work()
  needs.rateLimiter.admit('issuance.refusals', key, needs.clock.now())
  try {
    return await work()
  } catch (error) {
    if (error instanceof Fault && counted.has(error.code))
      needs.rateLimiter.count('issuance.refusals', key, needs.clock.now())
    throw error
  }
}

/** Lets a transaction code be tried. [SEC-4] @throws Fault `request.rate_limited` */
export function checkTxCodeGuesses(needs: Needs, { id }: Pick<Tenant, 'id'>): void {
  needs.rateLimiter.admit('issuance.guesses', id, needs.clock.now())
}

/** Counts a wrong transaction code. */
export function countTxCodeGuess(needs: Needs, { id }: Pick<Tenant, 'id'>): void {
  needs.rateLimiter.count('issuance.guesses', id, needs.clock.now())
}

/** Lets a nonce be handed out, and counts it. [VCI-N4] @throws Fault `request.rate_limited` */
export function limitNonces(needs: Needs, between: Between): void {
  const key = keyOf(between)
  if (key === null) return
  const now = needs.clock.now()
  needs.rateLimiter.admit('issuance.nonces', key, now)
  needs.rateLimiter.count('issuance.nonces', key, now)
}

/** Takes a nonce off the count: a credential was issued with it. */
export function refundNonce(needs: Needs, between: Between): void {
  const key = keyOf(between)
  if (key !== null) needs.rateLimiter.count('issuance.nonces', key, needs.clock.now(), -1)
}

function keyOf({ tenant, ip }: Between): string | null {
  const network = networkOf(ip)
  return network === null ? null : `${tenant.id} ${network}`
}
