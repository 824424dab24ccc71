import { setTimeout } from 'node:timers/promises'

/** Blocks until a test opens it. */
export function gate() {
  const { promise: passed, resolve: open } = Promise.withResolvers<void>()
  /** Waits until a condition is true. */
  const reached = async (isThere: () => boolean) => {
    while (!isThere()) await setTimeout(5)
  }
  return { passed, open, reached }
}
