import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rowsIn } from './rows-view.ts'

const bad = Array.from({ length: 60 }, (_, at) => at)
const none = new Map()
const sent = new Map([
  ['shown', ['all']],
  ['page', ['2']],
])

test('rows are those that the address asks for; of a form that is shown again those that it was sent from', () => {
  const rowsOf = (query: Record<string, string>, fields: ReadonlyMap<string, string[]>, left = bad) =>
    rowsIn({ query, fields }, { bad: left })
  assert.deepEqual(rowsOf({}, none), { isAll: false, page: 1 })
  assert.deepEqual(rowsOf({ show: 'problems', page: '3' }, none), { isAll: false, page: 3 })
  assert.deepEqual(rowsOf({}, none, []), { isAll: true, page: 1 })
  assert.deepEqual(rowsOf({ kept: '1' }, sent), { isAll: true, page: 2 })
  assert.deepEqual(rowsOf({ page: '-1' }, none).page, 1)
})
