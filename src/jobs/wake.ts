/** A commit follows its enqueue within milliseconds; a look before it finds nothing. */
const COMMIT_MS = 20
const wakers = new Set<() => void>()

/** Lets the workers of this process look at the queue soon. Other processes find the job when they look by themselves. */
export function wakeLocalWorkers(): void {
  if (wakers.size > 0) setTimeout(wakeNow, COMMIT_MS).unref()
}

/** Calls `wake` whenever a job was put into the queue in this process. @returns how to end that. */
export function onWake(wake: () => void): () => void {
  wakers.add(wake)
  return () => wakers.delete(wake)
}

function wakeNow(): void {
  for (const wake of wakers) wake()
}

/** Calls `look` about every `pollMs`, and at once after `wake`, never twice at a time. Waking is cheap; many wakes are one look. */
export function pollingDelay(pollMs: number, look: () => Promise<void>) {
  let looking: Promise<void> | null = null
  let again = false
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  let failed: (error: unknown) => void = () => undefined

  function wake(): void {
    if (stopped) return
    again = looking !== null
    if (again) return
    clearTimeout(timer)
    looking = look()
      .catch((error: unknown) => failed(error))
      .finally(rest)
  }

  function rest(): void {
    looking = null
    if (stopped) return
    // Jitter keeps many processes from looking in step.
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
      await looking
    },
  }
}
