import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from '../../store/store.ts'
import { type Directory, openDirectory } from '../test-support/directory.ts'

const count = sql('test.pieces.count', 'select count(*)::int as count from user_search_piece where tenant_id = $1')
const remove = sql('test.pieces.remove_tenant', 'delete from tenant where id = $1')

let house: Directory
before(async () => {
  house = await openDirectory()
})
after(() => house.close())

async function piecesOf(slug: string): Promise<number> {
  const tenantId = house.tenantIdOf(slug)
  const [row] = await house.store.single(tenantId, (tx) => tx.rows<{ count: number }>(count, [tenantId]))
  return row?.count ?? -1
}

async function found(slug: string, name: string, more = ''): Promise<string[]> {
  const { body } = await house.call(slug, `/users?search[name]=${encodeURIComponent(name)}${more}`)
  return body.data.map(({ username }: { username: string }) => username)
}

test('pieces follow the texts of a user, and end with the user', async () => {
  const slug = await house.tenant([{ username: 'ann', firstName: 'Ann', lastName: "O'Malley" }])
  // One from each place of "ann o'malley" and of "ann".
  assert.equal(await piecesOf(slug), 15)
  for (const part of ['malley', 'nn o', "ANN O'MALLEY", 'y', "o'mall"])
    assert.deepEqual(await found(slug, part), ['ann'])
  for (const part of ['mallet', 'ann o malley', "nn o'mallex"]) assert.deepEqual(await found(slug, part), [])
  await house.call(slug, '/users/ann', { method: 'PATCH', body: { firstName: null, lastName: 'Cät 李' } })
  assert.deepEqual(
    [await found(slug, 'malley'), await found(slug, 'ÄT'), await found(slug, '李')],
    [[], ['ann'], ['ann']],
  )
  await house.call(slug, '/users/ann', { method: 'DELETE' })
  assert.deepEqual([await found(slug, 'cät'), await found(slug, 'cät', '&filter[deleted]=true')], [[], ['ann']])
  const [{ id }] = (await house.call(slug, '/users?filter[deleted]=true')).body.data
  assert.equal((await house.call(slug, `/users/${id}?purge=true`, { method: 'DELETE' })).status, 204)
  assert.equal(await piecesOf(slug), 0)
})

test('pieces end with their tenant, and are those of one tenant only', async () => {
  const [one, other] = [await house.tenant([{ username: 'bob' }]), await house.tenant([{ username: 'bob' }])]
  await house.store.across('test', (tx) => tx.rows(remove, [house.tenantIdOf(one)]))
  assert.deepEqual([await piecesOf(one), await piecesOf(other)], [0, 3])
})
