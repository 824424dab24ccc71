import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseTable } from './parse-table.ts'
import { foldedName, type TableOptions } from './table.ts'
import { aWorkbook, rowsOf } from './test-support/a-workbook.ts'

const options: TableOptions = { rowsMax: 50, columnsMax: 20, cells: 'tidied' }
const read = (text: string, more: Partial<TableOptions> = {}) =>
  parseTable(Buffer.from(text.replaceAll('\n', '\r\n')), { ...options, ...more })
const named = (...names: readonly string[]) => names.map(foldedName)

/** What programs export and people keep: the row with the headings, and the rows that are no data. */
const exports = [
  ['headings first', 'Name,Vorname,Ort\nMüller,Jürgen,Köln\nRoth,Eva,Bonn', 1, []],
  [
    'a title, a day and a blank line above (SAP, Banner)',
    'Absolventen Sommer 2026;;;\nStand: 12.05.2026;;;\n;;;\nName;Vorname;Matrikelnr.;Note\nMüller;Jürgen;00417;1,3\nRoth;Eva;00098;2,0',
    4,
    [],
  ],
  [
    'a title with another delimiter in it',
    'Graduates, class of 2026, Faculty of Arts\nSurname;Given name;Number\nMolefe;Thandi;1\nBotha;Pieter;2',
    2,
    [],
  ],
  [
    'what the table is about, in two columns',
    'Cours :,Algèbre\nÉdité le,12/05/2026\nNom,Courriel\nDupont,a@example.org\nMartin,b@example.org',
    3,
    [],
  ],
  [
    'groups of columns above the headings',
    'Person,,Prüfung,\nName,Vorname,Fach,Note\nMüller,Jürgen,Physik,1\nRoth,Eva,Chemie,2',
    2,
    [],
  ],
  [
    'a total and a day at the end',
    'Nom;Prénom;Filière;Note\nDupont;Zoé;Droit;12,5\nMartin;Léa;Droit;14\n;;;\nTotal : 2;;;\nGénéré le 12/05/2026;;;',
    1,
    [5, 6],
  ],
  ['a sum below numbers', 'Name;Vorname;Ort;Betrag\nA;B;C;5\nD;E;F;6\n;;;11', 1, [4]],
  ['a sum with its word and means', 'Name,Count,Grade\nA,1,5\nB,2,6\nAverage,1.5,5.5', 1, [4]],
  [
    'a remark of several lines, apart',
    'Name,Given,City,Grade\nA,B,C,1\nD,E,F,2\n,,,\nFigures are preliminary,,,\nand not to be passed on,,,',
    1,
    [5, 6],
  ],
  [
    'what assignments are worth (Canvas)',
    'Student,ID,SIS Login ID,Section,Essay (12)\n    Points Possible,,,,10\n"Molefe, Thandi",1,tm,A,7\n"Botha, Pieter",2,pb,A,8',
    1,
    [2],
  ],
  [
    'lines of signs and headings on each page (SAP)',
    'Dynamische Liste\n--------------\n|Name  |Vorname|Ort |\n--------------\n|Müller|Jürgen |Köln|\n|Name  |Vorname|Ort |\n|Roth  |Eva    |Bonn|\n--------------',
    3,
    [4, 6, 8],
  ],
  ['a last row that is not complete', 'Name,Given,City,Grade\nA,B,C,1\nMüller,Jürgen,,', 1, []],
  ['people who are called as remarks begin', 'Name,No\nSum Li,12\nStand,13\nTotal Andersson,14', 1, []],
  ['one column', 'Teilnehmende\nMüller\nRoth', 1, []],
  ['nothing but a total', 'Name,Given,City\nTotal,,', 1, []],
  ['years among the headings', 'Name,2024,2025,Comment\nA,1,2,x\nB,3,4,y', 1, []],
] as const

for (const [what, text, headerRow, left] of exports) {
  test(`headings are found and rows that are no data left out: ${what}`, () => {
    const { form, headerRow: found, rows } = read(text)
    assert.equal(found, headerRow)
    assert.deepEqual(
      form.place?.left.listed.map(({ number }) => number),
      left,
    )
    assert.equal(form.place?.left.count, left.length)
    const whole = read(text, { isWhole: true, headerRow })
    assert.equal(whole.rows.length, rows.length + left.length, 'and can be taken in')
  })
}

test('names of the template find the headings where they would not be taken for some', () => {
  const text = 'Course:,Algebra,Term:,1\nMolefe,Thandi,7,1\nFamily name,Given name,1,2\nBotha,Pieter,8,2'
  assert.equal(read(text, { headings: named('Family name', 'Given name') }).headerRow, 3)
  // A degree that is called as an attribute is.
  const degrees = 'Who,What\nThandi,Diploma\nPieter,BSc'
  assert.equal(read(degrees, { headings: named('Diploma') }).headerRow, 1)
  assert.equal(read('List of 2026\nName\nThandi', { headings: named('Name') }).headerRow, 2)
})

test('a row at the end that lacks what every row needs is no data; one that has some of it is', () => {
  const rows = 'Name,Given,City,Grade\nA,B,C,1\nD,E,F,2\n'
  const required = [named('Name'), named('Given')]
  assert.equal(read(`${rows},,,checked by the registrar`, { required }).form.place?.left.count, 1)
  assert.equal(read(`${rows}Müller,,,x`, { required }).form.place?.left.count, 0)
})

test('the first rows can be chosen, by what they say', () => {
  const text = 'Graduates\nName,Given,City\nA,B,C\nD,E,F'
  assert.deepEqual(read(text).form.place?.heads, [
    { number: 1, text: 'Graduates' },
    { number: 2, text: 'Name · Given · City' },
    { number: 3, text: 'A · B · C' },
  ])
  const { header, headerRow, rows } = read(text, { headerRow: 3 })
  assert.deepEqual([header, headerRow, rows], [['A', 'B', 'C'], 3, [{ number: 4, cells: ['D', 'E', 'F'] }]])
  assert.equal(read(text, { headerRow: 9 }).headerRow, 2, 'a row that is not there')
})

test('a row that is wider than its headings is refused; rows count below them, titles do not', () => {
  assert.throws(() => read('Title\nName,Given\nA,B\nC,D,E'), { meta: { rule: 'width', row: 4 } })
  const two = 'Title\n\nName,Given\nA,B\nC,D'
  assert.equal(read(two, { rowsMax: 2 }).rows.length, 2)
  assert.throws(() => read(`${two}\nE,F`, { rowsMax: 2 }), { meta: { rule: 'rows', limit: 2 } })
})

test('the sheet whose headings fit is taken, also with a title above them', () => {
  const sheets = [
    { name: 'Cover', rows: rowsOf([['Registrar'], ['2026']]) },
    { name: 'Students', rows: rowsOf([['Class of 2026'], ['Name', 'Given name', 'City'], ['A', 'B', 'C']]) },
  ]
  const { form, headerRow, header } = parseTable(aWorkbook({ sheets }), { ...options, headings: named('Given name') })
  assert.deepEqual([form.sheet?.name, headerRow, header], ['Students', 2, ['Name', 'Given name', 'City']])
})
