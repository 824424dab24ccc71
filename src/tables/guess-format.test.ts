import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readDate, readNumber } from './cell-values.ts'
import { decodeText } from './decode-text.ts'
import { guessDates, guessDecimal, guessDelimiter } from './guess-format.ts'
import { parseTable } from './parse-table.ts'

const rule = (name: string) => ({ code: 'request.invalid', meta: { rule: name } })
const rows = (...cells: readonly string[]) => cells.map((cell) => ({ cells: [cell] }))

test('the encoding is guessed: UTF-8 or UTF-16, also without a mark, else Windows-1252; a chosen one must fit', () => {
  const umlaut = 'Müller – 5 €'
  assert.deepEqual(decodeText(Buffer.from(umlaut)), { text: umlaut, encoding: 'utf-8' })
  assert.deepEqual(decodeText(Buffer.from(`\ufeff${umlaut}`)), { text: umlaut, encoding: 'utf-8' })
  for (const mark of ['', '\ufeff']) {
    const bytes = Buffer.from(mark + umlaut, 'utf16le')
    assert.deepEqual(decodeText(bytes), { text: umlaut, encoding: 'utf-16le' })
    assert.deepEqual(decodeText(Buffer.from(bytes).swap16()), { text: umlaut, encoding: 'utf-16be' })
  }
  const bytes = Uint8Array.of(0x4d, 0xfc, 0x80)
  assert.deepEqual(decodeText(bytes), { text: 'Mü€', encoding: 'windows-1252' })
  assert.throws(() => decodeText(bytes, 'utf-8'), rule('encoding'))
  // A carriage return alone ends the lines of spreadsheets on a Mac only.
  const mac = Buffer.from([...Buffer.from('Ort\rK'), 0x9a, ...Buffer.from('ln\r')])
  assert.deepEqual(decodeText(mac), { text: 'Ort\rKöln\r', encoding: 'macintosh' })
  assert.equal(decodeText(Buffer.from('Ort\r\nK\xf6ln\r\n', 'latin1')).encoding, 'windows-1252')
  for (const odd of [Uint8Array.of(0x25, 0x50, 0, 1), Buffer.from('%PDF-1.7\n\x01\x02')])
    assert.throws(() => decodeText(odd), rule('kind'))
})

test('delimiter and decimal sign are guessed from what stands there', () => {
  assert.equal(guessDelimiter('a;b;c\n1,5;2,5;3,5'), 'semicolon')
  assert.equal(guessDelimiter('"a,b,c";d\n'), 'semicolon')
  assert.equal(guessDelimiter('a\tb\r1,2,3'), 'tab')
  assert.equal(guessDelimiter('a|b|c, d\n'), 'pipe')
  const decimals = 'Guests of 2026\r\nName;No;Price\r\nA;1;1,5\r\nB;2;2,5\r\nSum;4,0\r\n'
  assert.equal(guessDelimiter(decimals), 'semicolon', 'decimal commas stand in as many pairs of rows')
  assert.equal(guessDelimiter('a'), 'comma')
  assert.equal(guessDecimal(rows('1,5', '2,25', '1.5')), 'comma')
  assert.equal(guessDecimal(rows('1', 'x')), 'point')
})

for (const [cells, order, isSure] of [
  [['03/04/2026', '31/01/2026'], 'dmy', true],
  [['03/04/2026', '01/31/2026'], 'mdy', true],
  [['03/04/2026', '31.01.2026'], 'dmy', false],
  [['03/04/2026', '31/01/2026', '01/31/2026'], 'dmy', false],
  [['31/01/2026', '01/31/2026'], 'dmy', true],
  [['03/04/2026'], 'dmy', false],
  [['04/04/2026', '2026-01-31'], 'dmy', true],
] as const) {
  test(`the order of dates is ${isSure ? '' : 'not '}known from ${cells.join(' and ')}`, () => {
    assert.deepEqual(guessDates(rows(...cells)), { order, isSure })
  })
}

test('a date of a workbook, which has a value, needs no order', () => {
  const dated = [{ cells: ['03/04/2026'], values: { 0: '2026-04-03' } }]
  assert.deepEqual(guessDates(dated), { order: 'dmy', isSure: true })
})

test('a date that can be two days names both; a day that does not exist is none', () => {
  assert.deepEqual(readDate('03/04/2026'), { kind: 'ambiguous', dayFirst: '2026-04-03', monthFirst: '2026-03-04' })
  assert.deepEqual(readDate('3/4/2026', 'mdy'), { kind: 'date', iso: '2026-03-04' })
  assert.deepEqual(readDate('1.2.2026', 'mdy'), { kind: 'date', iso: '2026-02-01' })
  assert.deepEqual(readDate('2026/6/3'), { kind: 'date', iso: '2026-06-03' })
  for (const cell of ['30/02/2026', '31.02.2026', '2026-02-30', '13/13/2026', '1900-02-29'])
    assert.deepEqual(readDate(cell), { kind: 'no_day' }, cell)
  for (const cell of ['30/06/26', '2026-06-30 14:00', 'June', '', `${' '.repeat(50)}1.1.2026`])
    assert.deepEqual(readDate(cell), { kind: 'none' }, cell)
})

test('signs between thousands are dropped where they can be nothing else', () => {
  for (const [cell, decimal, number] of [
    ['1\u00a0234,5', 'comma', 1234.5],
    ['1.234,5', 'comma', 1234.5],
    ['1,234.5', 'point', 1234.5],
    ['1’234.5', 'point', 1234.5],
    ['1.234', 'comma', null],
    ['1,234', 'point', null],
    ['12,34.5', 'point', null],
    ['85%', 'point', null],
    ['120,50-', 'comma', -120.5],
    ['1.250,00-', 'comma', -1250],
    ['5-7', 'comma', null],
    ['-5-', 'comma', null],
  ] as const)
    assert.equal(readNumber(cell, decimal), number, cell)
})

test('columns and rows without content are left out, and what nobody sees around a cell goes', () => {
  const text = 'Name,E-mail,,\r\n\u200eAda\u200b , ada@example.org\u00a0,,\r\n,,,\r\nBea\r\n'
  const { header, rows: read } = parseTable(Buffer.from(text), { rowsMax: 5, columnsMax: 5, cells: 'tidied' })
  assert.deepEqual(header, ['Name', 'E-mail'])
  assert.deepEqual(read, [
    { number: 2, cells: ['Ada', 'ada@example.org'] },
    { number: 4, cells: ['Bea', ''] },
  ])
})

test('a text that a program wrote as a formula, to keep its zeros, is that text; another formula stays as it is', () => {
  const text = 'name|no|code\nAnn|="00123"|"=""7,5"""\nBob|=1+1|="a"&"b"\n'
  const { rows: read } = parseTable(Buffer.from(text), { rowsMax: 5, columnsMax: 5, cells: 'tidied' })
  assert.deepEqual(
    read.map(({ cells }) => cells),
    [
      ['Ann', '00123', '7,5'],
      ['Bob', '=1+1', '="a"&"b"'],
    ],
  )
})
