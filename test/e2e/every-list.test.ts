// Guarantees of every list, tested for each list in the table of routes, also for new ones.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { routes } from '../../src/contributions.ts'
import type { Route } from '../../src/http/routes/route.ts'
import { badge, makeEverything, makeTemplate, type Objects, openIssuance } from '../support/main-job.ts'
import { allContent, operations } from '../support/openapi-document.ts'
import { isOfPlatform } from '../support/route-requests.ts'
import { type Api, type Deployment, deploy, type Reply } from '../support/server.ts'

type Row = Readonly<Record<string, unknown>> & { readonly id: string }

let chirograph: Deployment
let objects: Objects
let school: Api
let operator: Api
let thandi: Api

before(async () => {
  chirograph = await deploy()
  objects = await makeEverything(chirograph)
  school = await chirograph.backend('acme')
  operator = await chirograph.operator()
  thandi = await chirograph.wallet('acme', 'thandi')
  for (let n = 0; n < 4; n += 1) await makeMore(n)
  const ends = { ...badge, code: 'ending', validUntil: { future: { days: 1 } } }
  const ending = await school.post('/creds/templates/credentials', ends)
  const { offerUri } = await openIssuance(school, ending.body.data.id)
  await thandi.post('/wallet/v2/credentials', { credentialOffer: offerUri })
  const archived = await makeTemplate(school, 'archived')
  await school.delete(`/creds/templates/credentials/${archived.id}`)
  await school.delete(`/creds/credentials/${objects['/creds/credentials']}`)
})
after(() => chirograph.stop())

/** One more of each kind that is made by one call. */
async function makeMore(n: number): Promise<void> {
  const template = await makeTemplate(school, `more-${n}`, { label: ['/name'] })
  await openIssuance(school, template.id)
  const credentials = [{ type: template.type, attributes: { name: {} } }]
  const made = await Promise.all([
    school.post('/creds/credentials/issuance', {
      credentialTemplateId: template.id,
      attributes: { name: 'Thandi' },
      reference: `reference-${n % 2}`,
      recipient: { identifierType: 'username', value: n % 2 === 0 ? 'thandi' : 'pieter' },
    }),
    school.post('/creds/templates/presentations', { name: `Who ${n % 2}`, description: 'Name', credentials }),
    school.post('/creds/presentations/request', {
      presentationTemplateId: objects['/creds/templates/presentations'],
      reference: `reference-${n % 2}`,
    }),
    school.post('/creds/trusted-entities', { name: `Registrar ${n % 2}`, dids: [{ did: `did:web:u${n}.example` }] }),
    school.post('/creds/certificates/csrs', { type: 'issuerSignCredential', keyType: 'P-256', countryName: 'ZA' }),
  ])
  for (const { status, body } of made) assert(status < 300, JSON.stringify(body))
}

const lists = routes.filter((route) => route.method === 'GET' && 'page[size]' in propertiesOf(route))

test('every list answers with data, meta and links', async () => {
  assert(lists.length >= 9)
  for (const route of lists) {
    const { body, status } = await ask(route, {})
    assert.equal(status, 200, JSON.stringify(body))
    assert.deepEqual(Object.keys(body.meta.page).sort(), ['after', 'before', 'size'])
    assert.equal(body.meta.page.size, 25)
    assert(body.links.self.length > 0 && body.links.first.length > 0)
  }
})

/** How many rows a list says it has, from a page of one row: what is more than that row was counted. */
async function totalOf(route: Route, query: Record<string, string>): Promise<number | null> {
  const { body, status } = await ask(route, { ...query, 'page[size]': '1', 'page[total]': 'true' })
  assert.equal(status, 200, JSON.stringify(body))
  if (body.meta.page.total === undefined) return null
  assert.equal(body.meta.page.total.more, false)
  return body.meta.page.total.count
}

