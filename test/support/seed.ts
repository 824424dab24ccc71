import { randomInt } from 'node:crypto'

/** What makes everything random in tests repeatable: TEST_SEED, which a whole run sets and prints, else a new one. */
export const seed = Number(process.env.TEST_SEED ?? randomInt(2 ** 31))

/**
 * Numbers from 0 to 1 that follow from the seed, for waits of random length. Prints the seed where no run does.
 *
 * @see the generator mulberry32
 */
export function seededNumbers(): () => number {
  if (process.env.TEST_SEED === undefined) console.log(`# repeat with TEST_SEED=${seed}`)
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
