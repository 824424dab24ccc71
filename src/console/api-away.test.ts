// The API is late or away: each page answers within 10 s with what it has, and offers to try again.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { createDatabase, dropDatabase, postgresUrl } from '../../test/support/database.ts'
import { until } from '../../test/support/until.ts'
import { consoleTexts } from './frame/texts.ts'
import { type ConsoleReader, openConsole } from './test-support/console-reader.ts'
import { made } from './test-support/made.ts'
import { shownPaths } from './test-support/refusals.ts'
import { shownWithoutApi } from './test-support/stops.ts'
import { type UnreliableApi, unreliableApi } from './test-support/unreliable-api.ts'

const MS_MAX = 10_000

let api: UnreliableApi
let database: string | null
let opened: ConsoleReader
let batch: string
before(async () => {
  api = unreliableApi()
  database = postgresUrl === null ? null : await createDatabase(postgresUrl)
  const env = database === null ? {} : { DATABASE_URL: database }
  opened = await openConsole(['owner'], { instead: api.replacements, env })
  const { acme } = opened
  const attributes = { family_name: { type: 'string', name: 'Family name' } }
  const { id: credentialTemplateId } = await made(acme, '/creds/templates/credentials', {
    name: 'Diploma',
    code: 'diploma',
    attributes,
  })
  const items = [{ attributes: { family_name: 'Molefe' } }]
  batch = (await made(acme, '/creds/credentials/issuance/batch', { credentialTemplateId, items, name: 'Spring' })).id
  await until(async () => (await acme.get('/creds/credentials')).body.data.length > 0)
  const { id: presentationTemplateId } = await made(acme, '/creds/templates/presentations', {
    name: 'Proof of study',
    description: '',
    credentials: [{ type: 'https://more.example/diploma', attributes: { degree: {} } }],
  })
  await made(acme, '/creds/presentations/request', { presentationTemplateId })
})
after(async () => {
  api.heal()
  await opened.chirograph.stop()
  if (database !== null) await dropDatabase(database)
})

/** Loads a page. @returns its main part, and how long it took */
async function load(path: string, language = 'en') {
  const began = performance.now()
  const headers = { cookie: opened.cookie, 'accept-language': language }
  const answer = await fetch(opened.chirograph.url + path, { headers, redirect: 'manual' })
  const text = await answer.text()
  return { status: answer.status, main: text.slice(text.indexOf('<main')), ms: performance.now() - began }
}

const again = (path: string) => `href="${path}">Try again</a>`
const { missing } = consoleTexts.en

/** Of a page: calls of which it can do without, and what it still shows. */
const incomplete = [
  ['/console', /\/creds\/stats/, ['Valid credentials', 'As it happens']],
  ['/console', /\/creds\/overview/, ['As it happens']],
  ['/console', /\/creds\/events/, ['Valid credentials']],
  ['/console/verify', /\/creds\/presentations\?/, ['Proof of study']],
  ['/console/verifications?from=2020-01-01', /\/templates\/presentations/, ['Proof of study']],
  ['/console/batches/{batch}', /\/templates\/credentials/, ['Issued']],
  ['/console/batches/{batch}', /\/reminder/, ['Issued']],
  ['/console/credentials', /\/templates\/credentials/, ['Diploma']],
  ['/console/figures', /\/creds\/stats\?.*group=time/, ['Diploma']],
] as const

test('a page without one of its calls shows what it has, says that a part is missing, and links to itself', async () => {
  for (const [pattern, calls, shown] of incomplete) {
    const path = pattern.replace('{batch}', batch)
    api.refuse(calls)
    const { status, main } = await load(path)
    api.heal()
    assert.equal(status, 200, `${path} without ${calls}`)
    for (const text of [missing, again(path), ...shown])
      assert(main.includes(text), `${path} without ${calls}: ${text}`)
    assert.match(main, /<code>[\w-]{8,}<\/code>/, 'the id of the log line')
    assert(!(await load(path)).main.includes(missing), `${path} with all its calls`)
  }
})

test('the home without statistics does not ask an organisation that works to set up, and says nothing of what needs nobody', async () => {
  api.refuse(/\/creds\/(stats|overview)/)
  const { main } = await load('/console', 'fr')
  api.heal()
  assert(main.includes('Une partie de cette page manque'))
  for (const text of ['Rien à traiter', 'Configurer', 'class="steps"']) assert(!main.includes(text), text)
})

test('where a call is late a page answers within 10 s: without the call if it can, else with 504 and the way to try again', async () => {
  api.delay(/\/creds\/(stats|presentations\?|templates\/credentials|events|certificates\?)/)
  const paths = ['/console', '/console/verify', '/console/credentials', '/console/certificates', '/console/templates']
  const pages = await Promise.all(paths.map((path) => load(path)))
  const isAlive = await load('/console/people')
  api.heal()
  assert.deepEqual(
    pages.map(({ status }) => status),
    [200, 200, 200, 504, 504],
  )
  for (const [index, { main, ms, status }] of pages.entries()) {
    const path = paths[index] ?? ''
    assert(ms < MS_MAX, `${path}: ${Math.round(ms)} ms`)
    assert(main.includes(again(path)), path)
    assert.equal(main.includes(missing), status === 200, path)
  }
  assert(pages[0]?.main.includes('Valid credentials') && pages[1]?.main.includes('Proof of study'))
  assert(pages[2]?.main.includes('Diploma'))
  assert.equal(isAlive.status, 200)
})

// The lock of another session, such as a migration.
test('a table that the database has locked leaves a page without what is read from it, within 10 s', {
  skip: postgresUrl === null && 'needs a second session of PostgreSQL',
}, async () => {
  const other = new pg.Client({ connectionString: database ?? '' })
  await other.connect()
  await other.query('begin; lock table offer_mail in access exclusive mode')
  const page = await load('/console')
  await other.query('rollback')
  await other.end()
  assert.equal(page.status, 200)
  assert(page.ms < MS_MAX, `${Math.round(page.ms)} ms`)
  for (const text of ['As it happens', missing, again('/console')]) assert(page.main.includes(text), text)
})

/** Of the pages that are shown without the API those that ask it for something. */
const isIncomplete = new Set(['/console', '/console/templates/new'])

test('while the API is away every screen says so, or shows what it has, with the way to try again', async () => {
  api.refuse(/^\/(creds|onboarding)\//)
  for (const path of shownPaths) {
    const { status, main } = await load(path)
    // What the pages keep themselves is not behind the API: there is no such table.
    if (path.includes('/issue/table/') && status === 404) continue
    // Files are streamed, which `unreliableApi` does not stand between: there is no such batch.
    if (/\/batches\/[^/]+\/(links|failed|letters)$/.test(path) && status === 404) continue
    const isShown = shownWithoutApi.has(path) || path.endsWith('/many')
    assert.equal(status, isShown ? 200 : 503, path)
    if (!isShown || isIncomplete.has(path)) assert(main.includes(again(path)), path)
    assert.equal(main.includes(missing), isIncomplete.has(path), path)
  }
  api.heal()
  assert.equal((await load('/console')).status, 200)
})