/** What is added meanwhile may be counted or not. */
async function assertTotal(route: Route, query: Record<string, string>): Promise<void> {
  const before = await totalOf(route, query)
  const rows = (await rowsOf(route, query)).length
  const after = await totalOf(route, query)
  if (rows === 100) return
  assert(before !== null && after !== null, `${route.path} ${JSON.stringify(query)} is not counted`)
  assert(before <= rows && rows <= after, `${route.path} ${JSON.stringify(query)}: ${before}, ${rows} rows, ${after}`)
}

test('a total is given on every page, and in the addresses of the others, only where it was asked for', async () => {
  const path = '/creds/templates/credentials?page[size]=2'
  assert.equal((await school.get(path)).body.meta.page.total, undefined)
  assert.equal((await school.get(`${path}&page[total]=false`)).body.meta.page.total, undefined)
  const first = (await school.get(`${path}&page[total]=true`)).body
  const second = (await school.get(first.links.next)).body
  assert(first.meta.page.total.count > 2)
  assert.deepEqual(second.meta.page.total, first.meta.page.total)
  assert(second.data.every((row: object) => !('listTotal' in row)))
})

for (const route of lists) {
  const name = `GET /${route.group}${route.path}`

  test(`${name}: what it does not know is refused by name`, async () => {
    const id = '01890000-0000-7000-8000-000000000000'
    for (const [parameter, value] of [
      ['filter[surprise]', 'x'],
      ['search[surprise]', 'x'],
      ['page[number]', '2'],
      ['sort', 'surprise'],
      ['page[size]', '0'],
      ['page[size]', '101'],
      ['page[size]', '1e1'],
      ['page[total]', 'yes'],
      ['page[after]', 'x'],
      ['page[before]', 'x'],
    ] as const) {
      refused(await ask(route, { [parameter]: value }), parameter)
    }
    refused(await ask(route, { 'page[after]': id, 'page[before]': id }), 'page[before]')
    for (const filter of filtersOf(route)) {
      if (valuesOf(route, filter) !== null) refused(await ask(route, { [filter]: 'surprise' }), filter)
    }
  })

  test(`${name}: it says how many rows it has`, () => assertTotal(route, {}))

  test(`${name}: a page holds 1 to 100 rows`, async () => {
    assert.equal((await ask(route, { 'page[size]': '100' })).status, 200)
    assert((await ask(route, { 'page[size]': '1' })).body.data.length <= 1)
  })

  for (const sort of valuesOf(route, 'sort')?.filter((one) => !one.startsWith('-')) ?? []) {
    test(`${name}: by ${sort}, forwards and backwards, each row is seen once`, async () => {
      const down = await walk(route, { sort: `-${sort}` }, 'next')
      const up = await walk(route, { sort }, 'next')
      assert.equal(new Set(down.ids).size, down.ids.length, 'a row came twice')
      // What came to be meanwhile stands at one end.
      const both = (ids: readonly string[]) => ids.filter((id) => down.ids.includes(id) && up.ids.includes(id))
      assert.deepEqual(both(up.ids), both(down.ids).toReversed())
      assert.equal(both(up.ids).length, down.ids.length)
      if (up.ids.length === 0) return
      const back = await walk(route, { sort, 'page[before]': up.ids.at(-1) ?? '' }, 'prev')
      assert.deepEqual(back.ids, up.ids.slice(0, -1))
    })
  }

  for (const filter of filtersOf(route)) {
    test(`${name}: ${filter} narrows the list to what fits`, async () => {
      const all = await rowsOf(route, {})
      const wanted = valuesOf(route, filter) ?? samplesOf(route, filter, all)
      // What happens by itself and later has no rows here.
      assert(wanted.length > 0 || all.length === 0, `no row of the test tells a value for ${filter}`)
      for (const value of wanted) {
        await assertTotal(route, { [filter]: value })
        for (const row of await rowsOf(route, { [filter]: value })) {
          const shown = named(row[filter.replace(/^\w+\[|\]$/g, '')])
          if (shown !== undefined && !filter.startsWith('search')) assert.equal(String(shown), value)
        }
      }
      const first = samplesOf(route, filter, all)[0]
      if (first !== undefined) assert((await rowsOf(route, { [filter]: first })).length > 0, `${first} finds nothing`)
    })
  }
}

