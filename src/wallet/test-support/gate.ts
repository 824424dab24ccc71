import { setTimeout } from 'node:timers/promises'

/** Holds something up until a test lets it go. */
export function gate() {
  const { promise: passed, resolve: open } = Promise.withResolvers<void>()
  /** Waits until the one side has come as far as the test wants it. */
  const reached = async (isThere: () => boolean) => {
    while (!isThere()) await setTimeout(5)
  }
  return { passed, open, reached }
}
