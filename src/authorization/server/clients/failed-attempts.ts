import { admitShared, clearShared, countShared } from '../../../api/failure-limit.ts'
import { networkOf } from '../../../memory/network.ts'
import type { Platform } from '../../../platform.ts'

const BY_CLIENT = 'authorization.attempts_of_client'
const BY_PROVEN = 'authorization.attempts_of_proven_client'
const BY_NETWORK = 'authorization.attempts_of_network'

type Needs = Pick<Platform, 'rateLimiter' | 'memory' | 'clock'>

/** Whether the client authenticated to this process within the last day. */
export function isProvenClient(needs: Pick<Needs, 'memory' | 'clock'>, clientId: string): boolean {
  return provenClients(needs).get(nameOf(clientId), needs.clock.now()) === true
}

/**
 * Counts an attempt with a secret before its slow hash, so that concurrent attempts do not exceed the limit: by client and address, and by
 * address. A client that authenticated within the last day has a limit of its own, which the failures of other clients at its address (an
 * undeclared proxy) do not use up.
 *
 * Throws Fault `request.rate_limited`.
 */
export function countAttempt(needs: Needs, clientId: string, ip: string): void {
  const { rateLimiter, clock } = needs
  const now = clock.now()
  const isProven = isProvenClient(needs, clientId)
  const limit = isProven ? BY_PROVEN : BY_CLIENT
  const network = isProven ? null : networkOf(ip)
  rateLimiter.admit(limit, keyOf(clientId, ip), now)
  if (network !== null) rateLimiter.admit(BY_NETWORK, network, now)
  rateLimiter.count(limit, keyOf(clientId, ip), now)
  if (network !== null) rateLimiter.count(BY_NETWORK, network, now)
}

type SharedNeeds = Needs & Pick<Platform, 'store' | 'sealing'>

/**
 * The guesses at the secret of a client from one address, counted for all processes. Secrets that the server made cannot be guessed.
 *
 * `admit` costs no statement; `wrong` and `right` one each, after the slow hash. All throw Fault `request.rate_limited`, before they tell more
 * outcomes than the limit allows.
 */
export function guessesOf(needs: SharedNeeds, clientId: string, ip: string) {
  const limit = isProvenClient(needs, clientId) ? BY_PROVEN : BY_CLIENT
  const key = keyOf(clientId, ip)
  return {
    admit: () => admitShared(needs, limit, key),
    wrong: () => countShared(needs, limit, key),
    right: () => clearShared(needs, limit, key),
  }
}

/** Refuses an address that failed too often, before a check that costs more than a slow hash. Throws Fault `request.rate_limited`. */
export function admitAddress({ rateLimiter, clock }: Pick<Needs, 'rateLimiter' | 'clock'>, ip: string): void {
  const network = networkOf(ip)
  if (network !== null) rateLimiter.admit(BY_NETWORK, network, clock.now())
}

/** Counts a failed assertion or attestation by address. Throws Fault `request.rate_limited` once the limit of the address is reached. */
export function countFailure({ rateLimiter, clock }: Needs, ip: string): void {
  const network = networkOf(ip)
  if (network === null) return
  rateLimiter.admit(BY_NETWORK, network, clock.now())
  rateLimiter.count(BY_NETWORK, network, clock.now())
}

/** Records that a client authenticated, and refunds the attempt that {@link countAttempt} counted. */
export function recordSuccess(needs: Needs, clientId: string, ip: string, wasCounted: boolean): void {
  const { rateLimiter, clock } = needs
  const network = wasCounted && !isProvenClient(needs, clientId) ? networkOf(ip) : null
  if (network !== null) rateLimiter.count(BY_NETWORK, network, clock.now(), -1)
  if (wasCounted) for (const limit of [BY_CLIENT, BY_PROVEN] as const) rateLimiter.forget(limit, keyOf(clientId, ip))
  provenClients(needs).set(nameOf(clientId), true, clock.now())
}

function provenClients({ memory }: Pick<Needs, 'memory'>) {
  return memory.cache<true>('authorization.proven_clients')
}

function nameOf(clientId: string): string {
  return clientId.slice(0, 200)
}

function keyOf(clientId: string, ip: string): string {
  return `${ip} ${nameOf(clientId)}`
}
