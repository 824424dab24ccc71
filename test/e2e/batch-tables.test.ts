// A table is checked before it is issued, in the forms in which offices have it.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { aBatchTemplate } from '../support/batch-template.ts'
import { type Api, type Deployment, deploy, type Reply } from '../support/server.ts'

const PATH = '/creds/credentials/issuance/batch'
const CSV = { 'content-type': 'text/csv' }
const csvIn = (charset: string) => ({ 'content-type': `text/csv; charset=${charset}` })

let chirograph: Deployment
let school: Api
let diploma: string

before(async () => {
  chirograph = await deploy()
  school = await chirograph.backend('acme')
  diploma = await aBatchTemplate(school)
})
after(() => chirograph.stop())

const items = (count: number) => Array.from({ length: count }, (_, n) => ({ attributes: { name: `Student ${n}` } }))

/** Waits for the end of a batch. */
async function ended(id: string): Promise<Reply['body']> {
  for (let tries = 0; tries < 30; tries += 1) {
    const { body } = await school.get(`${PATH}/${id}`, { prefer: 'wait=10' })
    if (body.data.status === 'completed') return body
  }
  return assert.fail('the batch did not end')
}

test('a table is checked without issuing: every row has its result, also beyond the size of a batch', async () => {
  const before = await school.get(`${PATH}?page[size]=1`)
  const rows = Array.from({ length: 1500 }, (_, n) =>
    n % 500 === 3 ? `;${n},5;31.02.2026` : `Müller ${n};${n},5;31.1.2026`,
  )
  const columns = encodeURIComponent(JSON.stringify({ Surname: 'name', Mark: 'grade', Born: 'born' }))
  const path = `${PATH}?check=true&credentialTemplateId=${diploma}&delimiter=semicolon&decimal=comma&dates=dmy&columns=${columns}`
  const latin = Buffer.from(`Surname;Mark;Born\r\n${rows.join('\r\n')}`, 'latin1')
  const { status, body } = await school.send('POST', path, latin, csvIn('windows-1252'))
  const { data } = body
  assert.equal(status, 200)
  assert.partialDeepStrictEqual(data, { total: 1500, valid: 1497, invalid: 3 })
  assert.equal(data.items.length, 1500)
  assert.partialDeepStrictEqual(data.items[3], {
    index: 3,
    row: 5,
    status: 'invalid',
    error: {
      column: 'name',
      meta: { rule: 'required' },
      violations: [{ pointer: '/attributes/name' }, { pointer: '/attributes/born' }],
    },
  })
  assert.deepEqual((await school.get(`${PATH}?page[size]=1`)).body.data, before.body.data, 'nothing was made')
  const json = await school.post(`${PATH}?check=true`, {
    credentialTemplateId: diploma,
    items: [...items(1), { attributes: {} }],
  })
  assert.partialDeepStrictEqual(json.body.data, {
    total: 2,
    valid: 1,
    items: [{ status: 'valid' }, { status: 'invalid' }],
  })
  const tooMany = `name\n${'x\n'.repeat(10_001)}`
  const refused = await school.send('POST', `${PATH}?check=true&credentialTemplateId=${diploma}`, tooMany, CSV)
  assert.partialDeepStrictEqual(refused.body.errors, [{ meta: { rule: 'rows', limit: 10_000 } }])
  const large = await school.send(
    'POST',
    `${PATH}?check=true&credentialTemplateId=${diploma}`,
    'x'.repeat(8_388_609),
    CSV,
  )
  assert.equal(large.status, 413)
  for (const odd of ['[]', '{', '{"a":1}', '{"nobody":"name"}']) {
    const answer = await school.send(
      'POST',
      `${path.split('&delimiter', 1)[0]}&columns=${encodeURIComponent(odd)}`,
      'a\nb',
      CSV,
    )
    assert.equal(answer.status, 400, odd)
  }
})

test('headings may stand below a title, whatever its width; rows count from the first of the file', async () => {
  const text = 'Graduates, class of 2026, Arts, 2\r\n\r\nname,grade\r\nThandi,71\r\n,64\r\n'
  const check = (headerRow: string, body = text) =>
    school.send('POST', `${PATH}?check=true&credentialTemplateId=${diploma}&headerRow=${headerRow}`, body, CSV)
  const { status, body } = await check('3')
  assert.equal(status, 200, JSON.stringify(body))
  assert.partialDeepStrictEqual(body.data, { total: 2, valid: 1, items: [{ row: 4 }, { row: 5, status: 'invalid' }] })
  assert.equal((await check('3', `sep=,\r\n${text}`)).body.data.items[0].row, 4, 'a line sep= is not counted')
  for (const [row, meta] of [
    ['1', { rule: 'width', row: 2 }],
    ['2', { rule: 'width', row: 3 }],
    ['5', { rule: 'empty' }],
    ['9', { rule: 'empty' }],
  ] as const)
    assert.deepEqual((await check(row)).body.errors[0].meta, meta, row)
  assert.deepEqual((await check('2', 'Title\n\nThandi\n')).body.errors[0].meta, { rule: 'header', row: 2 })
  assert.equal((await check('0')).body.errors[0].source.parameter, 'headerRow')
  const many = `Title\nname\n${'a\n'.repeat(10_001)}`
  assert.partialDeepStrictEqual((await check('2', many)).body.errors[0].meta, { rule: 'rows', limit: 10_000 })
})

