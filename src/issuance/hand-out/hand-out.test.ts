// What is handed out after a batch: the columns of the caller's table, with links, codes and what failed.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { after, before, test } from 'node:test'
import { makeTemplate } from '../../../test/support/main-job.ts'
import { type Api, type Deployment, deploy } from '../../../test/support/server.ts'
import { CSV, PDF, XLSX } from '../../contract/media-types.ts'
import { aMailServer, type MailServer } from '../../mail/test-support/mail-server.ts'
import { newId } from '../../store/row-id.ts'
import { parseTable } from '../../tables/parse-table.ts'

const PATH = '/creds/credentials/issuance/batch'

let mails: MailServer
let chirograph: Deployment
let school: Api
before(async () => {
  mails = await aMailServer()
  chirograph = await deploy({}, { SMTP_URL: mails.url })
  school = await chirograph.backend('acme')
})
after(async () => {
  await chirograph.stop()
  await mails.close()
})

type Asked = { readonly template?: object; readonly query?: Readonly<Record<string, string>> }

/** Issues a table. @returns the path of its batch, which has ended */
async function issued(table: string, { template = {}, query = {} }: Asked = {}): Promise<string> {
  const { id } = await makeTemplate(school, newId(), template)
  const members = new URLSearchParams({ credentialTemplateId: id, ...query })
  const { status, body } = await school.send('POST', `${PATH}?${members}`, table, { 'content-type': CSV })
  assert.equal(status, 202, JSON.stringify(body))
  const path = `${PATH}/${body.data.id}`
  for (let tries = 0; tries < 30; tries += 1) {
    const { body: now } = await school.get(path, { prefer: 'wait=5' })
    if (now.data.status === 'completed') return path
  }
  return assert.fail('the batch does not end')
}

/** A token of a client that may only read. */
async function readerToken(): Promise<string> {
  const made = await school.post('/onboarding/clients', { name: 'Auditor', scopes: ['issuance:read'] })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const { clientId, clientSecret } = made.body.data
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret }
  return (await chirograph.nobody.form('/auth/token', form)).body.access_token
}

async function tableOf(path: string, accept: string, token = school.token) {
  const answer = await fetch(`${chirograph.url}${path}`, { headers: { accept, authorization: `Bearer ${token}` } })
  assert.equal(answer.status, 200)
  assert.equal(answer.headers.get('content-type')?.split(';')[0], accept)
  const bounds = { rowsMax: 100, columnsMax: 50, cells: 'tidied' } as const
  return parseTable(new Uint8Array(await answer.arrayBuffer()), bounds)
}

const rows = [
  'Matriculation,Name,Level,Room',
  '00417,Molefe,3,"B 12, ""north"""',
  '00418,=1+1,x,',
  '00419,Müller,,_x0041_ <&>',
].join('\n')
const columns = JSON.stringify({ Name: 'name', Level: 'level' })
const keep = JSON.stringify(['Matriculation', 'Name', 'Level', 'Room'])

for (const accept of [CSV, XLSX]) {
  test(`the kept columns come first in the table of items, as they were written: ${accept}`, async () => {
    const path = await issued(rows, { query: { columns, keep }, template: { txCode: { length: 6 } } })
    const { header, rows: found } = await tableOf(`${path}/items?language=en`, accept)
    assert.deepEqual(header, ['Matriculation', 'Name', 'Level', 'Room', 'Link', 'Code', 'State', 'What is wrong'])
    const cells = found.map((row) => row.cells)
    assert.deepEqual(cells[0]?.slice(0, 4), ['00417', 'Molefe', '3', 'B 12, "north"'])
    assert.match(cells[0]?.slice(4).join(' ') ?? '', /^http\S+\/offer\/\S+ \d{6} Issued $/)
    assert.deepEqual(cells[1]?.slice(0, 7), ['00418', '=1+1', 'x', '', '', '', 'Failed'])
    assert.match(cells[1]?.[7] ?? '', /level/)
    assert.deepEqual(cells[2]?.slice(0, 4), ['00419', 'Müller', '', '_x0041_ <&>'])
    const failed = await tableOf(`${path}/items?filter[status]=failed&language=fr`, accept)
    assert.deepEqual(failed.header, ['Matriculation', 'Name', 'Level', 'Room', 'Ce qui ne va pas'])
    assert.equal(failed.rows.length, 1)
    const named = await tableOf(`${path}/items?filter[status]=done`, accept)
    assert.deepEqual(named.header.slice(3, 8), ['Room', 'row', 'reference', 'status', 'issuanceId'])
  })
}

test('without kept columns the table has row and reference; a template without code has no column for it', async () => {
  const path = await issued('name,reference\nMolefe,17\n')
  const { header, rows: found } = await tableOf(`${path}/items?language=de`, XLSX)
  assert.deepEqual(header, ['Zeile', 'Referenz', 'Link', 'Zustand', 'Was nicht stimmt'])
  assert.deepEqual(found[0]?.cells.slice(0, 2), ['2', '17'])
})

