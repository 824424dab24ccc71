import { STUCK_MS } from '../time-limit.ts'

/**
 * Runs `poll` about every `pollMs`, and at once after `wake`, never twice concurrently. Wakes during a run lead to one
 * more run.
 */
export function pollingDelay(pollMs: number, poll: () => Promise<void>) {
  let polling: Promise<void> | null = null
  let again = false
  let stopped = false
  let turnedAt = performance.now()
  let timer: NodeJS.Timeout | undefined
  let failed: (error: unknown) => void = () => undefined

  function wake(): void {
    if (stopped) return
    again = polling !== null
    if (again) return
    clearTimeout(timer)
    polling = poll()
      .catch((error: unknown) => failed(error))
      .finally(rest)
  }

  function rest(): void {
    polling = null
    turnedAt = performance.now()
    if (stopped) return
    // Jitter keeps many processes from polling in step.
    timer = setTimeout(wake, again ? 0 : pollMs * (0.75 + Math.random() / 2))
    again = false
  }

  return {
    wake,
    onError: (report: (error: unknown) => void) => {
      failed = report
    },
    /** Rejects if no run has ended for a minute, however often it may have failed. */
    check: async () => {
      if (!stopped && performance.now() - turnedAt > Math.max(STUCK_MS, 3 * pollMs))
        throw new Error('the loop does not turn')
    },
    stop: async () => {
      stopped = true
      clearTimeout(timer)
      await polling
    },
  }
}
