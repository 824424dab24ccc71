import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../test/support/fast-check.ts'
import { FairPlaces, NoPlace, type Release } from './fair-places.ts'

const bounds = { countMax: 12, waitingMax: 3 }
/** Lets the callers that were admitted continue. */
const settle = () => new Promise((resolve) => setImmediate(resolve))

/** Takes what each key may have, in turn. */
function takeAll(places: FairPlaces, keys: readonly string[]): Release[] {
  const taken: Release[] = []
  for (;;) {
    const round = keys.map((key) => places.tryTake(key)).filter((release) => release !== null)
    if (round.length === 0) return taken
    taken.push(...round)
  }
}

for (const [keys, held] of [
  [['a'], 7],
  [['a', 'b', 'c', 'd'], 9],
] as const) {
  test(`${keys.length} greedy keys hold ${held} of 12 places, and a key that holds none is admitted at once`, () => {
    const places = new FairPlaces(bounds)
    assert.equal(takeAll(places, keys).length, held)
    assert.notEqual(places.tryTake('other'), null)
  })
}

test('a released place goes to the key that holds least, of its callers to that which waits longest', async () => {
  const places = new FairPlaces({ countMax: 2, waitingMax: 3 })
  const [first, second] = [places.tryTake('a'), places.tryTake('b')]
  const admitted: string[] = []
  for (const [key, name] of [
    ['a', 'a2'],
    ['a', 'a3'],
    ['c', 'c1'],
  ] as const) {
    void places.take(key).then(() => admitted.push(name))
  }
  second?.()
  await settle()
  assert.deepEqual(admitted, ['c1'])
  first?.()
  await settle()
  assert.deepEqual(admitted, ['c1', 'a2'])
})

test('at most waitingMax callers of a key wait', async () => {
  const places = new FairPlaces(bounds)
  const held = takeAll(places, ['a'])
  const waiting = [1, 2, 3].map(() => places.take('a'))
  await assert.rejects(places.take('a'), NoPlace)
  for (const release of held) release()
  assert.equal((await Promise.all(waiting)).length, 3)
})

test('a caller that gives up leaves no place behind', async () => {
  const places = new FairPlaces({ countMax: 1, waitingMax: 3 })
  const release = places.tryTake('a')
  const signal = AbortSignal.abort(new Error('before'))
  await assert.rejects(places.take('b', { signal }), /before/)
  const leaving = new AbortController()
  const given = places.take('b', { signal: leaving.signal })
  const kept = places.take('c')
  leaving.abort(new Error('meanwhile'))
  await assert.rejects(given, /meanwhile/)
  release?.()
  const last = await kept
  assert.equal(places.tryTake('b'), null)
  last()
  assert.notEqual(places.tryTake('b'), null)
})

test('a place is released once, also when the work fails', async () => {
  const places = new FairPlaces({ countMax: 1, waitingMax: 1 })
  await assert.rejects(
    places.hold('a', () => Promise.reject(new Error('work'))),
    /work/,
  )
  const release = places.tryTake('a')
  release?.()
  release?.()
  assert.notEqual(places.tryTake('b'), null)
  assert.equal(places.tryTake('c'), null)
})

test('amounts never exceed the places, and everything that was taken comes back', async () => {
  const moves = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.integer({ min: 1, max: 20 })), { maxLength: 50 })
  await fc.assert(
    fc.asyncProperty(moves, async (asked) => {
      const places = new FairPlaces({ countMax: 10, waitingMax: 100 })
      let held = 0
      await Promise.all(
        asked.map(([key, amount]) =>
          places.hold(
            key,
            async () => {
              held += Math.min(amount, 10)
              assert(held <= 10)
              await settle()
              held -= Math.min(amount, 10)
            },
            { amount },
          ),
        ),
      )
      assert.notEqual(places.tryTake('new', 10), null)
    }),
    { numRuns: 30 },
  )
})
