import assert from 'node:assert/strict'
import { test } from 'node:test'
import { csvDelimiterOf, csvFile } from './csv-file.ts'

test('a table has semicolons where the language has a comma in numbers, and a mark of its encoding', () => {
  assert.deepEqual((['en', 'fr', 'de'] as const).map(csvDelimiterOf), ['comma', 'semicolon', 'semicolon'])
  assert.deepEqual(csvFile('rows', 'a'), { file: '\ufeffa', type: 'text/csv; charset=utf-8', name: 'rows.csv' })
})
