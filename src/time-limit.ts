/** A loop that has not ended a run for this long waits for something that never comes. */
export const STUCK_MS = 60_000

/**
 * Settles as `work` does, but after `msMax` rejects with `lateError()`. The work itself is not stopped, and its outcome
 * is then ignored.
 */
export async function withTimeLimit<T>(work: Promise<T>, msMax: number, lateError: () => Error): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(lateError()), msMax)
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}