test('a body that is not of its charset, or is no text, is refused with its rule', async () => {
  const path = `${PATH}?check=true&credentialTemplateId=${diploma}`
  for (const [bytes, charset, rule] of [
    [Buffer.from('name\nM\xfcller\n', 'latin1'), 'utf-8', 'encoding'],
    [Buffer.from('name\nM\0ller\n'), 'utf-8', 'kind'],
    [Buffer.from('%PDF-1.7\n\u0001'), 'windows-1252', 'kind'],
  ] as const) {
    const { status, body } = await school.send('POST', path, bytes, csvIn(charset))
    assert.deepEqual([status, body.errors[0].meta], [400, { rule }])
  }
  const utf16 = Buffer.from('\ufeffname\nMüller\n', 'utf16le')
  const read = await school.send('POST', path, utf16, csvIn('utf-16le'))
  assert.partialDeepStrictEqual(read.body.data, { valid: 1 })
})

test('the check of a table names rows that say the same, and why a date is none', async () => {
  const rows = ['Ada,03/04/2026', 'Ada,31.02.2026', 'Ada,2026-01-31 00:00:00', 'Ada,31/01/2026', 'Bea,2026-01-31,']
  const text = `sep=,\r\nname,born\r\n${rows.join('\r\n')}\r\n,\r\n`
  const path = `${PATH}?check=true&credentialTemplateId=${diploma}`
  const { data } = (await school.send('POST', path, text, CSV)).body
  assert.partialDeepStrictEqual(data, { total: 5, valid: 3, invalid: 2, duplicates: 1 })
  assert.partialDeepStrictEqual(data.items[3], { index: 3, row: 5, status: 'valid', duplicateOf: 2 })
  assert.match(data.items[0].error.detail, /03\/04\/2026 can be 2026-04-03 or 2026-03-04/)
  assert.match(data.items[1].error.detail, /the day 31\.02\.2026 does not exist/)
  const ordered = await school.send('POST', `${path}&dates=mdy`, text, CSV)
  assert.equal(ordered.body.data.items[0].status, 'valid')
})

test('a check tells all that is wrong with an item; issuing refuses a cell that no item can hold', async () => {
  const text = 'name,grade,reference,recipient.identifierType,recipient.value\n,six,#N/A,email,nobody@example.org\n'
  const path = `${PATH}?credentialTemplateId=${diploma}`
  const checked = await school.send('POST', `${path}&check=true`, text, CSV)
  const [{ error }] = checked.body.data.items
  assert.deepEqual(error.violations.map(({ pointer }: { pointer: string }) => pointer).sort(), [
    '/attributes/grade',
    '/attributes/name',
    '/recipient/value',
    '/reference',
  ])
  const issued = await school.send('POST', path, text, CSV)
  assert.deepEqual([issued.status, issued.body.errors[0].meta], [400, { rule: 'cell', row: 2, column: 3 }])
})

test('a batch has a name and its maker; its items come as a table, in which nothing is run', async () => {
  const some = [
    { attributes: { name: 'Ada' }, reference: '=HYPERLINK("x")' },
    { attributes: {}, reference: 'b' },
  ]
  const { body } = await school.post(PATH, { credentialTemplateId: diploma, items: some, name: 'Diplomas 2026' })
  const { data } = await ended(body.data.id)
  assert.partialDeepStrictEqual(data, { name: 'Diplomas 2026', createdBy: { kind: 'client' } })
  const path = `${PATH}/${data.id}/items`
  const table = await school.get(path, { accept: 'text/csv' })
  assert.match(table.headers.get('content-type') ?? '', /^text\/csv/)
  const [head, first, second] = table.body.split('\r\n')
  const links = 'issuanceId,offerPageUri,offerUri,txCode'
  assert.equal(head, `row,reference,status,${links},error,column,detail,mail,validFrom,validUntil,replaces`)
  assert.match(
    first ?? '',
    /^0,"'=HYPERLINK\(""x""\)",done,[0-9a-f-]{36},http:\/\/[^,]+\/offer\/acme\/[\w-]+,openid-credential-offer:/,
  )
  assert.match(second ?? '', /^1,b,failed,"","","","",VALIDATION_ERROR,"",name is missing\.,"","","",""$/)
  const failed = await school.get(`${path}?filter[status]=failed&delimiter=semicolon`, { accept: 'text/csv' })
  assert.equal(failed.body.trim().split('\r\n').length, 2)
  assert.match(failed.body, /^row;reference;/)
})

