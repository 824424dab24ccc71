import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from 'typebox'
import { listQuery } from '../contract/list-query.ts'
import { aServer } from '../http/test-support/a-server.ts'
import { route } from '../http/test-support/route.ts'
import { listAnswer, parseListQuery } from './list.ts'

const href = 'https://example.org/creds/things'
const ids = ['1', '2', '3', '4', '5'].map((n) => ({ id: `00000000-0000-7000-8000-00000000000${n}` }))
const Query = listQuery({
  filters: { status: Type.Enum(['open', 'closed']) },
  searches: ['name'],
  sorts: ['createdAt', 'name'],
})

test('the values and types of a list query reach the handle of its route', async () => {
  const things = route({
    group: 'creds',
    method: 'GET',
    path: '/things/{kind}',
    summary: 'Lists things.',
    scope: null,
    query: Query,
    status: 200,
    reply: Type.Array(Type.Object({ id: Type.String() })),
    faults: [],
    handle: ({ query, params, href }) => {
      const status: 'open' | 'closed' | undefined = query['filter[status]']
      const list = parseListQuery(query)
      const field: 'createdAt' | 'name' = list.sort.field
      // @ts-expect-error: the path has no such parameter
      params.other
      return listAnswer(ids, { href, query, list }, () => ({ id: `${params.kind} ${status} ${field}` }))
    },
  })
  const server = aServer({ routes: [things] })
  const { status, body } = await server.dispatch({
    method: 'GET',
    path: '/creds/things/books?filter[status]=closed&sort=-name&page[size]=1',
    headers: { authorization: 'Bearer admin' },
  })
  assert.equal(status, 200)
  assert.deepEqual(JSON.parse(body.toString()).data, [{ id: 'books closed name' }])
  await server.close(0)
})

test('a list starts with 25 rows, newest first', () => {
  const list = parseListQuery({})
  const sort = { field: 'createdAt', descending: true }
  const end = { isEarly: false }
  assert.deepEqual(list, { size: 25, after: null, before: null, sort, readDescending: true, end })
})

test('the first page has a next and no prev; filters and size stay in the links', () => {
  const query = { 'page[size]': '2', 'filter[status]': 'open' }
  const list = parseListQuery(query)
  const page = listAnswer(ids.slice(0, 3), { href, query, list }, (row) => row.id)
  const kept = 'page%5Bsize%5D=2&filter%5Bstatus%5D=open'
  assert.deepEqual(page.data, [ids[0]?.id, ids[1]?.id])
  assert.deepEqual(page.meta, { page: { size: 2, after: ids[1]?.id, before: null } })
  assert.deepEqual(page.links, {
    self: `${href}?${kept}`,
    first: `${href}?${kept}`,
    next: `${href}?${kept}&page%5Bafter%5D=${ids[1]?.id}`,
  })
})

test('the last page has a prev and no next', () => {
  const query = { 'page[size]': '2', 'page[after]': ids[3]?.id ?? '' }
  const page = listAnswer(ids.slice(4), { href, query, list: parseListQuery(query) }, (row) => row.id)
  assert.deepEqual(page.meta, { page: { size: 2, after: null, before: ids[4]?.id } })
})

test('a page read backwards comes in the order of the list', () => {
  const query = { 'page[size]': '2', 'page[before]': ids[3]?.id ?? '' }
  const list = parseListQuery(query)
  assert.equal(list.readDescending, false)
  const page = listAnswer(
    [ids[2], ids[1], ids[0]].filter((row) => row !== undefined),
    { href, query, list },
    (row) => row,
  )
  assert.deepEqual(page.data, [ids[1], ids[2]])
  assert.deepEqual(page.meta, { page: { size: 2, after: ids[2]?.id, before: ids[1]?.id } })
})

test('after and before together are refused by name', () => {
  const both = { 'page[after]': ids[0]?.id ?? '', 'page[before]': ids[1]?.id ?? '' }
  assert.throws(() => parseListQuery(both), { code: 'request.invalid' })
})
