/**
 * How long the delivery of an event is retried, and after which an endpoint at which every attempt failed is disabled.
 */
export const RETRY_DAYS = 3

const FIRST_SECONDS = 5
const GROWTH = 3
const SECONDS_MAX = 43_200
/** A quarter more or less, so that deliveries that failed together are not retried together. */
const JITTER = 0.25

/**
 * Returns the time of the next attempt after a failure: 5 s, 15 s, 45 s … up to 12 h later, each a quarter more or
 * less. The last attempt is made at `until`.
 *
 * @param tries The number of attempts so far.
 * @param until The end of the retries.
 * @param chance A random number from 0 to 1.
 * @returns null after `until`: no further attempt.
 */
export function nextAttemptAt(tries: number, until: Date, now: Date, chance: number): Date | null {
  if (now.getTime() >= until.getTime()) return null
  const seconds = Math.min(FIRST_SECONDS * GROWTH ** (tries - 1), SECONDS_MAX) * (1 - JITTER + 2 * JITTER * chance)
  return new Date(Math.min(now.getTime() + seconds * 1000, until.getTime()))
}