test('every list is exported as CSV and as JSON lines, from the same position and with the same rows', async () => {
  const notExported = lists
    .filter(({ produces = [] }) => !produces.includes('application/x-ndjson'))
    .map(({ path }) => path)
  // Lists with a shape of their own.
  const own = ['/v2/credentials', '/v2/presentations', '/v2/shared-links', '/v2/history', '/v2/events']
  own.push('/credentials/issuance/batch/{id}/items')
  assert.deepEqual(notExported, own)
  for (const route of lists.filter(({ path }) => !notExported.includes(path))) {
    const query = '?sort=createdAt'
    const path = `/${route.group}${route.path.replace(/\{[^}]+\}/, objects[`/${route.group}${route.path.split('/{')[0]}`] ?? '')}`
    const sorted = valuesOf(route, 'sort')?.includes('createdAt') === true ? query : ''
    const caller = ownerOf(route)
    const file = async (accept: string) => {
      const headers = { accept, authorization: `Bearer ${caller.token}` }
      const answer = await fetch(chirograph.url + path + sorted, { headers })
      assert.deepEqual([answer.status, answer.headers.get('content-type')?.split(';')[0]], [200, accept], path)
      return answer.text()
    }
    const shown = (await caller.get(path + sorted)).body.data.map(({ id }: Row) => id)
    const lines = (await file('application/x-ndjson')).split('\n').filter((line) => line !== '')
    assert.deepEqual(
      lines.slice(0, 25).map((line) => JSON.parse(line).id),
      shown,
      path,
    )
    const [head = ''] = (await file('text/csv')).split('\r\n')
    assert(head.split(',').includes('id'), head)
    const described = operations.find(({ name }) => name === `GET /${route.group}${route.path}`)?.operation
    const example = String(allContent(described?.responses['200'] ?? {})['text/csv']?.example)
    assert.equal(example.split('\r\n')[0], head, `the document shows the columns of ${path}`)
  }
})

test('rows that come to be while a list is walked move nothing', async () => {
  const template = objects['/creds/templates/credentials'] ?? ''
  const there = (await rowsOf(routeAt('/credentials'), {})).map(({ id }) => id)
  const seen: string[] = []
  let path: string | null = '/creds/credentials?page[size]=2'
  while (path !== null) {
    const { body } = await school.get(path)
    seen.push(...body.data.map((row: Row) => row.id))
    await openIssuance(school, template)
    path = body.links.next ?? null
  }
  assert.deepEqual(seen, there)
})

function routeAt(path: string): Route {
  const found = lists.find((one) => one.path === path)
  return found ?? assert.fail(`no list at ${path}`)
}

function propertiesOf({ query }: Route): Readonly<Record<string, { readonly enum?: readonly string[] }>> {
  return query !== undefined && 'properties' in query ? (query.properties as Record<string, object>) : {}
}

