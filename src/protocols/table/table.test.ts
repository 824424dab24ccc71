import assert from 'node:assert/strict'
import { test } from 'node:test'
import { strToU8, type Zippable, zipSync } from 'fflate'
import { decodeText } from './decode-text.ts'
import { guessDates, guessDecimal, guessDelimiter, isoDateOf, numberOf } from './guess-format.ts'
import { readCsv } from './read-csv.ts'
import { isWorkbook, readWorkbook } from './read-workbook.ts'
import { writeCsv } from './write-csv.ts'

const limits = { rowsMax: 100, columnsMax: 20 }
const rule = (name: string) => ({ code: 'request.invalid', meta: { rule: name } })

test('the encoding is guessed: UTF-8, with mark, UTF-16, else Windows-1252; a chosen one must fit', () => {
  const umlaut = 'Müller – 5 €'
  assert.deepEqual(decodeText(Buffer.from(umlaut)), { text: umlaut, encoding: 'utf-8' })
  assert.deepEqual(decodeText(Buffer.from(`\ufeff${umlaut}`)), { text: umlaut, encoding: 'utf-8' })
  assert.deepEqual(decodeText(Buffer.from(`\ufeff${umlaut}`, 'utf16le')), { text: umlaut, encoding: 'utf-16le' })
  const bytes = Uint8Array.of(0x4d, 0xfc, 0x80)
  assert.deepEqual(decodeText(bytes), { text: 'Mü€', encoding: 'windows-1252' })
  assert.throws(() => decodeText(bytes, 'utf-8'), rule('encoding'))
  for (const odd of [Uint8Array.of(0x25, 0x50, 0, 1), Buffer.from('%PDF-1.7\n\x01\x02')])
    assert.throws(() => decodeText(odd), rule('kind'))
})

test('delimiter, decimal sign and order of dates are guessed from what stands there', () => {
  assert.equal(guessDelimiter('a;b;c\n1,5;2,5;3,5'), 'semicolon')
  assert.equal(guessDelimiter('"a,b,c";d\n'), 'semicolon')
  assert.equal(guessDelimiter('a\tb\n'), 'tab')
  assert.equal(guessDelimiter('a'), 'comma')
  assert.equal(guessDecimal([['1,5', 'x'], ['2,25'], ['1.5']]), 'comma')
  assert.equal(guessDecimal([['1', 'x']]), 'point')
  assert.deepEqual(guessDates([['01/02/2026'], ['31/01/2026']]), { order: 'dmy', isSure: true })
  assert.deepEqual(guessDates([['01/31/2026']]), { order: 'mdy', isSure: true })
  assert.deepEqual(guessDates([['01/02/2026']]), { order: 'dmy', isSure: false })
  assert.deepEqual(guessDates([['2026-01-31']]), { order: 'dmy', isSure: true })
  assert.equal(isoDateOf('1.2.2026', 'mdy'), '2026-02-01')
  assert.equal(isoDateOf('30/02/2026', 'dmy'), null)
  assert.equal(numberOf('1\u00a0234,5', 'comma'), 1234.5)
  assert.equal(numberOf('1.234', 'comma'), null, 'it could be either')
})

test('cells that a spreadsheet would run are written as text', () => {
  const rows = [['=1+1', '+1', '-1', '@x', '\ty', 'a;b', '', 'plain']]
  assert.equal(writeCsv(rows, 'semicolon'), `'=1+1;'+1;'-1;'@x;'\ty;"a;b";"";plain\r\n`)
})

test('a table beyond its limits is refused, with the rule and the place', () => {
  assert.throws(() => readCsv('a,b\n1,2,3', { rowsMax: 5, columnsMax: 2 }), {
    meta: { rule: 'columns', row: 2, limit: 2 },
  })
  assert.throws(() => readCsv('a\n1\n2', { rowsMax: 1 }), { meta: { rule: 'rows', limit: 1 } })
  assert.deepEqual(readCsv('a;b\n1\n', { rowsMax: 1, delimiter: 'semicolon', isRagged: true }).rows, [['1', '']])
})

