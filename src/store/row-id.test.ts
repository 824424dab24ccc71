import assert from 'node:assert/strict'
import { test } from 'node:test'
import { idAt, lowestIdAt, newId, timeOfId } from './row-id.ts'

test('ids sort by creation, for any number of ids in a millisecond', () => {
  const ids = Array.from({ length: 20_000 }, newId)
  assert.deepEqual(ids.toSorted(), ids)
  assert.equal(new Set(ids).size, ids.length)
  for (const id of ids) assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
})

test('an id contains its creation time', async () => {
  await new Promise((resolve) => setTimeout(resolve, 50))
  const ms = Number.parseInt(newId().replace('-', '').slice(0, 12), 16)
  assert(Math.abs(Date.now() - ms) < 1000)
})

test('ids of one time of a clock sort by creation, and contain that time', () => {
  const noon = new Date('2026-05-01T12:00:00.000Z')
  const ids = Array.from({ length: 100 }, () => idAt(noon))
  assert.deepEqual(ids.toSorted(), ids)
  for (const id of ids) assert.deepEqual(timeOfId(id), noon)
  assert.ok(lowestIdAt(noon) < (ids[0] ?? ''))
  assert.ok((ids.at(-1) ?? '') < lowestIdAt(new Date(noon.getTime() + 1)))
})

test('the time in an id is at most a second late; a clock that is set back further is followed', () => {
  const at = (ms: number) => new Date(1_000_000_000_000 + ms)
  idAt(at(0))
  const late = idAt(at(-5))
  assert.deepEqual(timeOfId(late), at(0))
  assert.deepEqual(timeOfId(idAt(at(-60_000))), at(-60_000))
})
