import { setTimeout } from 'node:timers/promises'

/** Longer than any machine needs that does much besides: only what never happens lasts so long. */
const WAIT_MS_MAX = 60_000
const POLL_MS = 20

/**
 * Waits for what happens by itself, however slow the machine is. What must happen within a time is no matter for this.
 *
 * @param read Looks; undefined and false: it has not happened yet.
 * @param pauseMs Between two looks.
 * @returns what was read
 */
export async function until<T>(
  read: () => Promise<T | undefined | false> | T | undefined | false,
  pauseMs = POLL_MS,
): Promise<T> {
  for (const begun = performance.now(); performance.now() - begun < WAIT_MS_MAX; await setTimeout(pauseMs)) {
    const found = await read()
    if (found !== undefined && found !== false) return found
  }
  throw new Error(`it did not happen within ${WAIT_MS_MAX / 1000} s: ${read}`)
}
