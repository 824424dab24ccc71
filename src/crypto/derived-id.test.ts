import assert from 'node:assert/strict'
import { test } from 'node:test'
import { derivedId } from './derived-id.ts'

const noon = new Date('2026-05-01T12:00:00.000Z')

test('a derived id is a UUID of version 7 that tells its time, the same for the same seed and no other', () => {
  const id = derivedId(noon, 'a')
  assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  assert.equal(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16), noon.getTime())
  assert.equal(derivedId(noon, 'a'), id)
  const others = Array.from({ length: 1000 }, (_, n) => derivedId(noon, `a${n}`))
  assert.equal(new Set([id, ...others]).size, 1001)
})
