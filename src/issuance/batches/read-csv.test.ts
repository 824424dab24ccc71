import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/support/fast-check.ts'
import type { TemplateDefinition } from '../templates/template.ts'
import { readBatchTable } from './batch-table.ts'
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
      const { header, rows: body } = readCsv(text, 10)
      assert.deepEqual([header, ...body], rows)
    }),
  )
})

test('any text is read or refused, in time that grows with its length', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', ',', '"', '\r', '\n'), maxLength: 50 }), (text) => {
      try {
        readCsv(text, 10)
      } catch (error) {
        assert.equal(Object(error).code, 'request.invalid')
      }
    }),
  )
  const from = performance.now()
  readCsv(`a\n"${'""'.repeat(250_000)}"`, 10)
  readCsv(`a\n${'b\n'.repeat(1000)}${'\n'.repeat(500_000)}`, 1000)
  assert.throws(() => readCsv(`a${'\n'.repeat(1_000_000)}b"`, 1000), { code: 'request.invalid' })
  assert.throws(() => readCsv(`a\n${'\nb'.repeat(250_000)}`, 10), { code: 'request.invalid' })
  assert(performance.now() - from < 1000)
})

test('the columns of an mdoc are namespace and element; a name with a dot that could be two things is refused', () => {
  const attributes = {
    'org.iso.18013.5.1': { family_name: { type: 'string' }, age_over_18: { type: 'boolean' } },
  } as const
  const mdoc: TemplateDefinition = { format: 'mdoc', docType: 'x', revocable: true, attributes }
  const text = 'org.iso.18013.5.1.family_name,org.iso.18013.5.1.age_over_18\nMolefe,true'
  assert.deepEqual(readBatchTable(text, mdoc), [
    { attributes: { 'org.iso.18013.5.1': { family_name: 'Molefe', age_over_18: true } } },
  ])
  const double: TemplateDefinition = {
    ...{ format: 'sd-jwt-vc', revocable: true },
    attributes: { 'a.b': { type: 'string' }, a: { type: 'object', properties: { b: { type: 'string' } } } },
  }
  assert.throws(() => readBatchTable('a.b\nx', double), { code: 'request.invalid' })
})

test('a number is one only in the form of JSON; whatever else stays a text', () => {
  const attributes = { n: { type: 'number' }, b: { type: 'boolean' }, o: { type: 'object' } } as const
  const definition: TemplateDefinition = { format: 'sd-jwt-vc', revocable: true, attributes }
  const cells = (row: string) => readBatchTable(`n,b,o\n${row}`, definition)[0]?.attributes
  assert.deepEqual(cells('-1.5e3,false,"{""x"":1}"'), { n: -1500, b: false, o: { x: 1 } })
  assert.deepEqual(cells('0x10,TRUE,{'), { n: '0x10', b: 'TRUE', o: '{' })
  assert.deepEqual(cells('01, true,'), { n: '01', b: ' true' })
})
