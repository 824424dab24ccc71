import { hmacSha256 } from '../crypto/digest.ts'
import { Fault, type FaultCode } from '../fault.ts'
import { type GatheredLimitName, limits, type SharedLimitName } from '../memory/limits.ts'
import { networksOf } from '../memory/network.ts'
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
 * Counts a failure for all processes: one statement. Once the limit is reached this process refuses the key until the
 * window ends; the others do so from their next failure on. The failure that exceeds the limit is refused instead, so
 * that its outcome is not told.
 *
 * @param countMax Below that of the limit, where the owner of the key sets less.
 * @param by Counts that many failures at once.
 * @throws Fault `request.rate_limited`
 */
export async function countShared(
  needs: Needs,
  name: SharedLimitName,
  key: string,
  countMax: number = limits[name].countMax,
  by = 1,
): Promise<void> {
  const { windowSeconds } = limits[name]
  const now = needs.clock.now()
  const count = { key: await macOf(needs, name, key), countMax, by, now, expiresAt: later(now, windowSeconds) }
  const counted = await needs.store.single(platformTenantId, (tx) => addSharedCount(tx, count))
  if (counted.isReached) remember(needs, name, key, counted.until)
  if (!counted.isAdded) throw limited(counted.until.getTime(), needs.clock.now())
}

/**
 * As {@link admitShared} and {@link countShared}, for every network of an address: one statement each. A wider network
 * may reach a multiple of the limit, but no more than half of `outOf`, where what they all share has that limit.
 * Loopback is not limited.
 *
 * @param of What is limited by network, such as an id.
 * @throws Fault `request.rate_limited`
 */
export async function countSharedByNetwork(
  needs: Needs,
  name: SharedLimitName,
  { of, ip }: { readonly of: string; readonly ip: string },
  countMax: number,
  outOf: number,
): Promise<void> {
  const networks = networksOf(ip).map(({ network, times }) => {
    const wide = Math.max(countMax, Math.min(countMax * times, Math.floor(outOf / 2)))
    return { key: `${of} ${network}`, countMax: times === 1 ? countMax : wide }
  })
  for (const { key } of networks) admitShared(needs, name, key)
  for (const one of networks) await countShared(needs, name, one.key, one.countMax)
}

/**
 * Runs `work` unless all processes together refused the address too often, and counts its faults that are in `counted`.
 * This process gathers them and adds several at a time: one statement with every tenth fault, none with a success. So
 * the other processes learn of all but the last nine.
 *
 * @throws Fault `request.rate_limited`, and what `work` throws
 */
export async function limitRefusals<T>(
  needs: Needs & Pick<Platform, 'rateLimiter'>,
  {
    name,
    of,
    ip,
    counted,
  }: {
    readonly name: GatheredLimitName
    /** What is limited by network: the id of a tenant. */
    readonly of: string
    readonly ip: string
    readonly counted: ReadonlySet<FaultCode>
  },
  work: () => Promise<T>,
): Promise<T> {
  const { rateLimiter, clock } = needs
  const networks = networksOf(ip).map(({ network, times }) => ({ key: `${of} ${network}`, times }))
  for (const { key, times } of networks) {
    rateLimiter.admit(name, key, clock.now(), times)
    admitShared(needs, name, key)
  }
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Fault && counted.has(error.code))) throw error
    const { gathered, countMax } = limits[name]
    for (const { key, times } of networks) {
      if (rateLimiter.count(name, key, clock.now()) % gathered === 0)
        await countShared(needs, name, key, countMax * times, gathered)
    }
    throw error
  }
}

/**
 * Resets a key after a success: one statement, which writes only where failures were counted.
 *
 * @throws Fault `request.rate_limited` if the limit is reached: the success is not told then.
 */
export async function clearShared(needs: Needs, name: SharedLimitName, key: string): Promise<void> {
  const count = { key: await macOf(needs, name, key), countMax: limits[name].countMax, now: needs.clock.now() }
  const until = await needs.store.single(platformTenantId, (tx) => clearSharedCount(tx, count))
  if (until === null) return
  remember(needs, name, key, until)
  throw limited(until.getTime(), needs.clock.now())
}

/** Deletes expired counts. */
export async function forgetSharedCounts({ store, clock }: Pick<Platform, 'store' | 'clock'>, signal: AbortSignal) {
  const now = clock.now()
  await inPieces({ store }, 'expired counts of shared limits', signal, (tx, limit) =>
    deleteSharedCounts(tx, now, limit),
  )
}

function remember({ memory, clock }: Known, name: SharedLimitName, key: string, until: Date): void {
  reached({ memory }).set(`${name} ${key}`, until.getTime(), clock.now(), until.getTime())
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
