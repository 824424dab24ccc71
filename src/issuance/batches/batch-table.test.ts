import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TemplateDefinition } from '../templates/template.ts'
import { readBatchTable, type TableFormat } from './batch-table.ts'

const format: TableFormat = { rowsMax: 10 }

test('the columns of an mdoc are namespace and element; a name with a dot that could be two things is refused', () => {
  const attributes = {
    'org.iso.18013.5.1': { family_name: { type: 'string' }, age_over_18: { type: 'boolean' } },
  } as const
  const mdoc: TemplateDefinition = { format: 'mdoc', docType: 'x', revocable: true, attributes }
  const text = 'org.iso.18013.5.1.family_name,org.iso.18013.5.1.age_over_18\nMolefe,true'
  assert.deepEqual(readBatchTable(text, mdoc, format), [
    { attributes: { 'org.iso.18013.5.1': { family_name: 'Molefe', age_over_18: true } } },
  ])
  const double: TemplateDefinition = {
    ...{ format: 'sd-jwt-vc', revocable: true },
    attributes: { 'a.b': { type: 'string' }, a: { type: 'object', properties: { b: { type: 'string' } } } },
  }
  assert.throws(() => readBatchTable('a.b\nx', double, format), { code: 'request.invalid' })
})

test('a number is one only in the form of JSON; whatever else stays a text', () => {
  const attributes = { n: { type: 'number' }, b: { type: 'boolean' }, o: { type: 'object' } } as const
  const definition: TemplateDefinition = { format: 'sd-jwt-vc', revocable: true, attributes }
  const cells = (row: string) => readBatchTable(`n,b,o\n${row}`, definition, format)[0]?.attributes
  assert.deepEqual(cells('-1.5e3,false,"{""x"":1}"'), { n: -1500, b: false, o: { x: 1 } })
  assert.deepEqual(cells('0x10,TRUE,{'), { n: '0x10', b: 'TRUE', o: '{' })
  assert.deepEqual(cells('01, true,'), { n: '01', b: ' true' })
})

test('columns are renamed or left out; numbers and dates are read as they are said to be written', () => {
  const attributes = { name: { type: 'string' }, grade: { type: 'number' }, born: { type: 'date' } } as const
  const definition: TemplateDefinition = { format: 'sd-jwt-vc', revocable: true, attributes }
  const columns = { Surname: 'name', Mark: 'grade', Born: 'born', Campus: '' }
  const written = { ...format, columns, delimiter: 'semicolon', decimal: 'comma', dates: 'dmy' } as const
  const read = (row: string, more: Partial<TableFormat> = {}) =>
    readBatchTable(`Surname;Mark;Born;Campus\n${row}`, definition, { ...written, ...more })[0]?.attributes
  assert.deepEqual(read('Müller;78,5;31.01.2026;Bonn'), { name: 'Müller', grade: 78.5, born: '2026-01-31' })
  assert.deepEqual(read('a;1 234,5;01/02/2026;'), { name: 'a', grade: 1234.5, born: '2026-02-01' })
  assert.deepEqual(read('a;1;01/02/2026;', { dates: 'mdy' }), { name: 'a', grade: 1, born: '2026-01-02' })
  assert.deepEqual(read('a;78.5;31/02/2026;'), { name: 'a', grade: '78.5', born: '31/02/2026' }, 'stays as it is')
  assert.throws(() => read('a;1;;', { columns: { Nobody: 'name' } }), { code: 'request.invalid' })
})
