import { Allowance, networkOf } from '../directory/allowance.ts'
import type { Tenant } from '../directory/tenant.ts'
import { Fault, type FaultCode } from '../fault.ts'
import type { Platform } from '../platform.ts'
import type { Store } from '../store/store.ts'

type Needs = Pick<Platform, 'store' | 'clock'>
/** Who asks whom. */
type Between = { readonly tenant: Pick<Tenant, 'id'>; readonly ip: string }

const minute = { windowMs: 60_000, keysMax: 20_000 } as const

/**
 * Counted a minute, in this process; what goes well counts nowhere. `refusals`: of one address at one tenant. `guesses`: wrong transaction
 * codes at one tenant, whoever makes them; it takes genuine offers, and each gives five. `nonces`: of one address at one tenant, less those
 * that a credential was issued with.
 */
const limits = { refusals: 300, guesses: 1000, nonces: 6000 } as const

type Counts = { readonly [K in keyof typeof limits]: Allowance }

const counts = new WeakMap<Store, Counts>()

/** What somebody who tries codes, tokens and links meets. The mistakes of a form cost nothing. */
const counted: ReadonlySet<FaultCode> = new Set([
  ...(['grant.invalid', 'token.invalid', 'resource.unknown', 'nonce.invalid', 'key_proof.invalid'] as const),
])

/**
 * Does the work unless its caller was refused too often. [SEC-74]
 *
 * @throws Fault `request.rate_limited`, and what the work throws
 */
export async function countingRefusals<T>(needs: Needs, between: Between, work: () => Promise<T>): Promise<T> {
  const key = keyOf(between)
  if (key === null) return work()
  const { refusals } = countsOf(needs)
  refusals.admit(key, needs.clock.now())
  try {
    return await work()
  } catch (error) {
    if (error instanceof Fault && counted.has(error.code)) refusals.count(key, needs.clock.now())
    throw error
  }
}

/** Lets a transaction code be tried. [SEC-4] @throws Fault `request.rate_limited` */
export function admitGuess(needs: Needs, { id }: Pick<Tenant, 'id'>): void {
  countsOf(needs).guesses.admit(id, needs.clock.now())
}

/** Counts a wrong transaction code. */
export function countGuess(needs: Needs, { id }: Pick<Tenant, 'id'>): void {
  countsOf(needs).guesses.count(id, needs.clock.now())
}

/** Lets a nonce be handed out, and counts it. [VCI-N4] @throws Fault `request.rate_limited` */
export function admitNonce(needs: Needs, between: Between): void {
  const key = keyOf(between)
  if (key === null) return
  const now = needs.clock.now()
  countsOf(needs).nonces.admit(key, now)
  countsOf(needs).nonces.count(key, now)
}

/** Takes a nonce off the count: a credential was issued with it. */
export function forgiveNonce(needs: Needs, between: Between): void {
  const key = keyOf(between)
  if (key !== null) countsOf(needs).nonces.count(key, needs.clock.now(), -1)
}

function keyOf({ tenant, ip }: Between): string | null {
  const network = networkOf(ip)
  return network === null ? null : `${tenant.id} ${network}`
}

function countsOf({ store }: Needs): Counts {
  const known = counts.get(store)
  if (known !== undefined) return known
  const made: Counts = {
    refusals: new Allowance({ ...minute, countMax: limits.refusals }),
    guesses: new Allowance({ ...minute, countMax: limits.guesses }),
    nonces: new Allowance({ ...minute, countMax: limits.nonces }),
  }
  counts.set(store, made)
  return made
}
