/**
 * Returns the CPU time of the longest piece of work of this thread, in milliseconds: what runs between two turns of the
 * event loop.
 */
export async function longestPiece(work: () => Promise<unknown>): Promise<number> {
  let longestMs = 0
  let start = process.threadCpuUsage()
  const turn = () => {
    const { user, system } = process.threadCpuUsage(start)
    longestMs = Math.max(longestMs, (user + system) / 1000)
    start = process.threadCpuUsage()
  }
  let isDone = false
  const turns = (async () => {
    while (!isDone) {
      await new Promise((resolve) => setImmediate(resolve))
      turn()
    }
  })()
  await new Promise((resolve) => setImmediate(resolve))
  await work()
  isDone = true
  await turns
  return longestMs
}

/**
 * What else the machine does only adds to the time: the least of some runs counts. The later ones wait, so that a busy
 * stretch of the machine ends before all of them are done.
 */
const RUNS_MAX = 40
const HURRIED_RUNS_MAX = 10
const WAIT_MS = 100

/**
 * Runs a piece of work, given as what returns its longest piece, until one run stays below a limit, and returns the
 * least of the runs, in milliseconds: the limit or more when no run of 40 stayed below it.
 */
export async function leastOfRuns(mostMs: number, longestMs: () => Promise<number>): Promise<number> {
  let leastMs = Number.POSITIVE_INFINITY
  for (let run = 0; run < RUNS_MAX && leastMs >= mostMs; run += 1) {
    if (run >= HURRIED_RUNS_MAX) await new Promise((resolve) => setTimeout(resolve, WAIT_MS))
    leastMs = Math.min(leastMs, await longestMs())
  }
  return leastMs
}
