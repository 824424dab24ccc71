/** Runs `poll` about every `pollMs`, and at once after `wake`, never twice concurrently. Wakes during a run lead to one more run. */
export function pollingDelay(pollMs: number, poll: () => Promise<void>) {
  let polling: Promise<void> | null = null
  let again = false
  let stopped = false
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
    stop: async () => {
      stopped = true
      clearTimeout(timer)
      await polling
    },
  }
}
