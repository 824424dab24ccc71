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
