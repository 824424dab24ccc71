import { admitShared, countShared, limitRefusals } from '../../api/failure-limit.ts'
import type { Tenant } from '../../directory/tenants/tenant.ts'
import type { FaultCode } from '../../fault.ts'
import type { Platform } from '../../platform.ts'

type Needs = Pick<Platform, 'store' | 'sealing' | 'memory' | 'rateLimiter' | 'clock'>
type Counters = Pick<Platform, 'rateLimiter' | 'clock'>
/** The key of a limit: a tenant and the networks of the client. */
type RateLimitKey = { readonly tenant: Pick<Tenant, 'id'>; readonly ip: string }

/** Refusals that guessed codes, tokens and links cause; malformed requests are not counted. */
const counted: ReadonlySet<FaultCode> = new Set([
  'grant.invalid',
  'token.invalid',
  'resource.unknown',
  'nonce.invalid',
  'key_proof.invalid',
  'transaction.unknown',
])

/**
 * Runs the work unless the client was refused too often. [SEC-74]
 *
 * @throws Fault `request.rate_limited`, and what the work throws
 */
export async function limitIssuanceRefusals<T>(needs: Needs, key: RateLimitKey, work: () => Promise<T>): Promise<T> {
  return limitRefusals(needs, { name: 'issuance.refusals', of: key.tenant.id, ip: key.ip, counted }, work)
}

/** Checks the limit of wrong transaction codes; no statement. [SEC-4] @throws Fault `request.rate_limited` */
export function checkTxCodeGuesses(needs: Pick<Needs, 'memory' | 'clock'>, { id }: Pick<Tenant, 'id'>): void {
  admitShared(needs, 'issuance.guesses', id)
}

/**
 * Counts a wrong transaction code for all processes: one statement.
 *
 * @throws Fault `request.rate_limited`, in place of what is told of the code
 */
export async function countTxCodeGuess(needs: Needs, { id }: Pick<Tenant, 'id'>): Promise<void> {
  await countShared(needs, 'issuance.guesses', id)
}

/** Checks the limit of nonces and counts one. [VCI-N4] @throws Fault `request.rate_limited` */
export function limitNonces({ rateLimiter, clock }: Counters, { tenant, ip }: RateLimitKey): void {
  rateLimiter.admitAddress('issuance.nonces', ip, clock.now(), `${tenant.id} `)
  rateLimiter.countAddress('issuance.nonces', ip, clock.now(), 1, `${tenant.id} `)
}

/** Uncounts a nonce: a credential was issued with it. */
export function refundNonce({ rateLimiter, clock }: Counters, { tenant, ip }: RateLimitKey): void {
  rateLimiter.countAddress('issuance.nonces', ip, clock.now(), -1, `${tenant.id} `)
}
