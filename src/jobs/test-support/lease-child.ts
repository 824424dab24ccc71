import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { Type } from 'typebox'
import { platformOn } from '../../../test/support/platform.ts'
import { openStore } from '../../store/opening/open-store.ts'
import { job } from '../job.ts'
import { startWorker } from '../worker.ts'

/** The job of the test; its payload is the number that a worker process reports. */
export const leasedJob = job({
  name: 'test.leased',
  payload: Type.Object({ n: Type.Integer() }),
  attemptsMax: 3,
  timeoutSeconds: 5,
  run: async (_platform, { n }) => {
    begun += 1
    process.stdout.write(`begin ${n}\n`)
    if (begun > stallAfter) await new Promise(() => undefined)
    await pause(10)
    process.stdout.write(`end ${n}\n`)
  },
})

let begun = 0
const stallAfter = Number(process.env.STALL_AFTER ?? Number.POSITIVE_INFINITY)

/**
 * A worker process: reports on its output when it is ready, and which jobs begin and end. Its clock stands at
 * LEASE_NOW, so that no lease ends because the machine is slow; a line on its input is a number of seconds that pass.
 */
async function run(databaseUrl: string | null, dataDir: string | null): Promise<void> {
  let nowMs = Number(process.env.LEASE_NOW)
  const store = await openStore({ databaseUrl, dataDir, poolMax: 4, onIdleError: () => undefined })
  const clock = { now: () => new Date(nowMs) }
  startWorker(platformOn({ store, clock }), [leasedJob], [], { pollMs: 20 })
  process.stdout.write('ready\n')
  for await (const line of createInterface({ input: process.stdin })) nowMs += Number(line) * 1000
}

if (process.env.LEASE_DATABASE !== undefined || process.env.LEASE_FOLDER !== undefined) {
  await run(process.env.LEASE_DATABASE ?? null, process.env.LEASE_FOLDER ?? null)
}
