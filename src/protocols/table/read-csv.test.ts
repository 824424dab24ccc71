import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cpuTimer } from '../../../test/support/cpu-time.ts'
import { fc } from '../../../test/support/fast-check.ts'
import { readCsv } from './read-csv.ts'

const asField = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

test('what was written as RFC 4180 says is read as it was', () => {
  const field = fc.string({ unit: fc.constantFrom('a', ',', '"', '\r', '\n', ' ', 'é') })
  const table = fc
    .integer({ min: 1, max: 4 })
    .chain((width) =>
      fc.array(fc.tuple(fc.constant('x'), fc.array(field, { minLength: width, maxLength: width })), {
        minLength: 2,
        maxLength: 6,
      }),
    )
    .map((rows) => rows.map(([first, rest]) => [first, ...rest]))
  fc.assert(
    fc.property(table, fc.constantFrom('\r\n', '\n'), fc.boolean(), (rows, end, isClosed) => {
      const text = rows.map((row) => row.map(asField).join(',')).join(end) + (isClosed ? end : '')
      const { header, rows: body } = readCsv(text, { rowsMax: 10 })
      assert.deepEqual([header, ...body], rows)
    }),
  )
})

test('any text is read or refused, in time that grows with its length', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', ',', '"', '\r', '\n'), maxLength: 50 }), (text) => {
      try {
        readCsv(text, { rowsMax: 10 })
      } catch (error) {
        assert.equal(Object(error).code, 'request.invalid')
      }
    }),
  )
  const spent = cpuTimer()
  readCsv(`a\n"${'""'.repeat(250_000)}"`, { rowsMax: 10 })
  readCsv(`a\n${'b\n'.repeat(1000)}${'\n'.repeat(500_000)}`, { rowsMax: 1000 })
  assert.throws(() => readCsv(`a${'\n'.repeat(1_000_000)}b"`, { rowsMax: 1000 }), { code: 'request.invalid' })
  assert.throws(() => readCsv(`a\n${'\nb'.repeat(250_000)}`, { rowsMax: 10 }), { code: 'request.invalid' })
  assert(spent() < 1000)
})
