import type { Platform } from '../../platform.ts'

/** A push service that takes longer is slow, for the next minute. */
const SLOW_MS = 2000
/** Concurrent calls of this process to a slow push service. */
const CALLS_MAX = 1

/**
 * Calls a push service. One that was slow within the last minute is called for one message at a time, so that a hostile host occupies one place
 * of the worker, however many people and tenants have a browser there. The bound is for this process; one host name counts as one service.
 *
 * @returns null, without a call, if that place is occupied
 */
export async function callService<T>(
  { memory, clock }: Pick<Platform, 'memory' | 'clock'>,
  endpoint: string,
  call: () => Promise<T>,
): Promise<{ readonly outcome: T; readonly isSlow: boolean } | null> {
  const slow = memory.cache<true>('wallet.slow_push_services')
  const calls = memory.single('wallet.push_calls', () => new Map<string, number>())
  const { host } = new URL(endpoint)
  const running = calls.get(host) ?? 0
  if (running >= CALLS_MAX && slow.get(host, clock.now()) !== undefined) return null
  calls.set(host, running + 1)
  const startedMs = performance.now()
  try {
    const outcome = await call()
    const isSlow = performance.now() - startedMs > SLOW_MS
    if (isSlow) slow.set(host, true, clock.now())
    return { outcome, isSlow }
  } finally {
    const left = (calls.get(host) ?? 1) - 1
    if (left > 0) calls.set(host, left)
    else calls.delete(host)
  }
}
