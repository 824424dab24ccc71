// Groups and the tokens of identity systems, as the API has them.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Api, type Deployment, deploy } from '../support/server.ts'

let chirograph: Deployment
let acme: Api
let globex: Api
before(async () => {
  chirograph = await deploy()
  ;[acme, globex] = [await chirograph.backend('acme'), await chirograph.backend('globex')]
})
after(() => chirograph.stop())

async function aGroup(displayName: string): Promise<{ readonly path: string; readonly etag: string }> {
  const { status, body } = await acme.post('/onboarding/groups', { displayName, roles: ['issuer'] })
  assert.equal(status, 201, JSON.stringify(body))
  const path = `/onboarding/groups/${body.data.id}`
  return { path, etag: (await acme.get(path)).headers.get('etag') ?? assert.fail('no entity tag') }
}

test('a change of a group from another state than the one that was read is refused', async () => {
  const { path, etag } = await aGroup('Registrars')
  const first = await acme.patch(path, { roles: ['verifier'] }, { 'if-match': etag })
  assert.equal(first.status, 200, JSON.stringify(first.body))
  assert.equal((await acme.patch(path, { roles: ['auditor'] }, { 'if-match': etag })).status, 412)
  assert.deepEqual((await acme.get(path)).body.data.roles, ['verifier'])
  const again = { 'if-match': first.headers.get('etag') ?? '' }
  assert.equal((await acme.patch(path, { roles: ['auditor'] }, again)).status, 200)
})

test('of concurrent changes of one state of a group one is carried out', async () => {
  const { path, etag } = await aGroup('Raced')
  const names = ['Raced A', 'Raced B', 'Raced C', 'Raced D']
  const replies = await Promise.all(names.map((displayName) => acme.patch(path, { displayName }, { 'if-match': etag })))
  assert.deepEqual(replies.map(({ status }) => status).toSorted(), [200, 412, 412, 412])
})

test('a change of the members leaves the entity tag of a group', async () => {
  const { path, etag } = await aGroup('Members')
  assert.equal((await acme.put(`${path}/members/thandi`)).status, 204)
  assert.equal((await acme.get(path)).headers.get('etag'), etag)
  assert.equal((await acme.patch(path, { roles: [] }, { 'if-match': etag })).status, 200)
})

test('a provisioning token is read without its secret, by its own organisation', async () => {
  const made = await acme.post('/onboarding/scim-tokens', { clientId: 'acme-backend', name: 'Entra ID' })
  const { token, ...shown } = made.body.data
  assert.equal(typeof token, 'string')
  const path = `/onboarding/scim-tokens/${shown.id}`
  assert.deepEqual((await acme.get(path)).body.data, shown)
  assert.equal((await globex.get(path)).status, 404)
  assert.equal((await acme.get('/onboarding/scim-tokens/none')).status, 404)
  assert.equal((await acme.delete(path)).status, 204)
  assert.equal((await acme.get(path)).status, 404)
})