const type = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
function aWorkbook(sheet: string, more: Zippable = {}): Uint8Array {
  return zipSync({
    'xl/workbook.xml': strToU8(
      `<workbook xmlns="${type}" xmlns:r="x"><workbookPr/><sheets><sheet name="Class of 2026" sheetId="1" r:id="rId7"/><sheet name="Other" r:id="rId8"/></sheets></workbook>`,
    ),
    'xl/_rels/workbook.xml.rels': strToU8(
      '<Relationships><Relationship Id="rId8" Target="worksheets/sheet1.xml"/><Relationship Id="rId7" Target="worksheets/sheet2.xml"/></Relationships>',
    ),
    'xl/styles.xml': strToU8(
      '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="dd\\.mm\\.yyyy"/><numFmt numFmtId="165" formatCode="0.0 &quot;day&quot;"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/></cellXfs></styleSheet>',
    ),
    'xl/sharedStrings.xml': strToU8(
      '<sst><si><t>Name</t></si><si><r><t>Mül</t></r><r><t>ler &amp; Co</t></r><rPh><t>x</t></rPh></si></sst>',
    ),
    'xl/worksheets/sheet2.xml': strToU8(`<worksheet><sheetData>${sheet}</sheetData></worksheet>`),
    ...more,
  })
}

test('a workbook gives its first sheet: texts, numbers, dates, gaps, and of formulas the value that was saved', () => {
  const sheet = `<row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="inlineStr"><is><t>Born</t></is></c></row>
<row r="3"><c r="A3" t="s"><v>1</v></c><c r="B3"><v>78.299999999999997</v></c><c r="C3" s="1"><v>46053</v></c><c r="D3" s="2"><v>46053.5</v></c><c r="E3" s="3"><v>2.5</v></c><c r="F3" t="b"><v>1</v></c><c r="G3" t="str"><f>WEBSERVICE("https://evil.example")</f><v>done</v></c><c r="H3"><f>1+1</f></c></row>`
  const bytes = aWorkbook(sheet)
  assert(isWorkbook(bytes))
  const { name, sheets, rows } = readWorkbook(bytes, limits)
  assert.deepEqual([name, sheets], ['Class of 2026', 2])
  assert.deepEqual(rows, [
    ['Name', '', 'Born'],
    [],
    ['Müller & Co', '78.3', '2026-01-31', '2026-01-31T12:00:00', '2.5', 'true', 'done', ''],
  ])
})

for (const [what, bytes, name] of [
  ['beyond the rows', () => aWorkbook('<row r="101"/>'), 'rows'],
  ['beyond the rows that it counts itself', () => aWorkbook('<row r="1e9"/>'), 'rows'],
  ['beyond the columns', () => aWorkbook('<row r="1"><c r="ZZZ1"><v>1</v></c></row>'), 'columns'],
  [
    'with entities that expand',
    () => aWorkbook('', { 'xl/sharedStrings.xml': strToU8('<!DOCTYPE a [<!ENTITY b "c">]><sst>&b;</sst>') }),
    'kind',
  ],
  ['without its sheet', () => zipSync({ 'xl/workbook.xml': strToU8('<workbook/>') }), 'kind'],
  ['cut off', () => aWorkbook('').subarray(0, 560), 'kind'],
  ['of no XML', () => aWorkbook('</wrong>'), 'kind'],
  ['that is another archive', () => zipSync({ 'readme.txt': strToU8('x') }), 'kind'],
] as const) {
  test(`a workbook ${what} is refused`, () => {
    assert.throws(
      () => readWorkbook(bytes(), limits),
      (error: unknown) => Object(Object(error).meta).rule === name,
    )
  })
}

test('a workbook that unpacks to far more is refused soon, and before its memory is taken', () => {
  const zeros = new Uint8Array(96 * 1024 * 1024)
  const bytes = aWorkbook('', { 'xl/sharedStrings.xml': [zeros, { level: 9 }] })
  assert(bytes.length < 1_000_000)
  const before = process.memoryUsage().arrayBuffers
  const from = process.cpuUsage()
  assert.throws(
    () => readWorkbook(bytes, limits),
    (error: unknown) => Object(Object(error).meta).rule === 'bytes',
  )
  const { user, system } = process.cpuUsage(from)
  assert(user + system < 2_000_000, 'of CPU, in microseconds')
  assert(process.memoryUsage().arrayBuffers - before < 120_000_000)
})
