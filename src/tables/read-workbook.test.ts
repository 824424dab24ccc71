import assert from 'node:assert/strict'
import { test } from 'node:test'
import { strToU8, unzipSync, zipSync } from 'fflate'
import { parseTable } from './parse-table.ts'
import { readWorkbook } from './read-workbook.ts'
import { foldedName, type TableOptions } from './table.ts'
import { aWorkbook, rowsOf } from './test-support/a-workbook.ts'

const options: TableOptions = { rowsMax: 100, columnsMax: 20, cells: 'tidied' }
const isRule = (rule: string) => (error: unknown) => Object(Object(error).meta).rule === rule

// The reference: ECMA-376 part 1, 18.8.30 and 18.8.31. `means`: where that is not what is shown.
const formats: readonly (readonly [code: number | string, value: string, shown: string, means?: string])[] = [
  [0, '78.299999999999997', '78.3', '78.3'],
  [0, '6.255519999999999', '6.25552', '6.25552'],
  [0, '123456789012', '123456789012'],
  [0, '1234567890123456', '1234567890123456'],
  ['General', '41723', '41723'],
  [49, '41723', '41723'],
  [48, '41723', '41.7E+3', '41723'],
  ['00000', '417', '00417', '417'],
  ['0%', '0.85', '85%', '0.85'],
  ['0.00', '87.5', '87.50', '87.5'],
  ['#,##0', '1234567', '1,234,567', '1234567'],
  ['0.0 "day"', '2.5', '2.5 day', '2.5'],
  ['0_D', '5', '5'],
  ['0*x', '5', '5'],
  ['[$-407]0', '5', '5'],
  ['[Red]0', '5', '5'],
  ['000-00-0000', '123456789', '123-45-6789', '123456789'],
  [';;;', '5', '5'],
  ['[>10]0;[>5]0', '-25', '-25'],
  ['[Red]-0.0;0', '3', '-3.0', '3'],
  [14, '46053', '2026-01-31'],
  [22, '46053.5', '2026-01-31T12:00:00'],
  ['dd\\.mm\\.yyyy', '46053', '31.01.2026', '2026-01-31'],
  ['yyyy-mm-dd', '46053', '2026-01-31'],
  ['[$-407]d. mmmm yyyy', '46203', '30. Juni 2026', '2026-06-30'],
  ['d mmmm yyyy', '46203', '2026-06-30'],
  ['[$-F800]dddd, mmmm dd, yyyy', '46203', '2026-06-30'],
  ['dd/mm/yyyy hh:mm', '46203.999994', '30/06/2026 23:59', '2026-06-30T23:59:59'],
  [14, '59', '1900-02-28'],
  [14, '60', '1900-02-29'],
  [14, '61', '1900-03-01'],
  [14, '0', '1900-01-00'],
  [14, '-1', '-1'],
  ['h:mm', '0.25', '6:00'],
  ['[h]:mm', '1.5', '36:00'],
  ['no format "', '5', '5'],
]
for (const [code, value, shown, means] of formats) {
  test(`${value} with the format ${code} is ${shown}${means === undefined ? '' : `, and means ${means}`}`, () => {
    const format = typeof code === 'number' ? ([code] as const) : ([164, code] as const)
    const sheets = [{ rows: `<row><c s="1"><v>${value}</v></c></row>` }]
    const [row] = readWorkbook(aWorkbook({ sheets, formats: [format] }), options).rows
    assert.deepEqual([row?.cells[0], row?.values?.[0]], [shown, means])
  })
}

test('dates are counted from 1904 where the workbook says so', () => {
  const sheets = [{ rows: '<row><c s="1"><v>0</v></c><c s="1"><v>42734</v></c></row>' }]
  const [row] = readWorkbook(aWorkbook({ sheets, formats: [[14]], is1904: true }), options).rows
  assert.deepEqual(row?.cells, ['1904-01-01', '2020-12-31'])
})

