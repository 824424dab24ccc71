import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unzipSync } from 'fflate'
import { parseTable } from './parse-table.ts'
import { writeWorkbook } from './write-workbook.ts'

async function* piecesOf(pieces: readonly (readonly (readonly string[])[])[]) {
  for (const piece of pieces) yield piece
}

async function bytesOf(...pieces: readonly (readonly (readonly string[])[])[]): Promise<Uint8Array> {
  return Buffer.concat(await Array.fromAsync(writeWorkbook(piecesOf(pieces))))
}

const bounds = { rowsMax: 100, columnsMax: 60, cells: 'tidied' } as const

test('every cell is read again as the text that was written', async () => {
  const odd = ['00417', '=1+1', '+27', '1,5', '_x0041_', '<b>&"', 'a\nb', 'א ب 李', '\u0007']
  const header = odd.map((_, at) => `Column ${at}`)
  const read = parseTable(await bytesOf([header], [odd], [odd]), bounds)
  assert.deepEqual(read.header, header)
  assert.deepEqual(read.rows[0]?.cells.slice(0, 8), odd.slice(0, 8))
  assert.equal(read.rows.length, 2)
})

test('no cell is a formula or a number, and a text that is too long is cut where spreadsheets end', async () => {
  const parts = unzipSync(await bytesOf([['A'], ['=1+1'], ['7'], ['x'.repeat(40_000)]]))
  const sheet = Buffer.from(parts['xl/worksheets/sheet1.xml'] ?? []).toString()
  assert.equal(/<f|<v/.test(sheet), false)
  assert.equal(sheet.match(/t="inlineStr"/g)?.length, 4)
  assert.match(sheet, />x{32767}</)
})

test('columns beyond the twenty-sixth have the names that spreadsheets give them', async () => {
  const header = Array.from({ length: 54 }, (_, at) => `Column ${at}`)
  const parts = unzipSync(await bytesOf([header]))
  const sheet = Buffer.from(parts['xl/worksheets/sheet1.xml'] ?? []).toString()
  for (const name of ['A1', 'Z1', 'AA1', 'AZ1', 'BA1', 'BB1']) assert.match(sheet, new RegExp(`r="${name}"`))
})
