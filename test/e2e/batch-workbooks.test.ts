// A workbook is checked and issued by the API as it came, and read as the console reads it.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as openRequest } from 'node:http'
import { Readable } from 'node:stream'
import { after, before, test } from 'node:test'
import { request } from 'undici'
import { XLSX } from '../../src/contract/media-types.ts'
import { aWorkbook, rowsOf } from '../../src/tables/test-support/a-workbook.ts'
import { aBatchTemplate } from '../support/batch-template.ts'
import { type Api, type Deployment, deploy, type Reply } from '../support/server.ts'

const PATH = '/creds/credentials/issuance/batch'
const TYPE = { 'content-type': XLSX }

let chirograph: Deployment
let school: Api
let path: string

before(async () => {
  chirograph = await deploy()
  school = await chirograph.backend('acme')
  path = `${PATH}?credentialTemplateId=${await aBatchTemplate(school)}`
})
after(() => chirograph.stop())

const text = (shown: string) => `<c t="inlineStr"><is><t>${shown}</t></is></c>`
const heads = ['name', 'grade', 'honours', 'born', 'reference', ' recipient.identifierType', 'recipient.value']
/** Four rows of people below a cover, with rows and a column that say nothing, or are a note of their author. */
const people = Buffer.from(
  aWorkbook({
    sheets: [
      { name: 'Cover', rows: rowsOf([['Fill in the other sheet'], ['by Friday']]) },
      {
        name: 'Class',
        rows:
          `<row r="3">${heads.map(text).join('')}</row>` +
          `<row r="5"><c s="1"><v>417</v></c><c s="2"><v>0.85</v></c><c t="b"><v>1</v></c><c s="3"><v>46053</v></c>` +
          `${text('student-1')}<c r="I5" t="str"><v>asked on Monday</v></c></row>` +
          `<row r="6">${text(' ')}</row><row r="8"><c t="e"><v>#N/A</v></c><c><v>78.5</v></c></row>` +
          `<row r="9">${text('Bea')}<c t="str"><f>1+1</f><v>60.5</v></c></row>` +
          `<row r="10">${text('Cyd')}<c><v>61.25</v></c></row>`,
      },
      { name: 'Old', state: 'hidden', rows: rowsOf([['name'], ['Ada']]) },
    ],
    formats: [[164, '00000'], [9], [14]],
  }),
)

/** Waits for the end of a batch, and returns its items. */
async function itemsOf(id: string): Promise<Reply['body']> {
  for (let tries = 0; tries < 30; tries += 1) {
    const { body } = await school.get(`${PATH}/${id}`, { prefer: 'wait=10' })
    if (body.data.status === 'completed') return body.data.items
  }
  return assert.fail('the batch did not end')
}

test('a workbook is checked with the rows and values that its spreadsheet shows, from the sheet whose headings fit', async () => {
  const { status, body } = await school.send('POST', `${path}&check=true`, people, TYPE)
  assert.equal(status, 200, JSON.stringify(body))
  assert.partialDeepStrictEqual(body.data, { total: 4, valid: 3, invalid: 1 })
  const [first, second, third] = body.data.items
  assert.deepEqual(
    [first, third],
    [
      { index: 0, row: 5, status: 'valid' },
      { index: 2, row: 9, status: 'valid' },
    ],
  )
  assert.partialDeepStrictEqual(second, { index: 1, row: 8, status: 'invalid', error: { column: 'name' } })
  const old = await school.send('POST', `${path}&check=true&sheet=Old`, people, TYPE)
  assert.partialDeepStrictEqual(old.body.data, { total: 1, valid: 1, items: [{ row: 2 }] })
  const comma = await school.send('POST', `${path}&check=true&decimal=comma`, people, TYPE)
  const valid = comma.body.data.items.map(({ error }: { error?: { column: string } }) => error?.column)
  assert.deepEqual(valid, [undefined, 'name', 'grade', undefined], 'the decimal sign is that of texts')
  const columns = encodeURIComponent(JSON.stringify({ grade: '', honours: 'grade' }))
  const renamed = await school.send('POST', `${path}&check=true&columns=${columns}`, people, TYPE)
  assert.partialDeepStrictEqual(renamed.body.data.items[0], { row: 5, status: 'invalid', error: { column: 'grade' } })
})

