import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from 'typebox'
import { IdParams } from '../contract/id-params.ts'
import { listQuery } from '../contract/list-query.ts'
import { operationGroup } from '../contract/operation-group.ts'
import { aServer } from '../http/test-support/a-server.ts'
import { serveList } from './serve-list.ts'

const Thing = Type.Object({ id: Type.String(), name: Type.String() })
const things = operationGroup({
  group: 'creds',
  tag: 'things',
  path: '/things',
  params: IdParams,
  reply: Thing,
  faults: ['holder.missing'],
  scope: { read: 'issuance:read', write: 'issuance:write' },
})
const id = '00000000-0000-7000-8000-000000000001'
const get = things.get('/{id}', { summary: 'Returns a thing.', faults: ['state.invalid'] })
const list = things.list('', {
  summary: 'Lists things.',
  scope: 'issuance:write',
  query: listQuery({ searches: ['name'] }),
})
const remove = things.delete('/{id}', { summary: 'Removes a thing.', reply: undefined })

test('an operation takes base path, scope, reply, parameter checks and refusals from its group', () => {
  const { path, method, scope, status, reply, params, faults } = get
  assert.deepEqual(
    { path, method, scope, status, reply, params, faults },
    {
      path: '/things/{id}',
      method: 'GET',
      scope: 'issuance:read',
      status: 200,
      reply: Thing,
      params: IdParams,
      faults: ['resource.unknown', 'holder.missing', 'state.invalid'],
    },
  )
})

test('what an operation states replaces what its group states', () => {
  assert.deepEqual([list.scope, list.params, list.faults], ['issuance:write', undefined, ['holder.missing']])
  assert.deepEqual([remove.scope, remove.status, remove.reply], ['issuance:write', 204, undefined])
})

test('a list reads a page with its filters and shows each row', async () => {
  const served = serveList(list, {
    read: async (_context, { size }, { name = 'x' }) => [{ id, label: `${name} ${size}` }],
    show: ({ label, ...rest }) => ({ ...rest, name: label }),
  })
  const server = aServer({ routes: [served] })
  const request = { method: 'GET', path: '/creds/things?search[name]=y&page[size]=2' }
  const { status, body } = await server.dispatch({ ...request, headers: { authorization: 'Bearer writer' } })
  assert.equal(status, 200)
  assert.deepEqual(JSON.parse(body.toString()).data, [{ id, name: 'y 2' }])
  await server.close(0)
})
