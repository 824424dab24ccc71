// What is handed out after a batch: the columns of the caller's table, with links, codes and what failed.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { makeTemplate } from '../../../test/support/main-job.ts'
import { type Api, type Deployment, deploy } from '../../../test/support/server.ts'
import { CSV, XLSX } from '../../contract/media-types.ts'
import { newId } from '../../store/row-id.ts'
import { parseTable } from '../../tables/parse-table.ts'

const PATH = '/creds/credentials/issuance/batch'

let chirograph: Deployment
let school: Api
before(async () => {
  chirograph = await deploy()
  school = await chirograph.backend('acme')
})
after(() => chirograph.stop())

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
    assert.deepEqual(named.header.slice(3, 8), ['Room', 'offerPageUri', 'txCode', 'status', 'detail'])
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
  const made = await school.post('/onboarding/clients', { name: 'Auditor', scopes: ['issuance:read'] })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const { clientId, clientSecret } = made.body.data
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret }
  const { body } = await chirograph.nobody.form('/auth/token', form)
  const { header, rows: found } = await tableOf(`${path}/items?language=en`, CSV, body.access_token)
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
