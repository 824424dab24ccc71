// Every screen of the console in every look: axe, layout, markup; and what its pages weigh.
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { openBrowser, visit } from '../../test/support/browser.ts'
import { postgresUrl } from '../../test/support/database.ts'
import { API_CALLS_MAX, apiCallsOf, pageSize, sizesMax } from '../../test/support/page-budgets.ts'
import { type Round, walk } from '../../test/support/page-walk.ts'
import { type Deployment, deploy } from '../../test/support/server.ts'
import { aReceiver, type Receiver } from '../events/test-support/receiver.ts'
import { type SignedIn, signInAs } from './test-support/console-walk.ts'
import { makeContent } from './test-support/full-content.ts'
import { cookieOf } from './test-support/refusals.ts'
import { emptyStops, type Full, fullStops, missingStops, unvisited } from './test-support/stops.ts'
import { makeTables } from './test-support/table-walk.ts'
import { makeTrust } from './test-support/trust-content.ts'

const skip = postgresUrl === null ? false : 'how pages look does not depend on the database'
const KILOBYTE = 1000
/** A list that made a call for each row would make so many more. */
const ROWS_MORE = 6

let chirograph: Deployment
let browser: Browser
let receiver: Receiver
let owner: SignedIn
let full: Full
let rounds: readonly Round[]
before(async () => {
  ;[chirograph, browser, receiver] = await Promise.all([deploy(), openBrowser(), aReceiver()])
  const [acme, globex] = [await chirograph.backend('acme'), await chirograph.backend('globex')]
  owner = await signInAs(browser, chirograph, acme, 'naledi', ['owner'])
  const starter = await signInAs(browser, chirograph, globex, 'starter', ['owner'])
  const clerk = await signInAs(browser, chirograph, globex, 'clerk', ['verifier'])
  const content = await makeContent(chirograph, acme)
  const open = async () => visit(browser, chirograph.url, { storageState: owner })
  full = {
    ...{ ...content, ...(await makeTrust(acme, receiver.url)) },
    ...(await makeTables(open, acme, content.template)),
  }
  const forbidden = ['/console/applications', '/console/webhooks', '/console/audit']
  rounds = [
    { kind: 'full', as: owner, stops: fullStops(full) },
    { kind: 'missing', as: owner, stops: missingStops, isAlike: true },
    { kind: 'empty', as: starter, stops: emptyStops },
    { kind: 'role', as: clerk, stops: forbidden.map((path) => ({ path, status: 403 })) },
  ]
})
after(async () => {
  await browser.close()
  await chirograph.stop()
  await receiver.close()
})

suite('every screen is sound, light and dark, 320 and 1,360 px', { skip, concurrency: true }, () => {
  const checked = new Set<string>()
  for (const language of ['en', 'fr'] as const)
    for (const javaScriptEnabled of [true, false])
      test(`${language}, scripts ${javaScriptEnabled ? 'on' : 'off'}`, async () => {
        const ways = { language, javaScriptEnabled, start: '/console', rounds, checked }
        const pictures = process.env.PICTURES
        assert.deepEqual(await walk({ browser, origin: chirograph.url, ...ways, pictures }), [])
      })
})

test('the walk visits every page of the console', () => {
  assert.deepEqual(unvisited(fullStops(full)), [])
})

/** Lists of the console, and what adds a row to each. */
const lists = {
  '/console/templates': '/creds/templates/credentials',
  '/console/credentials': '/creds/credentials/issuance',
  '/console/people': '/onboarding/users',
  '/console/applications': '/onboarding/clients',
  '/console/trusted': '/creds/trusted-entities',
  '/console/webhooks': '/creds/endpoints',
  '/console/certificates/csrs': '/creds/certificates/csrs',
  '/console/requests': '/creds/templates/presentations',
  '/console/verify': '/creds/presentations/request',
  '/console/verifications': '/creds/presentations/request',
  '/console/batches': '/creds/credentials/issuance/batch',
} as const