test('a caller who may not issue gets neither links nor kept columns', async () => {
  const path = await issued(rows, { query: { columns, keep } })
  const { header, rows: found } = await tableOf(`${path}/items?language=en`, CSV, await readerToken())
  assert.deepEqual(header, ['Row', 'Reference', 'State', 'What is wrong'])
  assert.equal(found.length, 3)
})

for (const [what, query, detail] of [
  ['is no JSON', { keep: 'Name' }, /keep must be a JSON array/],
  ['names a column twice', { keep: '["Name","Name"]' }, /different headings/],
  ['names a column that the table does not have', { keep: '["Nobody"]' }, /"Nobody", which is no column/],
] as const) {
  test(`a table is refused whose keep ${what}`, async () => {
    const { id } = await makeTemplate(school, newId())
    const members = new URLSearchParams({ credentialTemplateId: id, ...query })
    const { status, body } = await school.send('POST', `${PATH}?${members}`, 'Name\nMolefe', { 'content-type': CSV })
    assert.equal(status, 400)
    assert.match(body.errors[0].detail, detail)
  })
}

test('a column that is neither an attribute nor kept is refused; one that is kept is not issued', async () => {
  const { id } = await makeTemplate(school, newId())
  const send = (query: Readonly<Record<string, string>>) =>
    school.send(
      'POST',
      `${PATH}?${new URLSearchParams({ credentialTemplateId: id, check: 'true', ...query })}`,
      'name,Room\nMolefe,12',
      {
        'content-type': CSV,
      },
    )
  assert.equal((await send({})).status, 400)
  const kept = await send({ keep: '["Room"]' })
  assert.deepEqual([kept.status, kept.body.data.valid], [200, 1])
})

async function pdfOf(path: string, token = school.token): Promise<{ status: number; text: string }> {
  const headers = { accept: PDF, authorization: `Bearer ${token}` }
  const answer = await fetch(`${chirograph.url}${path}`, { headers })
  const bytes = Buffer.from(await answer.arrayBuffer())
  if (answer.status !== 200) return { status: answer.status, text: bytes.toString() }
  assert.equal(answer.headers.get('content-type'), PDF)
  return { status: 200, text: spawnSync('pdftotext', ['-layout', '-', '-'], { input: bytes }).stdout.toString() }
}

/** Letters are read by a program that not every machine has. */
const skip = spawnSync('pdftotext', ['-v']).status === 0 ? false : 'pdftotext is missing'
const people = ['Thandi Molefe', 'محمد علي', 'יוסף בן דוד', '李小龙', '高橋さくら', '김민수']

test('each person with an open offer has a letter with name, card, link and code, in scripts of all kinds', {
  skip,
}, async () => {
  const template = { label: ['/name'], txCode: { length: 6 }, name: 'Diploma' }
  const table = ['name,level', ...people.map((name) => `${name},1`), 'Failed,x'].join('\n')
  const path = await issued(table, { template, query: { name: 'Class of 2026' } })
  const { data } = (await school.get(`${path}/items`)).body
  const { text } = await pdfOf(`${path}/items`)
  const letters = text.split('\f').filter((page) => page.trim() !== '')
  assert.equal(letters.length, people.length, 'who failed has no letter')
  for (const [at, letter] of letters.entries()) {
    const plain = letter.replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, '')
    for (const shown of [people[at] ?? '', 'Diploma', data[at].txCode, data[at].offerPageUri])
      assert(plain.replaceAll(/\s/g, '').includes(shown.replaceAll(/\s/g, '')), `${shown} is not in ${plain}`)
  }
  const apart = await pdfOf(`${path}/items?codes=apart`)
  const slips = await pdfOf(`${path}/items?codes=slips`)
  for (const { txCode, offerPageUri } of data.slice(0, people.length)) {
    assert.equal(apart.text.includes(txCode), false)
    assert(slips.text.includes(txCode))
    assert.equal(slips.text.includes(offerPageUri), false)
  }
  assert.match(apart.text, /which you get separately/)
})

test('a letter is in the language of the mail of its row', { skip }, async () => {
  const path = await issued('name,mail.address,mail.language\nDube,a@example.org,de\nNkosi,b@example.org,fr')
  const { text } = await pdfOf(`${path}/items`)
  const [first = '', second = ''] = text.split('\f')
  assert.match(first, /hat diese Karte für Sie/)
  assert.match(second, /vous adresse cette carte/)
})

test('letters are refused to a caller who may not issue, and where no offer is open', async () => {
  const path = await issued('name,level\nMolefe,x')
  const none = await pdfOf(`${path}/items`)
  assert.equal(none.status, 409, none.text)
  assert.equal((await pdfOf(`${path}/items`, await readerToken())).status, 403)
})