const strings = [
  '<t>first</t>',
  '<r><t>Mül</t></r><r><t xml:space="preserve">ler </t></r><rPh sb="0" eb="1"><t>x</t></rPh><phoneticPr/>',
  '',
  '<t>a_x000D_\nb_x005F_x0041_</t>',
]
for (const [what, cell, shown] of [
  ['a shared text', '<c t="s"><v>0</v></c>', 'first'],
  ['a text in runs, without how it is spoken', '<c t="s"><v>1</v></c>', 'Müller '],
  ['the text after one without content', '<c t="s"><v>3</v></c>', 'a\nb_x0041_'],
  ['a shared text without a number', '<c t="s"><v/></c>', ''],
  ['a text of the cell with a needless value', '<c t="inlineStr"><is><t>00417</t></is><v>00417</v></c>', '00417'],
  ['a text of the cell as its value', '<c t="inlineStr"><v>1</v></c>', '1'],
  ['a text in runs of the cell', '<c t="inlineStr"><is><r><t>&#x1f61c;</t></r><r><t>b</t></r></is></c>', '😜b'],
  ['yes', '<c t="b"><v>1</v></c>', 'TRUE'],
  ['an error', '<c t="e"><v>#N/A</v></c>', '#N/A'],
  ['the result of a formula', '<c t="str"><f>WEBSERVICE("https://evil.example")</f><v>done</v></c>', 'done'],
  ['an empty result of a formula', '<c t="str"><f>A1</f><v></v></c>', ''],
  ['a formula that was never calculated', '<c><f>1+1</f></c>', '#CALC!'],
  ['a date as ISO 8601', '<c t="d"><v>2026-01-31</v></c>', '2026-01-31'],
  ['nothing but a format', '<c s="1"/>', ''],
] as const) {
  test(`a cell is read: ${what}`, () => {
    const rows = `<row>${cell}<c t="inlineStr"><is><t>end</t></is></c></row>`
    const [row] = readWorkbook(aWorkbook({ sheets: [{ rows }], strings, formats: [[14]] }), options).rows
    assert.deepEqual(row?.cells, [shown, 'end'])
  })
}

test('rows and columns that have a format only are none, however far away', () => {
  const far = '<row r="60000" s="1"><c r="A60000" s="1"/></row><row r="1048576"><c r="XFD1048576" s="1"/></row>'
  const rows = `${rowsOf([['Name'], ['Ada']])}${far}`
  const { header, rows: read } = parseTable(aWorkbook({ sheets: [{ rows }] }), options)
  assert.deepEqual([header, read], [['Name'], [{ number: 2, cells: ['Ada'] }]])
})

test('rows keep their numbers; those that are hidden are read, and counted', () => {
  const rows = '<row r="3"><c r="B3"><v>1</v></c></row><row r="7" hidden="1"><c r="B7"><v>2</v></c></row>'
  const { header, rows: read, form } = parseTable(aWorkbook({ sheets: [{ rows }] }), options)
  assert.deepEqual([header, read], [['', '1'], [{ number: 7, cells: ['', '2'] }]])
  assert.equal(form.sheet?.hiddenRows, 1)
})

const people = rowsOf([
  ['Student no.', 'Full name'],
  ['00417', 'Ada'],
])
const cover = rowsOf([['Read me first']])
for (const [what, sheets, more, name] of [
  ['the first with rows', [{ rows: cover }, { name: 'Class', rows: people }], {}, 'Class'],
  [
    'the one whose headings fit',
    [{ rows: people }, { name: 'B', rows: rowsOf([['grade'], ['1']]) }],
    { headings: ['grade'] },
    'B',
  ],
  [
    'no hidden one',
    [
      { state: 'hidden', rows: people },
      { state: 'veryHidden', rows: people },
      { name: 'C', rows: people },
    ],
    {},
    'C',
  ],
  [
    'the hidden one if it is named',
    [{ rows: people }, { name: 'D', state: 'hidden', rows: people }],
    { sheet: 'D' },
    'D',
  ],
] as const) {
  test(`of several sheets is read ${what}`, () => {
    const headings = 'headings' in more ? more.headings.map(foldedName) : []
    const sheet = 'sheet' in more ? { sheet: more.sheet } : {}
    const { form } = parseTable(aWorkbook({ sheets }), { ...options, headings, ...sheet })
    assert.equal(form.sheet?.name, name)
    assert.equal(form.sheet?.names.length, sheets.length)
  })
}

