// A process beside a loaded server that runs one piece of cryptography periodically, and sends the CPU time of each
// when it receives a message.
import { type FlooredLoad, pieceOfWork } from './crypto-floor.ts'

const PAUSE_MS = 10
const WARM_UP = 300

// The parent passes one of the loads.
const once = pieceOfWork(process.argv[2] as FlooredLoad)
for (let i = 0; i < WARM_UP; i += 1) once()
const found: number[] = []
const timer = setInterval(() => {
  const from = process.cpuUsage()
  once()
  const { user, system } = process.cpuUsage(from)
  found.push((user + system) / 1000)
}, PAUSE_MS)
process.once('message', () => {
  clearInterval(timer)
  process.send?.(found)
  process.disconnect?.()
})
