// Every call that reads, with each filter and each order, every page and every sweep touches a bounded part of a tenant
// that has very much.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { consolePages } from '../../bench/large-tenant.ts'
import { fillLittle, fillMuch } from '../../bench/large-tenant-rows.ts'
import { signIn } from '../../bench/page-world.ts'
import { routes, schedules } from '../../src/contributions.ts'
import type { Route } from '../../src/http/routes/route.ts'
import { openStore } from '../../src/store/opening/open-store.ts'
import type { Store } from '../../src/store/store.ts'
import { platformOn } from '../support/platform.ts'
import { findPostgres, startPostgres } from '../support/postgres.ts'
import { isOfPlatform, isPersonal } from '../support/route-requests.ts'
import { type Api, type Deployment, deploy } from '../support/server.ts'

// A server of its own, with statistics of statements.
const skip = process.env.TEST_POSTGRES_URL === undefined || findPostgres() === null
const ISSUANCES = 50_000
const masterKey = randomBytes(32)
/** Blocks of 8 KiB that one call touches. All issuances are in 2,000, all entries of the audit trail in as many. */
const BLOCKS_MAX = 1000
/** A page makes several calls. */
const BLOCKS_OF_PAGE_MAX = 1500

let stop: () => Promise<void>
let chirograph: Deployment
let client: pg.Client
let school: Api
let operator: Api
let thandi: Api
let issuance: string
let cookie: string
let store: Store

before(async () => {
  if (skip) return
  const server = await startPostgres({ settings: ['shared_preload_libraries=pg_stat_statements'] })
  chirograph = await deploy({}, { DATABASE_URL: server.url, MASTER_KEY: masterKey.toString('base64') })
  stop = async () => {
    await store.close()
    await client.end()
    await chirograph.stop()
    await server.stop()
  }
  school = await chirograph.backend('acme')
  operator = await chirograph.operator()
  thandi = await chirograph.wallet('acme', 'thandi')
  const attributes = { name: { type: 'string' } }
  await school.post('/creds/templates/credentials', { name: 'Diploma', code: 'diploma', attributes })
  cookie = (await signIn(chirograph.url, school, 'naledi', ['owner'], '/console')).cookie
  store = await openStore({ databaseUrl: server.url, dataDir: null, poolMax: 2, onIdleError: assert.fail })
  await fillLittle(server.url)
  issuance = await fillMuch(server.url, ISSUANCES)
  client = new pg.Client({ connectionString: server.url })
  await client.connect()
  await client.query('create extension pg_stat_statements')
  await school.patch('/onboarding/organisation', { heldAttributes: 'kept' })
  await client.query(
    `insert into issuance_attributes (tenant_id, id, sealed_attributes)
     select tenant_id, id, convert_to(repeat('x', 200), 'UTF8') from issuance where issued_at is not null and id <> $1`,
    [issuance],
  )
})
after(() => stop?.())

type Shape = { readonly enum?: readonly string[]; readonly format?: string; readonly type?: string }

// An event stream stays open.
const reads = routes.filter(({ method, path }) => method === 'GET' && !path.endsWith('/stream'))

function propertiesOf({ query }: Route): Readonly<Record<string, Shape>> {
  return query !== undefined && 'properties' in query ? (query.properties as Record<string, Shape>) : {}
}

/** Values of which some fit many rows, some few and some none. */
function valuesOf(shape: Shape): readonly string[] {
  if (shape.enum !== undefined) return shape.enum
  if (shape.format === 'date-time') {
    const daysAgo = [4000, 700, 1, -4000]
    return daysAgo.map((days) => new Date(Date.now() - days * 86_400_000).toISOString())
  }
  return ['student-77', 'person-77', 'none', 'did:web:none.example', issuance]
}

/** Each order, and each filter. */
function queriesOf(route: Route): readonly string[] {
  const shapes = Object.entries(propertiesOf(route))
  const filters = shapes.filter(([name]) => /^(filter|search)\[/.test(name))
  const orders = propertiesOf(route).sort?.enum ?? []
  const one = (name: string, value: string) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`
  return [
    '',
    ...orders.map((order) => one('sort', order)),
    ...filters.flatMap(([name, shape]) => valuesOf(shape).map((value) => one(name, value))),
  ]
}

/** Works, and returns the blocks that its statements touched. Those of loops beside it are left out. */
async function blocksOf<T>(work: () => Promise<T>): Promise<{ result: T; blocks: number; worst: string }> {
  await client.query('select pg_stat_statements_reset()')
  const result = await work()
  const { rows } = await client.query(
    `select (shared_blks_hit + shared_blks_read)::int as blocks, query from pg_stat_statements
     where query !~ '(job|schedule|deployment|pg_stat)' order by 1 desc`,
  )
  const blocks = rows.reduce((sum, row) => sum + row.blocks, 0)
  return { result, blocks, worst: rows[0]?.query ?? '' }
}

test('every call that reads touches a bounded number of blocks, whatever its order and filter', { skip }, async () => {
  const tooMuch: string[] = []
  for (const route of reads) {
    const ofOrganisation = isOfPlatform(route) ? operator : school
    const api = isPersonal(route) ? thandi : ofOrganisation
    const path = `/${route.group}${route.path.replace(/\{[^}]+\}/, issuance)}`
    for (const query of queriesOf(route)) {
      const { result, blocks, worst } = await blocksOf(() => api.get(`${path}?${query}`))
      // A value may be no id, or no DID, and of an issuance the attributes may be erased.
      assert.ok([200, 400, 404, 409].includes(result.status), `${path}?${query}: ${result.status}`)
      if (blocks > BLOCKS_MAX) tooMuch.push(`${path}?${decodeURIComponent(query)}: ${blocks}: ${worst.slice(0, 200)}`)
    }
  }
  assert.deepEqual(tooMuch, [])
})

test('a sweep that finds nothing to do touches a bounded number of blocks', { skip }, async () => {
  const platform = platformOn({ store, masterKey })
  const tooMuch: string[] = []
  for (const { name, run } of schedules) {
    const sweep = () => run(platform, new AbortController().signal)
    await sweep()
    const { blocks, worst } = await blocksOf(sweep)
    if (blocks > BLOCKS_MAX) tooMuch.push(`${name}: ${blocks}: ${worst.slice(0, 200)}`)
  }
  assert.deepEqual(tooMuch, [])
})

test('every page of the console touches a bounded number of blocks', { skip }, async () => {
  const tooMuch: string[] = []
  for (const page of consolePages) {
    const path = page.replace('{id}', issuance)
    const { result, blocks, worst } = await blocksOf(() => fetch(chirograph.url + path, { headers: { cookie } }))
    assert.equal(result.status, 200, path)
    await result.text()
    if (blocks > BLOCKS_OF_PAGE_MAX) tooMuch.push(`${path}: ${blocks}: ${worst.slice(0, 200)}`)
  }
  assert.deepEqual(tooMuch, [])
})