const renamed = (rename: (name: string) => string) =>
  zipSync(
    Object.fromEntries(
      Object.entries(unzipSync(aWorkbook({ sheets: [{ rows: people }] }))).map(([name, part]) => [rename(name), part]),
    ),
  )
const strict = (part: Uint8Array) =>
  strToU8(
    Buffer.from(part)
      .toString()
      .replaceAll('schemas.openxmlformats.org/officeDocument/2006', 'purl.oclc.org/ooxml/officeDocument'),
  )
for (const [what, bytes] of [
  ['with backslashes in the names of its parts', renamed((name) => name.replaceAll('/', '\\'))],
  [
    'in another case',
    renamed((name) => name.replace('sharedStrings', 'SharedStrings').replace('worksheets', 'Worksheets')),
  ],
  [
    'in the strict form',
    zipSync(
      Object.fromEntries(
        Object.entries(unzipSync(aWorkbook({ sheets: [{ rows: people }] }))).map(([name, part]) => [
          name,
          strict(part),
        ]),
      ),
    ),
  ],
  ['without relations of the archive', renamed((name) => (name === '_rels/.rels' ? 'other.rels' : name))],
  ['with prefixes', aWorkbook({ sheets: [{ rows: people.replaceAll(/<(\/?)(row|c|is|t)\b/g, '<$1x:$2') }] })],
] as const) {
  test(`a workbook ${what} is read`, () => {
    assert.deepEqual(parseTable(bytes, options).rows[0]?.cells, ['00417', 'Ada'])
  })
}

const compound = (text: string) => Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.from(text, 'utf16le')])
for (const [what, bytes, rule] of [
  ['an old workbook', compound('Workbook'), 'old_workbook'],
  ['one protected by a password', compound('xxEncryptedPackage'), 'protected'],
  ['a web page', Buffer.from('\ufeff<html xmlns:x="urn"><table><tr><td>a'), 'web_page'],
  ['an archived web page', Buffer.from('MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=x'), 'web_page'],
  ['XML of 2003', Buffer.from('<?xml version="1.0"?>\n<?mso-application progid="Excel.Sheet"?><Workbook/>'), 'xml'],
  ['a document of LibreOffice', zipSync({ mimetype: strToU8('x'), 'content.xml': strToU8('<x/>') }), 'open_document'],
  ['a binary workbook', zipSync({ 'xl/workbook.bin': strToU8('x') }), 'binary_workbook'],
  ['another archive', zipSync({ 'readme.txt': strToU8('x') }), 'kind'],
  ['a workbook that is cut off', aWorkbook({ sheets: [{ rows: people }] }).subarray(0, 900), 'kind'],
  ['a workbook of no XML', aWorkbook({ sheets: [{ rows: '</wrong>' }] }), 'kind'],
  ['a workbook without the sheet that is named', aWorkbook({ sheets: [{ rows: people }] }), 'sheet'],
  [
    'entities',
    aWorkbook({
      sheets: [{ rows: people }],
      more: { 'xl/styles.xml': strToU8('<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>') },
    }),
    'kind',
  ],
  ['a cell beyond the columns', aWorkbook({ sheets: [{ rows: '<row><c r="ZZZ1"><v>1</v></c></row>' }] }), 'columns'],
  ['a row beyond the rows of a sheet', aWorkbook({ sheets: [{ rows: '<row r="1e9"/>' }] }), 'rows'],
  ['rows beyond the bound', aWorkbook({ sheets: [{ rows: '<row><c><v>1</v></c></row>'.repeat(102) }] }), 'rows'],
  ['no rows', aWorkbook({ sheets: [{ rows: cover }] }), 'empty'],
  [
    'attributes without end',
    aWorkbook({ sheets: [{ rows: `<row ${Array.from({ length: 300 }, (_, at) => `a${at}=""`).join(' ')}/>` }] }),
    'effort',
  ],
] as const) {
  test(`${what}: refused as ${rule}`, () => {
    const chosen = rule === 'sheet' ? { sheet: 'Nowhere' } : {}
    assert.throws(() => parseTable(bytes, { ...options, ...chosen }), isRule(rule))
  })
}