function rowOf(path: string, n: number, { template, request }: Full): object {
  const attributes = { family_name: 'Molefe', given_name: `Thandi ${n}`, degree: 'BSc' }
  const claim = { type: 'string', name: 'Family name' }
  const bodies: Readonly<Record<string, object>> = {
    '/creds/templates/credentials': { name: `More ${n}`, code: `more-${n}`, attributes: { family_name: claim } },
    '/creds/credentials/issuance': { credentialTemplateId: template, attributes },
    '/onboarding/users': { username: `more-${n}` },
    '/onboarding/clients': { name: `More ${n}`, scopes: ['audit:read'] },
    '/creds/trusted-entities': { name: `More ${n}`, dids: [{ did: `did:web:more${n}.example` }] },
    '/creds/endpoints': { url: `${receiver.url}?${n}`, filterTypes: ['user.deleted'] },
    '/creds/certificates/csrs': { type: 'verifierSignRequest', keyType: 'P-256', countryName: 'ZA' },
    '/creds/templates/presentations': {
      ...{ name: `More ${n}`, description: '' },
      credentials: [{ type: 'https://more.example/diploma', attributes: { degree: {} } }],
    },
    '/creds/presentations/request': { presentationTemplateId: request },
    '/creds/credentials/issuance/batch': { credentialTemplateId: template, items: [{ attributes }], name: `More ${n}` },
  }
  return bodies[path] ?? {}
}

// On PostgreSQL each of two servers counts for itself.
test('a page makes at most five calls of the API, and none for each row', { skip }, async () => {
  const [cookie, acme] = [cookieOf(owner), await chirograph.backend('acme')]
  const calls = async () => {
    const found: Record<string, string> = {}
    for (const path of Object.keys(lists)) found[path] = (await apiCallsOf(chirograph.url, path, cookie)).join(' ')
    return found
  }
  const few = await calls()
  for (let n = 0; n < ROWS_MORE; n += 1)
    for (const path of new Set(Object.values(lists))) {
      const { status, body } = await acme.post(path, rowOf(path, n, full))
      assert(status >= 200 && status < 300, `${path} ${JSON.stringify(body)}`)
    }
  assert.deepEqual(await calls(), few)
  for (const { path, send } of fullStops(full)) {
    if (send !== undefined) continue
    const made = await apiCallsOf(chirograph.url, path, cookie)
    assert(made.length <= API_CALLS_MAX, `${path} makes ${made.length} calls: ${made.join(', ')}`)
  }
  assert((few['/console/credentials'] ?? '').includes('GET /creds/credentials'))
})

test('a page loads at most 25 kB of scripts and 12 kB of style, a list of 100 has at most 15 kB', async () => {
  const [cookie, acme] = [cookieOf(owner), await chirograph.backend('acme')]
  // The one list that shows so many at once.
  const root = {
    type: 'verifierRoot',
    keyType: 'P-256',
    countryName: 'ZA',
    issuerAlternativeNameUrl: 'https://c.example',
  }
  await Promise.all(Array.from({ length: 100 }, () => acme.post('/creds/certificates', root)))
  const list = await pageSize(chirograph.url, '/console/certificates', cookie)
  assert.equal((await acme.get('/creds/certificates?page[size]=100')).body.data.length, 100)
  let [scripts, style] = [0, 0]
  for (const { path, send } of fullStops(full)) {
    if (send !== undefined) continue
    const size = await pageSize(chirograph.url, path, cookie)
    ;[scripts, style] = [Math.max(scripts, size.scripts), Math.max(style, size.style)]
  }
  console.log(`console, gzip: scripts ${scripts} B, style ${style} B, HTML of a list of 100 rows ${list.html} B`)
  assert(scripts > 0 && scripts <= sizesMax.console)
  assert(style > 0 && style <= sizesMax.style)
  assert(list.html > 3 * KILOBYTE && list.html <= sizesMax.list)
})
