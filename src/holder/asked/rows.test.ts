import assert from 'node:assert/strict'
import { test } from 'node:test'
import { disclosedRows } from './rows.ts'

test('values of an array stand together, in the order of the card and with their keys; what is always shown stands apart', () => {
  const claim = (path: string, value: string, position?: string, isRequested = true) => ({
    path,
    value,
    isRequested,
    ...(position !== undefined && { position }),
  })
  const rows = disclosedRows([
    claim('["given_name"]', 'Zoë'),
    claim('["a","rights",null,"code"]', 'AM', '["a","rights",1,"code"]'),
    claim('["a","rights",null,"limits",null]', '78', '["a","rights",0,"limits",0]'),
    claim('["a","rights",null,"code"]', 'B', '["a","rights",0,"code"]'),
    claim('["a","rights",null,"since"]', '2019', '["a","rights",0,"since"]', false),
  ])
  assert.deepEqual(rows, [
    { path: '["given_name"]', value: 'Zoë', isRequested: true },
    { path: '["a","rights"]', value: [{ limits: ['78'], code: 'B' }, { code: 'AM' }], isRequested: true },
    { path: '["a","rights"]', value: [{ since: '2019' }], isRequested: false },
  ])
})

test('10,000 elements are put together in time that grows with their number', () => {
  const all = Array.from({ length: 10_000 }, (_, n) => ({
    path: '["a",null]',
    position: JSON.stringify(['a', n]),
    value: n,
    isRequested: true,
  }))
  const start = performance.now()
  assert.equal(Object(disclosedRows(all)[0]?.value).length, 10_000)
  assert.ok(performance.now() - start < 2000)
})
