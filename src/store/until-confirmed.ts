import { setTimeout as pause } from 'node:timers/promises'
import { Refused } from './store.ts'

/** Pauses before each retry; together longer than a failover within one data centre. */
const PAUSES_MS = [20, 100, 500, 1500] as const
/** SQLSTATEs of lost connections, insufficient resources, shutdown and system errors; every other one is final. */
const TRANSIENT_STATES = /^(08|53|57|58)/

/**
 * Retries a statement until the database confirms it, for about two seconds. A statement whose response was lost may
 * have taken effect, so it must be idempotent.
 */
export async function untilConfirmed<T>(run: () => Promise<T>): Promise<T> {
  for (const ms of PAUSES_MS) {
    try {
      return await run()
    } catch (error) {
      if (!isOutage(error)) throw error
    }
    await pause(ms)
  }
  return run()
}

function isOutage(error: unknown): boolean {
  if (!(error instanceof Error) || error.name === 'Fault' || error instanceof Refused) return false
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  return !/^[0-9A-Z]{5}$/.test(code) || TRANSIENT_STATES.test(code)
}
