import { hmacSha256 } from '../crypto/digest.ts'
import { Fault } from '../fault.ts'
import { limits, type SharedLimitName } from '../memory/limits.ts'
import type { Platform } from '../platform.ts'
import { inPieces } from '../store/in-pieces.ts'
import { platformTenantId } from '../store/store.ts'
import { addSharedCount, clearSharedCount, deleteSharedCounts } from './failure-count-store.ts'

type Needs = Pick<Platform, 'store' | 'sealing' | 'clock' | 'memory'>
type Known = Pick<Platform, 'memory' | 'clock'>

/** Checks a shared limit by what this process has heard of it; no statement. @throws Fault `request.rate_limited` */
export function admitShared({ memory, clock }: Known, name: SharedLimitName, key: string): void {
  const now = clock.now()
  const until = reached({ memory }).get(`${name} ${key}`, now)
  if (until !== undefined && until > now.getTime()) throw limited(until, now)
}

/**
 * Counts a failure for all processes: one statement. The failure that exceeds the limit is refused instead, so that its outcome is not told,
 * and this process refuses the key until the window ends.
 *
 * @param countMax Below that of the limit, where the owner of the key sets less.
 * @throws Fault `request.rate_limited`
 */
export async function countShared(
  needs: Needs,
  name: SharedLimitName,
  key: string,
  countMax: number = limits[name].countMax,
): Promise<void> {
  const { windowSeconds } = limits[name]
  const now = needs.clock.now()
  const count = { key: await macOf(needs, name, key), countMax, now, expiresAt: later(now, windowSeconds) }
  refuseUntil(needs, name, key, await needs.store.single(platformTenantId, (tx) => addSharedCount(tx, count)))
}

/**
 * Resets a key after a success: one statement, which writes only where failures were counted.
 *
 * @throws Fault `request.rate_limited` if the limit is reached: the success is not told then.
 */
export async function clearShared(needs: Needs, name: SharedLimitName, key: string): Promise<void> {
  const count = { key: await macOf(needs, name, key), countMax: limits[name].countMax, now: needs.clock.now() }
  refuseUntil(needs, name, key, await needs.store.single(platformTenantId, (tx) => clearSharedCount(tx, count)))
}

/** Deletes expired counts. */
export async function forgetSharedCounts({ store, clock }: Pick<Platform, 'store' | 'clock'>, signal: AbortSignal) {
  const now = clock.now()
  await inPieces({ store }, 'expired counts of shared limits', signal, (tx, limit) =>
    deleteSharedCounts(tx, now, limit),
  )
}

function refuseUntil({ memory, clock }: Known, name: SharedLimitName, key: string, until: Date | null): void {
  if (until === null) return
  const now = clock.now()
  reached({ memory }).set(`${name} ${key}`, until.getTime(), now, until.getTime())
  throw limited(until.getTime(), now)
}

function reached({ memory }: Pick<Platform, 'memory'>) {
  return memory.cache<number>('api.reached_limits')
}

async function macOf({ sealing }: Needs, name: SharedLimitName, key: string): Promise<Buffer> {
  return hmacSha256(await sealing.derive(platformTenantId, 'shared limits'), `${name}\0${key}`)
}

function later(now: Date, seconds: number): Date {
  return new Date(now.getTime() + seconds * 1000)
}

function limited(until: number, now: Date): Fault {
  const retryAfterSeconds = Math.max(1, Math.ceil((until - now.getTime()) / 1000))
  return new Fault('request.rate_limited', { meta: { retryAfterSeconds } })
}
