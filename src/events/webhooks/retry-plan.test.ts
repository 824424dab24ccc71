import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextAttemptAt } from './retry-plan.ts'

const start = new Date('2026-05-01T12:00:00.000Z')
const until = new Date('2026-05-04T12:00:00.000Z')

/** The moments at which something that always fails is tried, in seconds from its start. */
function plan(chance: number): number[] {
  const moments = [0]
  for (let now: Date | null = start; now !== null; ) {
    now = nextAttemptAt(moments.length, until, now, chance)
    if (now !== null) moments.push((now.getTime() - start.getTime()) / 1000)
  }
  return moments
}

test('attempts come later and later, up to twelve hours apart, and the last one is at the end of the third day', () => {
  assert.deepEqual(plan(0.5).slice(0, 6), [0, 5, 20, 65, 200, 605])
  for (const chance of [0, 0.5, 1]) {
    const moments = plan(chance)
    assert.equal(moments.at(-1), 259_200)
    assert(moments.length > 11, 'a receiver that fails ten times has another chance')
    for (const [n, at] of moments.entries()) assert(n === 0 || at - (moments[n - 1] ?? 0) <= 54_000)
  }
})

test('two that failed together come back up to a quarter earlier or later', () => {
  const ms = (chance: number) => (nextAttemptAt(3, until, start, chance)?.getTime() ?? 0) - start.getTime()
  assert.deepEqual([ms(0), ms(0.5), ms(1)], [33_750, 45_000, 56_250])
})
