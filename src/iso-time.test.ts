import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isoTime } from './iso-time.ts'

test('a moment is written as by Date.toISOString, whatever was written before', () => {
  fc.assert(
    fc.property(fc.array(fc.date({ noInvalidDate: true }), { minLength: 1 }), (dates) => {
      for (const one of dates) {
        assert.equal(isoTime(one), one.toISOString())
        assert.equal(isoTime(one.getTime()), one.toISOString())
      }
    }),
  )
})

test('moments close to each other, around the turn of a second and before 1970', () => {
  for (let ms = -2_003; ms < 2_003; ms += 1) assert.equal(isoTime(ms), new Date(ms).toISOString())
})

test('an invalid date is refused', () => {
  assert.throws(() => isoTime(new Date(Number.NaN)), RangeError)
  assert.throws(() => isoTime(9e15), RangeError)
})
