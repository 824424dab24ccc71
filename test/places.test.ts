// What one tenant or network takes of everything scarce, and what four take, leaves another one what it needs: each
// place of the table is filled by the code that takes it, and the call of another takes less than ten times as long.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Bench, openBench } from '../src/events/test-support/events-bench.ts'
import type { PlaceName } from '../src/memory/places.ts'
import { type Driver, placeDrivers } from './support/place-drivers.ts'

const TIMES = 10
const CALLS = 5
/** What else runs on the machine delays too: a sharer that does delays each time. */
const ROUNDS = 3
/** Below it a time says more of the machine than of the places. */
const MS_MIN = 2

let bench: Bench
before(async () => {
  bench = await openBench()
})
after(() => bench.close())

/** Milliseconds of the median of some calls, one after the other. */
async function latencyMs(call: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let turn = 0; turn < CALLS; turn += 1) {
    const begun = performance.now()
    await call()
    times.push(performance.now() - begun)
  }
  return times.toSorted((a, b) => a - b)[Math.floor(CALLS / 2)] ?? assert.fail()
}

async function delayedBy(greedy: number, driver: Driver): Promise<{ quietMs: number; busyMs: number }> {
  const calm = await driver.sharer(0)
  await latencyMs(calm.call)
  const quietMs = await latencyMs(calm.call)
  const ends = []
  for (let index = 1; index <= greedy; index += 1) ends.push(await (await driver.sharer(index)).occupy())
  try {
    return { quietMs, busyMs: await latencyMs(calm.call) }
  } finally {
    await Promise.all(ends.map((end) => end()))
  }
}

for (const name of Object.keys(placeDrivers) as PlaceName[]) {
  for (const greedy of [1, 4]) {
    test(`${name}: ${greedy} that take all that they get delay another by less than ten times`, async (context) => {
      const told: string[] = []
      for (let round = 0; round < ROUNDS; round += 1) {
        const driver = await placeDrivers[name](bench)
        try {
          const { quietMs, busyMs } = await delayedBy(greedy, driver)
          told.push(`quiet ${quietMs.toFixed(1)} ms, busy ${busyMs.toFixed(1)} ms`)
          context.diagnostic(told.at(-1) ?? '')
          if (busyMs < TIMES * Math.max(quietMs, MS_MIN)) return
        } finally {
          await driver.close()
        }
      }
      assert.fail(told.join('; '))
    })
  }
}
