import assert from 'node:assert/strict'
import { test } from 'node:test'
import { csvLine } from './csv.ts'

for (const [what, cells, line] of [
  ['plain cells', ['a', 1, true, null, undefined], 'a,1,true,,'],
  ['a separator, a quotation mark and a line break', ['a,b', 'a"b', 'a\nb'], '"a,b","a""b","a\nb"'],
  [
    'the beginning of a formula',
    ['=1+1', '+1', '-1', '@a', '\t=1', '\r=1'],
    `"'=1+1","'+1","'-1","'@a","'\t=1","'\r=1"`,
  ],
  ['a negative number, which is no text', [-1], '-1'],
  ['an object', [{ a: 'b' }], '"{""a"":""b""}"'],
  ['space at an end', [' a', 'a '], '" a","a "'],
] as const) {
  test(`${what}: one line that a spreadsheet shows and does not run`, () => {
    assert.equal(csvLine(cells), `${line}\r\n`)
  })
}