test('a check finds the recipients that issuing refuses: unknown ones, disabled ones, a format that wallets do not hold', async () => {
  const to = (identifierType: string, value: string) => ({
    attributes: { name: value.slice(0, 9), born: '2001-01-31' },
    recipient: { identifierType, value },
  })
  const all = [
    to('username', 'THANDI'),
    to('email', 'Pieter@Example.org'),
    to('externalIdentifier', 'EXT/1+a@é'),
    to('username', 'nobody'),
    to('email', 'gone@example.org'),
    to('externalIdentifier', 'ext/1+a@é'),
  ]
  const outcomeOf = ({ error }: { error?: { code: string; pointer?: string } }) => error && [error.code, error.pointer]
  const body = { credentialTemplateId: diploma, items: all }
  const checked = (await school.post(`${PATH}?check=true`, body)).body.data
  const made = await school.post(PATH, body)
  assert.equal(made.status, 202, JSON.stringify(made.body))
  const issued = await ended(made.body.data.id)
  const outcomes = checked.items.map(outcomeOf)
  assert.deepEqual(outcomes, issued.data.items.map(outcomeOf))
  assert.deepEqual(
    outcomes.map((one: unknown) => one === undefined),
    [true, true, true, false, false, false],
  )
  const licence = await aBatchTemplate(school, {
    format: 'mdoc',
    docType: 'org.example.card',
    attributes: { 'org.example.card.1': { name: { type: 'string' } } },
  })
  const one = { attributes: { 'org.example.card.1': { name: 'x' } }, recipient: to('username', 'thandi').recipient }
  const closed = await school.post(`${PATH}?check=true`, { credentialTemplateId: licence, items: [one] })
  const found = await school.post(PATH, { credentialTemplateId: licence, items: [one] })
  const [item] = (await ended(found.body.data.id)).data.items
  assert.equal(closed.body.data.invalid, 1, JSON.stringify(closed.body))
  assert.deepEqual(outcomeOf(closed.body.data.items[0]), outcomeOf(item))
})

test('a table renews: its rows say until when they are valid, and whose place they take', async () => {
  const old = await school.post('/creds/credentials/issuance', {
    credentialTemplateId: diploma,
    attributes: { name: 'Ada' },
    reference: 'member-7',
  })
  const text = 'name,validUntil,replaces.reference,replaces.revoke\nAda,31.12.2099,member-7,atOnce\nBea,31.12.2099,,\n'
  const path = `${PATH}?credentialTemplateId=${diploma}`
  const wrong = text.replace('member-7', 'member-8').replace('Bea,31.12.2099', 'Bea,31.12.1999')
  const checked = await school.send('POST', `${path}&check=true`, wrong, CSV)
  assert.partialDeepStrictEqual(checked.body.data.items, [
    { row: 2, error: { column: 'replaces.reference', meta: { rule: 'replaces.unknown' } } },
    { row: 3, error: { column: 'validUntil', meta: { rule: 'validity.passed' } } },
  ])
  const { data } = await ended((await school.send('POST', path, text, CSV)).body.data.id)
  const validUntil = '2099-12-31T23:59:59.999Z'
  const replaces = { issuanceId: old.body.data.id, revoke: 'atOnce' }
  assert.partialDeepStrictEqual(data.items, [{ reference: 'member-7', validUntil, replaces }, { validUntil }])
  assert.equal((await school.get(`/creds/credentials/${old.body.data.id}`)).body.data.status, 'canceled')
  const table = (await school.get(`${PATH}/${data.id}/items`, { accept: 'text/csv' })).body
  assert.match(table.split('\r\n')[1], new RegExp(`,"",${validUntil},${old.body.data.id}$`))
})

test('the sample of a template is a table that can be issued when its examples are right', async () => {
  const path = `/creds/templates/credentials/${diploma}/sample`
  const { body: text } = await school.get(path, { accept: 'text/csv' })
  const head = 'name,grade,honours,born,address.locality,address.code,nationalities,attributes.reference,reference'
  assert.equal(text.split('\r\n', 1)[0], head)
  const checked = await school.send('POST', `${PATH}?check=true&credentialTemplateId=${diploma}`, text, CSV)
  assert.partialDeepStrictEqual(checked.body.data, { total: 1, valid: 1 })
  const labelled = await aBatchTemplate(school, {
    attributes: { family_name: { type: 'string', name: 'Family name' } },
  })
  const forPeople = await school.get(
    `/creds/templates/credentials/${labelled}/sample?headings=labels&delimiter=semicolon`,
    {
      accept: 'text/csv',
    },
  )
  assert.equal(forPeople.body.split('\r\n', 1)[0], 'Family name;Reference')
  const asked = `${PATH}?check=true&credentialTemplateId=${labelled}&delimiter=semicolon`
  assert.partialDeepStrictEqual((await school.send('POST', asked, forPeople.body, CSV)).body.data, { valid: 1 })
})