function filtersOf(route: Route): string[] {
  return Object.keys(propertiesOf(route)).filter((one) => /^(filter|search)\[/.test(one))
}

function valuesOf(route: Route, member: string): string[] | null {
  const values = propertiesOf(route)[member]?.enum
  return values === undefined ? null : [...values]
}

/** Values that rows have, where the row says it under another name than the filter, or not at all. */
function samplesOf({ path }: Route, filter: string, rows: readonly Row[]): string[] {
  const special: Record<string, () => unknown[]> = {
    'filter[templateId]': () =>
      rows.flatMap((row) => [row.credentials].flat().map((one) => Object(one).credentialTemplateId)),
    'filter[createdAfter]': () => [new Date(0).toISOString()],
    'filter[createdBefore]': () => [new Date(Date.now() + 60_000).toISOString()],
    'filter[credentialId]': () =>
      rows.flatMap(({ id, kind, credentialId }) => (kind === 'credential' ? id : (credentialId ?? []))),
    'filter[did]': () => ['did:web:u1.example'],
    'filter[recipient]': () => rows.flatMap((row) => Object(row.recipient).userId ?? []),
    'filter[batchId]': () => [objects['/creds/credentials/issuance/batch']],
    'filter[validBefore]': () => [new Date(Date.now() + 2 * 86_400_000).toISOString()],
    'filter[validAfter]': () => [new Date(Date.now() + 1000).toISOString()],
    'filter[credentialStatus]': () => rows.flatMap((row) => [row.credentials].flat().map((one) => Object(one).status)),
    'search[name]': () => [searches[path] ?? 'registrar'],
    // A request asks for several types.
    'filter[type]': () => rows.flatMap((row) => row.type ?? [row.credentials].flat().map((one) => Object(one).type)),
    'filter[archived]': () => ['true', 'false'],
  }
  const name = filter.replace(/^\w+\[|\]$/g, '')
  const found = special[filter]?.() ?? rows.map((row) => named(row[name]))
  return [...new Set(found.filter((one) => one !== undefined && one !== null && one !== '').map(String))]
}

/** A part of a name in each list, in another case. */
const searches: Readonly<Record<string, string>> = {
  '/users': 'molefe',
  '/credentials': 'THANDI',
  '/credentials/issuance': 'THANDI',
  '/types': 'BADGE',
  '/templates/credentials': 'BADGE',
  '/templates/presentations': 'WHO',
  '/verification-pages': 'STUDENT',
}

/** A member that is a user or a resource is filtered by its id. */
function named(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  return 'id' in value ? value.id : 'userId' in value ? value.userId : value
}

/** What stands in the wallet group for organisations is about their people, and not of one. */
function ownerOf(route: Route): Api {
  const { group, path } = route
  if (isOfPlatform(route)) return operator
  return group === 'wallet' && !path.includes('/orgs/') ? thandi : school
}

/** The caller that has the scope; a `{id}` in the path is that of `makeEverything`. */
function ask(route: Route, query: Record<string, string>): Promise<Reply> {
  const caller = ownerOf(route)
  const collection = `/${route.group}${route.path.split('/{')[0]}`
  const path = `/${route.group}${route.path.replace(/\{[^}]+\}/, objects[collection] ?? '')}`
  const members = Object.entries(query).map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
  )
  return caller.get(members.length === 0 ? path : `${path}?${members.join('&')}`)
}

/** Ids from the first page on, or backwards from a row, by the links of the pages; in the order of the list. */
async function walk(route: Route, query: Record<string, string>, direction: 'next' | 'prev') {
  let { body, status } = await ask(route, { ...query, 'page[size]': '2' })
  assert.equal(status, 200, JSON.stringify(body))
  const ids: string[] = []
  const caller = ownerOf(route)
  for (let pages = 0; pages < 500; pages += 1) {
    const page = body.data.map((row: Row) => row.id)
    if (direction === 'next') ids.push(...page)
    else ids.unshift(...page)
    const to: string | undefined = body.links[direction]
    if (to === undefined) return { ids }
    ;({ body, status } = await caller.get(to))
    assert.equal(status, 200, JSON.stringify(body))
  }
  return assert.fail('the list does not end')
}

async function rowsOf(route: Route, query: Record<string, string>): Promise<Row[]> {
  const { body, status } = await ask(route, { ...query, 'page[size]': '100' })
  assert.equal(status, 200, JSON.stringify(body))
  return body.data
}

function refused({ status, body }: Reply, parameter: string): void {
  assert.equal(status, 400, `${parameter}: ${JSON.stringify(body)}`)
  assert.equal(body.errors[0].source.parameter, parameter)
}
