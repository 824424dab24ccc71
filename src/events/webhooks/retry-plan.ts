/** For so long one event is tried at one endpoint; an endpoint at which nothing worked for so long is switched off. */
export const RETRY_DAYS = 3

const FIRST_SECONDS = 5
const GROWTH = 3
const SECONDS_MAX = 43_200
/** A quarter more or less, so that what failed together does not come back together. */
const JITTER = 0.25

/**
 * When a delivery that failed is tried again: after 5 s, 15 s, 45 s … up to 12 h, each a quarter more or less. The last attempt is made at
 * the end of its time.
 *
 * @param tries How many attempts there were.
 * @param until When the time of the delivery is over.
 * @param chance From 0 to 1.
 * @returns null when it is over: no further attempt.
 */
export function nextAttemptAt(tries: number, until: Date, now: Date, chance: number): Date | null {
  if (now.getTime() >= until.getTime()) return null
  const seconds = Math.min(FIRST_SECONDS * GROWTH ** (tries - 1), SECONDS_MAX) * (1 - JITTER + 2 * JITTER * chance)
  return new Date(Math.min(now.getTime() + seconds * 1000, until.getTime()))
}
