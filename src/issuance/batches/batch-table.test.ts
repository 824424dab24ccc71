import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseTable } from '../../tables/parse-table.ts'
import type { TemplateDefinition } from '../templates/template.ts'
import { itemsOfTable, type TableMeaning } from './batch-table.ts'

const bounds = { rowsMax: 10, columnsMax: 20, cells: 'exact' } as const
const itemsOf = (text: string, definition: TemplateDefinition, meaning: Partial<TableMeaning> = {}) =>
  itemsOfTable(parseTable(Buffer.from(text), bounds), definition, { timeZone: 'UTC', ...meaning })

test('the columns of an mdoc are namespace and element; a name that could be two things is refused', async () => {
  const attributes = {
    'org.iso.18013.5.1': { family_name: { type: 'string' }, age_over_18: { type: 'boolean' } },
  } as const
  const mdoc: TemplateDefinition = { format: 'mdoc', docType: 'x', revocable: true, attributes }
  const text = 'org.iso.18013.5.1.family_name,org.iso.18013.5.1.age_over_18\nMolefe,true'
  assert.deepEqual(await itemsOf(text, mdoc), [
    { row: 2, attributes: { 'org.iso.18013.5.1': { family_name: 'Molefe', age_over_18: true } } },
  ])
  const double: TemplateDefinition = {
    format: 'sd-jwt-vc',
    revocable: true,
    attributes: { 'a.b': { type: 'string' }, a: { type: 'object', properties: { b: { type: 'string' } } } },
  }
  await assert.rejects(itemsOf('a.b\nx', double), { code: 'request.invalid' })
})

const attributes = {
  n: { type: 'number' },
  b: { type: 'boolean' },
  o: { type: 'object' },
  d: { type: 'date' },
  s: { type: 'string' },
} as const
const every: TemplateDefinition = { format: 'sd-jwt-vc', revocable: true, attributes }

for (const [cells, read] of [
  ['-1.5e3,false,"{""x"":1}",2026-01-31,a', { n: -1500, b: false, o: { x: 1 }, d: '2026-01-31', s: 'a' }],
  ['0x10,TRUE,{,,', { n: '0x10', b: true, o: '{' }],
  ['01, WAHR ,,, padded ', { n: '01', b: true, s: ' padded ' }],
  ['"1,234.50",faux,,2026-06-30 00:00:00,', { n: 1234.5, b: false, d: '2026-06-30' }],
  ["1'234,maybe,,2026-06-30T00:00:00Z,'=1", { n: 1234, b: 'maybe', d: '2026-06-30', s: "'=1" }],
  ['"1,234",,,31/01/2026,', { n: '1,234', d: '2026-01-31' }],
  [',,,03/04/2026,', { d: '03/04/2026' }],
  [',,,04/04/2026,', { d: '2026-04-04' }],
  [',,,31.02.2026,', { d: '31.02.2026' }],
  [',,,2026-06-30 14:00,', { d: '2026-06-30 14:00' }],
  ['#N/A,#NV,,#REF!,#WERT!', { n: null, b: null, d: null, s: null }],
  [',,,,#1', { s: '#1' }],
] as const) {
  test(`${cells} is converted by the types of its columns; what could be two things, or none, stays`, async () => {
    const [item] = await itemsOf(`n,b,o,d,s\n${cells}`, every)
    assert.deepEqual(item?.attributes, read)
  })
}

test('columns are renamed or left out; numbers and dates are read as they are said to be written', async () => {
  const own = { name: { type: 'string' }, grade: { type: 'number' }, born: { type: 'date' } } as const
  const definition: TemplateDefinition = { format: 'sd-jwt-vc', revocable: true, attributes: own }
  const columns = { Surname: 'name', Mark: 'grade', Born: 'born', Campus: '' }
  const written = { columns, decimal: 'comma', dates: 'dmy' } as const
  const read = async (row: string, more: Partial<TableMeaning> = {}) => {
    const text = `sep=;\nSurname;Mark;Born;Campus\n${row}`
    return (await itemsOf(text, definition, { ...written, ...more }))[0]?.attributes
  }
  assert.deepEqual(await read('Müller;78,5;31.01.2026;Bonn'), { name: 'Müller', grade: 78.5, born: '2026-01-31' })
  assert.deepEqual(await read('a;1 234,5;01/02/2026;'), { name: 'a', grade: 1234.5, born: '2026-02-01' })
  assert.deepEqual(await read('a;1;01/02/2026;', { dates: 'mdy' }), { name: 'a', grade: 1, born: '2026-01-02' })
  assert.deepEqual(await read('a;78.5;31/02/2026;'), { name: 'a', grade: '78.5', born: '31/02/2026' }, 'stays as it is')
  await assert.rejects(read('a;1;;', { columns: { Nobody: 'name' } }), { code: 'request.invalid' })
})

