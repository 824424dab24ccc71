// A page that lets people choose from a long list finds by id, type and name what is not among its first rows, in one
// call.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { made as madeBy } from '../../src/console/test-support/made.ts'
import { type Api, type Deployment, deploy } from '../support/server.ts'
import { until } from '../support/until.ts'

let chirograph: Deployment
let acme: Api
before(async () => {
  chirograph = await deploy()
  acme = await chirograph.backend('acme')
})
after(() => chirograph.stop())

const made = (path: string, body: object) => madeBy(acme, path, body)
const attributes = { family_name: { type: 'string', name: 'Family name' } }

async function namesAt(path: string, query: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const { status, body } = await acme.get(`${path}?${new URLSearchParams({ sort: 'name', ...query })}`)
  assert.equal(status, 200, JSON.stringify(body))
  return body.data.map(({ name }: { name: string }) => name)
}

test('credential templates are found by their types: those of the organisation, and document types', async () => {
  const list = '/creds/templates/credentials'
  const { type: diploma } = await made(list, { name: 'Diploma', code: 'diploma', attributes })
  // Its document type is the code of the other.
  const elements = { 'org.example.1': { name: { type: 'string', name: 'Name' } } }
  await made(list, { name: 'Card', code: 'card', format: 'mdoc', docType: 'diploma', attributes: elements })
  const find = (type: string) => namesAt(list, { 'filter[type]': type })
  assert.deepEqual(await find(diploma), ['Diploma'])
  assert.deepEqual(await find('diploma'), ['Card'])
  assert.deepEqual(await find(`${diploma},diploma,https://other.example/vct/diploma`), ['Card', 'Diploma'])
  assert.deepEqual(await find('https://other.example/vct/diploma'), [])
})

test('presentation templates are found by the type of any of their credentials', async () => {
  const list = '/creds/templates/presentations'
  const asking = (name: string, types: readonly string[]) =>
    made(list, { name, description: '', credentials: types.map((type) => ({ type, attributes: { degree: {} } })) })
  await asking('One', ['urn:one'])
  await asking('Both', ['urn:one', 'urn:two'])
  assert.deepEqual(await namesAt(list, { 'filter[type]': 'urn:one' }), ['Both', 'One'])
  assert.deepEqual(await namesAt(list, { 'filter[type]': 'urn:two' }), ['Both'])
  assert.deepEqual(await namesAt(list, { 'filter[type]': 'urn' }), [])
})

test('trusted entities are found by one id or several, and only those of the tenant', async () => {
  const list = '/creds/trusted-entities'
  const ids = []
  for (const name of ['A', 'B', 'C'])
    ids.push((await made(list, { name, dids: [{ did: `did:web:${name.toLowerCase()}.example` }] })).id)
  const other = await chirograph.backend('globex')
  const theirs = await madeBy(other, list, { name: 'D', dids: [{ did: 'did:web:d.example' }] })
  assert.deepEqual(await namesAt(list, { 'filter[id]': ids[1] }), ['B'])
  assert.deepEqual(await namesAt(list, { 'filter[id]': `${ids[2]},${ids[0]},${theirs.id}` }), ['A', 'C'])
  assert.deepEqual(await namesAt(list, { 'filter[id]': ids[0], 'search[name]': 'b' }), [])
  assert.equal((await acme.get(`${list}?filter[id]=nothing`)).status, 400)
})

test('a batch says what its template is called, also once that is archived', async () => {
  const { id } = await made('/creds/templates/credentials', { name: 'Licence', code: 'licence', attributes })
  const batches = '/creds/credentials/issuance/batch'
  const items = [{ attributes: { family_name: 'Molefe' } }]
  const batch = await made(batches, { credentialTemplateId: id, items })
  assert.equal(batch.templateName, 'Licence')
  await until(async () => (await acme.get(`${batches}/${batch.id}`)).body.data.status === 'completed')
  assert.equal((await acme.delete(`/creds/templates/credentials/${id}`)).status, 200)
  assert.equal((await acme.get(`${batches}/${batch.id}`)).body.data.templateName, 'Licence')
  const [listed] = (await acme.get(batches)).body.data
  assert.equal(listed.templateName, 'Licence')
})
