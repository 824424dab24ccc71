import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from 'typebox'
import { checkMaker } from './check.ts'

const check = checkMaker()
const moment = check(Type.String({ format: 'date-time' }), 'body')
const uuid = check(Type.String({ format: 'uuid' }), 'body')

for (const time of [
  '2026-01-31T12:00:00Z',
  '2026-01-31T12:00:00.123456789+14:00',
  '2024-02-29T23:59:59.9-00:30',
  '0001-01-01T00:00:00Z',
]) {
  test(`the time ${time} is one`, () => moment(time))
}

for (const time of [
  '2016-12-31T23:59:60Z',
  '2026-02-30T12:00:00Z',
  '2026-01-31 12:00:00Z',
  '2026-01-31\u00a012:00:00Z',
  '2026-01-31T12:00:00',
  '2026-01-31T12:00:00+05',
  '2026-01-31T25:00:00Z',
  '0000-12-31T12:00:00Z',
  '0001-01-01T00:00:00+05:00',
  '9999-12-31T23:59:59-05:00',
]) {
  test(`the time ${JSON.stringify(time)} is refused: clock, database or token could not say it`, () => {
    assert.throws(() => moment(time), { code: 'request.invalid' })
  })
}

test('an id is a UUID and nothing around it', () => {
  uuid('0190c5a0-0000-7000-8000-000000000000')
  uuid('0190C5A0-0000-7000-8000-000000000000')
  for (const id of ['urn:uuid:0190c5a0-0000-7000-8000-000000000000', '{0190c5a0-0000-7000-8000-000000000000}', '']) {
    assert.throws(() => uuid(id), { code: 'request.invalid' })
  }
})
