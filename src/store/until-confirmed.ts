import { setTimeout as pause } from 'node:timers/promises'

/** Pauses before each further try; together longer than a failover of a database within one place. */
const PAUSES_MS = [20, 100, 500, 1500] as const
/** Connection lost, out of resources, shut down, failed below the database; every other SQLSTATE is its answer. */
const PASSING_STATES = /^(08|53|57|58)/

/**
 * Runs a statement until the database has confirmed it, for about two seconds. It may have been carried out although its answer was lost, so the
 * statement must do nothing, or the same once more, when it runs twice.
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
  if (!(error instanceof Error) || error.name === 'Fault') return false
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  return !/^[0-9A-Z]{5}$/.test(code) || PASSING_STATES.test(code)
}
