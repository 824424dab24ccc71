import { admitShared, clearShared, countShared } from '../../../api/failure-limit.ts'
import type { Client } from '../../../directory/clients/client.ts'
import { networkOf } from '../../../memory/network.ts'
import type { Platform } from '../../../platform.ts'

const BY_CLIENT = 'authorization.attempts_of_client'
const BY_PROVEN = 'authorization.attempts_of_proven_client'
const BY_NETWORK = 'authorization.attempts_of_network'

const DAY_MS = 86_400_000

type Needs = Pick<Platform, 'rateLimiter' | 'memory' | 'clock'>

/**
 * Whether the client authenticated within the last day, to this process or, as {@link noteProven} found, to another
 * one.
 */
export function isProvenClient(needs: Pick<Needs, 'memory' | 'clock'>, clientId: string): boolean {
  return provenClients(needs).get(nameOf(clientId), needs.clock.now()) === true
}

/**
 * Remembers that a client authenticated to some process within the last day, so that all of them lock it out by the
 * same count.
 */
export function noteProven(
  needs: Pick<Needs, 'memory' | 'clock'>,
  client: Pick<Client, 'clientId' | 'lastUsedAt'>,
): void {
  const now = needs.clock.now()
  const until = (client.lastUsedAt?.getTime() ?? 0) + DAY_MS
  if (until > now.getTime()) provenClients(needs).set(nameOf(client.clientId), true, now, until)
}

/**
 * Counts an attempt with a secret before its slow hash, so that concurrent attempts do not exceed the limit: by client
 * and address, and by address. A client that authenticated within the last day has a limit of its own, which the
 * failures of other clients at its address (an undeclared proxy) do not use up.
 *
 * Throws Fault `request.rate_limited`.
 */
export function countClientAttempt(needs: Needs, clientId: string, ip: string): void {
  const { rateLimiter, clock } = needs
  const now = clock.now()
  const isProven = isProvenClient(needs, clientId)
  const limit = isProven ? BY_PROVEN : BY_CLIENT
  rateLimiter.admit(limit, keyOf(clientId, ip), now)
  if (!isProven) rateLimiter.admitAddress(BY_NETWORK, ip, now)
  rateLimiter.count(limit, keyOf(clientId, ip), now)
  if (!isProven) rateLimiter.countAddress(BY_NETWORK, ip, now)
}

type SharedNeeds = Needs & Pick<Platform, 'store' | 'sealing'>

/**
 * The guesses at the secret of a client from one address, counted for all processes. Secrets that the server made
 * cannot be guessed.
 *
 * `admit` costs no statement; `wrong` and `right` one each, after the slow hash. All throw Fault
 * `request.rate_limited`, before they tell more outcomes than the limit allows.
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

/**
 * Refuses an address that failed too often, before a check that costs more than a slow hash. Throws Fault
 * `request.rate_limited`.
 */
export function admitAddress({ rateLimiter, clock }: Pick<Needs, 'rateLimiter' | 'clock'>, ip: string): void {
  rateLimiter.admitAddress(BY_NETWORK, ip, clock.now())
}

/**
 * Counts a failed assertion or attestation by address. Throws Fault `request.rate_limited` once the limit of the
 * address is reached.
 */
export function countFailure({ rateLimiter, clock }: Needs, ip: string): void {
  rateLimiter.admitAddress(BY_NETWORK, ip, clock.now())
  rateLimiter.countAddress(BY_NETWORK, ip, clock.now())
}

/** Records that a client authenticated, and refunds the attempt that {@link countClientAttempt} counted. */
export function recordSuccess(needs: Needs, clientId: string, ip: string, wasCounted: boolean): void {
  const { rateLimiter, clock } = needs
  if (wasCounted && !isProvenClient(needs, clientId)) rateLimiter.countAddress(BY_NETWORK, ip, clock.now(), -1)
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
  // From a /64 one client can choose addresses.
  return `${networkOf(ip) ?? ip} ${nameOf(clientId)}`
}