test('a heading may be a label, or a name in another case; one that could be two columns is refused', async () => {
  const named = (name: string) => ({ type: 'string', name }) as const
  const address = { type: 'object', properties: { city: named('City') } } as const
  const own = { family_name: named('Familienname'), given_name: named('Vorname'), address }
  const definition: TemplateDefinition = { format: 'sd-jwt-vc', revocable: true, attributes: own }
  const [item] = await itemsOf('Familienname,GIVEN NAME,City,Reference\na,b,c,d', definition)
  assert.partialDeepStrictEqual(item, {
    attributes: { family_name: 'a', given_name: 'b', address: { city: 'c' } },
    reference: 'd',
  })
  const twins = { ...own, birth_name: named('Familienname'), reference: named('Number') }
  for (const head of ['Familienname', 'Reference', 'E-mail', 'mail address'])
    await assert.rejects(itemsOf(`${head}\na`, { ...definition, attributes: twins }), {
      meta: { rule: 'header', row: 1, column: 1 },
    })
  for (const head of ['Vorname,given_name', 'reference,Reference'])
    await assert.rejects(itemsOf(`${head}\na,b`, definition), { code: 'request.invalid' })
})

for (const [header, row, column, pointer] of [
  ['reference', '#N/A', 2, '/reference'],
  ['reference', 'x'.repeat(201), 2, '/reference'],
  ['mail.address', 'x'.repeat(255), 2, '/mail/address'],
  ['recipient.identifierType,recipient.value', 'phone,1', null, '/recipient/identifierType'],
  ['recipient.identifierType,recipient.value', 'email,', null, '/recipient/value'],
] as const) {
  test(`a cell of ${header} that cannot be used is a finding of its item: ${row.slice(0, 9)}`, async () => {
    const items = await itemsOf(`s,${header}\na,${row}\nb,${row.replace(/[^,]+/g, '')}`, every)
    assert.partialDeepStrictEqual(items, [{ row: 2, unusable: [{ column, violation: { pointer } }] }, { row: 3 }])
    assert.equal(items[1]?.unusable, undefined)
  })
}

test('a day in a table is whole in the time zone of the organisation; a time is as it is written', async () => {
  const read = async (cells: string, meaning: Partial<TableMeaning> = {}) => {
    const text = `s,validFrom,validUntil\na,${cells}`
    const [item] = await itemsOf(text, every, { timeZone: 'Africa/Johannesburg', ...meaning })
    return [item?.validFrom, item?.validUntil]
  }
  const year = ['2026-01-31T22:00:00.000Z', '2026-12-31T21:59:59.999Z']
  for (const cells of ['2026-02-01,2026-12-31', '01.02.2026,31.12.2026', '2026-02-01 00:00:00,31/12/2026'])
    assert.deepEqual(await read(cells), year, cells)
  assert.deepEqual(await read('01/02/2026,12/31/2026', { dates: 'mdy' }), ['2026-01-01T22:00:00.000Z', year[1]])
  const times = ['2026-02-01T10:00:00Z', '2026-02-01T10:00:00.5+02:00']
  assert.deepEqual(await read(times.join()), times)
})

for (const [header, cell, pointer, detail] of [
  ['validUntil', '03/04/2026', '/validUntil', /can be 2026-04-03 or 2026-03-04\.$/],
  ['validFrom', '31.02.2026', '/validFrom', /the day 31\.02\.2026 does not exist\.$/],
  ['validUntil', '2026-02-30T10:00:00Z', '/validUntil', /must be a date such as 2026-01-31\.$/],
  ['validUntil', 'soon', '/validUntil', /must be a date such as 2026-01-31\.$/],
  ['replaces.id', 'member-7', '/replaces/id', /must be a UUID\.$/],
  ['replaces.revoke', 'later', '/replaces/revoke', /whenTaken, atOnce, never\.$/],
] as const) {
  test(`a cell of ${header} with ${cell} is a finding of its item, which says why`, async () => {
    const [item] = await itemsOf(`s,${header}\na,${cell}`, every)
    const [found] = item?.unusable ?? []
    assert.deepEqual([found?.column, found?.violation.pointer], [2, pointer])
    assert.match(found?.violation.detail ?? '', detail)
  })
}

test('what a row replaces is an object of its columns', async () => {
  const text =
    's,replaces.reference,replaces.id,replaces.revoke\na,m-1,,never\nb,,,\nc,,0190a0b0-0000-7000-8000-000000000000,'
  assert.deepEqual(
    (await itemsOf(text, every)).map(({ replaces }) => replaces),
    [{ reference: 'm-1', revoke: 'never' }, undefined, { id: '0190a0b0-0000-7000-8000-000000000000' }],
  )
})