test('a workbook is issued: claims are what its cells show or mean; an item names its row', async () => {
  const { status, body } = await school.send('POST', path, people, TYPE)
  assert.equal(status, 202, JSON.stringify(body))
  const items = await itemsOf(body.data.id)
  assert.deepEqual(
    items.map(({ row, status: outcome }: { row: number; status: string }) => [row, outcome]),
    [
      [5, 'done'],
      [8, 'failed'],
      [9, 'done'],
      [10, 'done'],
    ],
  )
  const wallet = await chirograph.wallet('acme', 'thandi')
  const received = await wallet.post('/wallet/v2/credentials', { credentialOffer: items[0].offerUri })
  assert.deepEqual(received.body.data[0].claims, { name: '00417', grade: 0.85, honours: true, born: '2026-01-31' })
  assert.equal(items[0].reference, 'student-1')
  const table = await school.get(`${PATH}/${body.data.id}/items?filter[status]=failed`, { accept: 'text/csv' })
  assert.match(table.body.split('\r\n')[1], /^8,/)
})

test('libraries send a workbook as a file, or as a stream; one that is sent again is issued once', async () => {
  const authorization = `Bearer ${school.token}`
  const url = chirograph.url + path
  const headers = { authorization, 'idempotency-key': 'workbook-1' }
  const file = new File([people], 'class.xlsx', { type: XLSX })
  const first = await fetch(url, { method: 'POST', headers, body: file })
  assert.equal(first.status, 202)
  const { data } = (await first.json()) as Reply['body']
  const streamed = await request(url, {
    method: 'POST',
    headers: { ...headers, ...TYPE },
    body: Readable.from([people.subarray(0, 1000), people.subarray(1000)]),
  })
  assert.equal(streamed.statusCode, 202)
  assert.equal(streamed.headers['idempotency-replayed'], 'true')
  assert.equal(((await streamed.body.json()) as Reply['body']).data.id, data.id)
  const other = await school.send('POST', path, people.subarray(0, 999), { ...TYPE, 'idempotency-key': 'workbook-1' })
  assert.equal(other.body.errors[0].code, 'IDEMPOTENCY_MISMATCH')
})

const refused = [
  ['a text', Buffer.from('name\nAda\n'), '', { rule: 'kind' }],
  ['a page', Buffer.from('<html><table><tr><td>name</td></tr></table>'), '', { rule: 'web_page' }],
  ['of 2003', Buffer.from([0xd0, 0xcf, 0x11, 0xe0]), '', { rule: 'old_workbook' }],
  ['damaged', people.subarray(0, 700), '', { rule: 'kind' }],
  ['without that sheet', people, '&sheet=New', { rule: 'sheet' }],
  ['of an unknown column', people, '&sheet=Cover', { rule: 'header', row: 1, column: 1 }],
  ['too wide', Buffer.from(aWorkbook({ sheets: [{ rows: '<row><c r="AMA1"><v>1</v></c></row>' }] })), '', 'columns'],
] as const
for (const [what, bytes, query, meta] of refused) {
  test(`a workbook that is ${what} is refused with its rule`, async () => {
    const { status, body } = await school.send('POST', path + query, bytes, TYPE)
    assert.equal(status, 400)
    if (typeof meta === 'string') assert.equal(body.errors[0].meta.rule, meta)
    else assert.deepEqual(body.errors[0].meta, meta)
  })
}

test('parameters of the other form of a table are refused; a workbook is not taken for CSV; too large is 413', async () => {
  const parameterOf = async (query: string, type: string) => {
    const { status, body } = await school.send('POST', path + query, people, { 'content-type': type })
    return [status, body.errors[0].source?.parameter ?? body.errors[0].meta?.rule]
  }
  assert.deepEqual(await parameterOf('&delimiter=tab', XLSX), [400, 'delimiter'])
  assert.deepEqual(await parameterOf('&sheet=Class', 'text/csv'), [400, 'sheet'])
  assert.deepEqual(await parameterOf('', 'text/csv; charset=windows-1252'), [400, 'kind'])
  const large = await school.send('POST', path, Buffer.alloc(8_388_609), TYPE)
  assert.equal(large.status, 413)
})

test('the workbook of a client without the scope is refused before it is read', async () => {
  const headers = { ...TYPE, authorization: `Bearer ${(await chirograph.wallet('acme', 'thandi')).token}` }
  const sent = openRequest(chirograph.url + path, { method: 'POST', headers: { ...headers, 'content-length': 9000 } })
  // The body never ends.
  sent.write('PK')
  const [answer] = await once(sent, 'response', { signal: AbortSignal.timeout(5000) })
  sent.destroy()
  assert.equal(answer.statusCode, 403)
})
