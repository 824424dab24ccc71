import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cpuTimer } from '../../test/support/cpu-time.ts'
import { fc } from '../../test/support/fast-check.ts'
import { parseTable } from './parse-table.ts'
import { readCsv, readRecords, statedDelimiter } from './read-csv.ts'
import { writeCsv } from './write-csv.ts'

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
    fc.property(table, fc.constantFrom('\r\n', '\n', '\r'), fc.boolean(), (rows, end, isClosed) => {
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

for (const [what, text, rows] of [
  [
    'CR alone between rows',
    'a,b\r1,2\r3,4\r',
    [
      ['a', 'b'],
      ['1', '2'],
      ['3', '4'],
    ],
  ],
  [
    'empty rows and fields at the end',
    'a,b\n1,2,,\n,\n\n',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    'a line break and a delimiter in quotes',
    'a,b\n"x\ny",", "',
    [
      ['a', 'b'],
      ['x\ny', ', '],
    ],
  ],
] as const) {
  test(`what spreadsheets write is read: ${what}`, () => {
    const { header, rows: body } = readCsv(text, { rowsMax: 10 })
    assert.deepEqual([header, ...body], rows)
  })
}

test('rows of people are read as wide as they are, and a quote inside of a field stands for itself', () => {
  const records = readRecords('a,b\n5" screen\n1,2,3\n\n', { rowsMax: 10, isLenient: true })
  assert.deepEqual(records, [['a', 'b'], ['5" screen'], ['1', '2', '3']])
})

for (const [what, text, meta] of [
  ['a closing quote that is missing', 'a\n"x', { rule: 'quotes', row: 2, column: 1 }],
  ['characters after a closing quote', 'a\n"x"y', { rule: 'quotes', row: 2, column: 1 }],
  ['a row that is longer than its header', 'a,b\n1,2,3', { rule: 'width', row: 2 }],
  ['a quote in a field without quotes', 'a\n5" screen', { rule: 'quotes', row: 2, column: 1 }],
  ['a row that is shorter', 'a,b\n1', { rule: 'width', row: 2 }],
  ['more rows than allowed, after empty ones', `a\n${'\n'.repeat(20)}b`, { rule: 'rows', limit: 10 }],
  ['more columns than allowed', 'a,b,c,d,e', { rule: 'columns', row: 1, limit: 4 }],
  ['a cell that is too long', `a\n"${'""'.repeat(30)}"`, { rule: 'cell', row: 2, column: 1, limit: 20 }],
  ['too many characters', `a\n${'x'.repeat(20)}\n${'x'.repeat(20)}`, { rule: 'chars' }],
] as const) {
  test(`a table is refused with its place: ${what}`, () => {
    const limits = { rowsMax: 10, columnsMax: 4, cellCharsMax: 20, charsMax: 40 }
    assert.throws(() => readCsv(text, limits), { code: 'request.invalid', meta })
  })
}

test('the line sep= names the delimiter and is no row; another delimiter is refused', () => {
  assert.deepEqual(statedDelimiter('sep=;\r\na;b'), { delimiter: 'semicolon', rest: 'a;b' })
  assert.deepEqual(statedDelimiter('"sep=\t"\na'), { delimiter: 'tab', rest: 'a' })
  assert.deepEqual(statedDelimiter('separator,b'), { delimiter: null, rest: 'separator,b' })
  assert.deepEqual(statedDelimiter('sep=|\na|b'), { delimiter: 'pipe', rest: 'a|b' })
  assert.throws(() => statedDelimiter('sep=:\na:b'), { meta: { rule: 'kind', row: 1 } })
})

test('what is written for a spreadsheet is read as it was before, whatever it begins with', () => {
  const cells = ['=1+1', '+27 82', '-A', '@x', "'", "'quoted'", "'=1", "''+1", 'plain', '\u2019s', '="00123"']
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...cells), { minLength: 1, maxLength: 4 }), (row) => {
      const header = row.map((_, at) => `c${at}`)
      for (const delimiter of ['comma', 'semicolon', 'tab', 'pipe'] as const) {
        const text = `\ufeff${writeCsv([header, row], delimiter)}`
        assert.doesNotMatch(text, /(^|[,;\t|])"?[=+\-@]/m, 'nothing that runs')
        const { rows } = parseTable(Buffer.from(text), { rowsMax: 5, columnsMax: 5, cells: 'tidied' })
        assert.deepEqual(rows[0]?.cells, row)
      }
    }),
  )
})
