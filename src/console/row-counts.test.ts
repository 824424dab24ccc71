// No page of the console makes a call of the API, or a statement, for each row that it shows.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { API_CALLS_MAX, type Effort, effortOf } from '../../test/support/page-budgets.ts'
import type { Api } from '../../test/support/server.ts'
import { until } from '../../test/support/until.ts'
import { aReceiver, type Receiver } from '../events/test-support/receiver.ts'
import { type ConsoleReader, openConsole } from './test-support/console-reader.ts'
import { made as madeBy } from './test-support/made.ts'

const ROWS = 50
/** An organisation has no more webhook endpoints. */
const ENDPOINTS = 10
/** Nor more providers. */
const PROVIDERS = 50

let opened: ConsoleReader
let receiver: Receiver
let acme: Api
before(async () => {
  // Several servers count each for itself.
  ;[opened, receiver] = await Promise.all([openConsole(['owner'], { serversMax: 1 }), aReceiver()])
  acme = opened.acme
})
after(async () => {
  await opened.chirograph.stop()
  await receiver.close()
})

const made = (path: string, body: object) => madeBy(acme, path, body)

const attributes = { family_name: { type: 'string', name: 'Family name' } }
const claims = { family_name: 'Molefe' }

/** Makes one of each thing that a list shows. */
async function makeRow(n: number): Promise<void> {
  const { id: template } = await made('/creds/templates/credentials', {
    name: `More ${n}`,
    code: `more-${n}`,
    attributes,
  })
  await made('/creds/credentials/issuance', {
    credentialTemplateId: template,
    attributes: claims,
    reference: `more-${n}`,
    recipient: { identifierType: 'username', value: 'thandi' },
    grants: ['authorization_code'],
  })
  const { id: request } = await made('/creds/templates/presentations', {
    name: `More ${n}`,
    description: '',
    credentials: [{ type: 'https://more.example/diploma', attributes: { degree: {} } }],
  })
  await made('/creds/presentations/request', { presentationTemplateId: request, reference: `more-${n}` })
  await made('/creds/verification-pages', { name: `More ${n}`, presentationTemplateId: request })
  await made('/creds/trusted-entities', { name: `More ${n}`, dids: [{ did: `did:web:more${n}.example` }] })
  const { clientId } = await made('/onboarding/clients', { name: `More ${n}`, scopes: ['audit:read'] })
  await made('/onboarding/scim-tokens', { clientId, name: `More ${n}` })
  await made('/onboarding/groups', { displayName: `More ${n}`, roles: ['issuer'] })
  if (n < PROVIDERS)
    await made('/onboarding/identity-providers', {
      name: `more-${n}`,
      issuer: 'https://login.example',
      clientId: 'chirograph',
    })
  const about = { keyType: 'P-256', countryName: 'ZA' }
  await made('/creds/certificates/csrs', { type: 'verifierSignRequest', ...about })
  await made('/creds/certificates', { type: 'verifierRoot', ...about, issuerAlternativeNameUrl: 'https://c.example' })
  if (n < ENDPOINTS) await made('/creds/endpoints', { url: `${receiver.url}?${n}`, filterTypes: ['user.deleted'] })
}

/**
 * Makes a batch with rows bad and good, and a person for each row; waits until these are made and their creation is
 * delivered.
 */
async function makeBatch(rows: number, name: string, heard: string): Promise<string> {
  const { id: credentialTemplateId } = await made('/creds/templates/credentials', { name, code: name, attributes })
  const items = Array.from({ length: rows }, (_, n) => ({ attributes: n % 2 === 1 ? claims : { family_name: 7 } }))
  const { id } = await made('/creds/credentials/issuance/batch', { credentialTemplateId, items, name })
  const people = Array.from({ length: rows }, (_, n) => ({ username: `${name}-${n}`, firstName: 'More' }))
  await Promise.all(people.map((one) => made('/onboarding/users', one)))
  await until(async () => (await acme.get(`/creds/credentials/issuance/batch/${id}`)).body.data.status !== 'processing')
  const waiting = `/creds/endpoints/${heard}/deliveries?filter[status]=pending`
  const delivered = `/creds/endpoints/${heard}/deliveries?page[size]=100`
  await until(async () => (await acme.get(delivered)).body.data.length >= rows)
  await until(async () => (await acme.get(waiting)).body.data.length === 0)
  return id
}

type Ids = Readonly<Record<'template' | 'heard' | 'batch', string>>

/** Pages that show rows, by what they are called. */
function pagesOf({ template, heard, batch }: Ids): readonly (readonly [name: string, path: string])[] {
  const lists = [
    '',
    '/latest',
    '/figures',
    '/figures?by=day',
    '/search?q=more',
    '/events',
    '/audit',
    '/credentials',
    '/credentials?reference=more',
    '/issue',
    '/issue/table',
    '/batches',
    '/templates',
    '/verify',
    '/verifications',
    '/requests',
    '/requests/new',
    '/verification-pages',
    '/verification-pages/new',
    '/people',
    '/people?q=more',
    '/applications',
    '/trusted',
    '/webhooks',
    '/groups',
    '/sign-in-providers',
    '/directory-sync',
    '/certificates',
    '/certificates/csrs',
  ]
  return [
    ...lists.map((one) => [one, `/console${one}`] as const),
    ['a template', `/console/templates/${template}`],
    ['an endpoint', `/console/webhooks/${heard}`],
    ['a batch', `/console/batches/${batch}`],
  ]
}

test('a list without rows leads on: to the list without filters where none fits them', async () => {
  const filtered = [
    '/credentials?reference=nobody',
    '/templates?q=nothing',
    '/batches?status=processing',
    '/trusted?q=nothing',
    '/verifications?status=failed',
    '/verification-pages?q=nothing',
    '/people?q=nobody-at-all',
    '/events?subject=nothing',
    '/audit?actor=nobody',
  ]
  const ways = [
    ...filtered.map((path) => [path, path.split('?', 1)[0]] as const),
    ['/verifications', '/verify'] as const,
  ]
  for (const [path, way] of ways) {
    const shown = await opened.read(path)
    const empty = /<div class="empty">([\s\S]*?)<\/div>/.exec(shown)?.[1] ?? ''
    assert(empty.includes(`href="/console${way}"`), `${path}: ${empty}`)
  }
})

test('a failed row of a batch names the attribute as people read it', async () => {
  const { id: credentialTemplateId } = await made('/creds/templates/credentials', { name: 'X', code: 'x', attributes })
  const items = [{ attributes: { family_name: 7 } }]
  const { id } = await made('/creds/credentials/issuance/batch', { credentialTemplateId, items })
  const read = async (path: string) => {
    return (await opened.read(`/batches/${id}${path}`)).replaceAll(/<[^>]*>/g, '')
  }
  await until(async () => (await acme.get(`/creds/credentials/issuance/batch/${id}`)).body.data.status !== 'processing')
  for (const path of ['', '/state']) assert.match(await read(path), /Family name: /, path)
})

test('a page with fifty rows makes the calls and the statements of a page with one', async () => {
  const { id: heard } = await made('/creds/endpoints', { url: receiver.url, filterTypes: ['user.created'] })
  const { id: template } = await made('/creds/templates/credentials', { name: 'Used', code: 'used', attributes })
  await makeRow(1)
  const few = new Map<string, Effort>()
  for (const [name, path] of pagesOf({ template, heard, batch: await makeBatch(1, 'few', heard) }))
    few.set(name, await leastEffort(path, 0))
  await Promise.all(Array.from({ length: ROWS - 1 }, (_, n) => makeRow(n + 2)))
  for (const [name, path] of pagesOf({ template, heard, batch: await makeBatch(ROWS, 'many', heard) })) {
    const { calls, statements } = few.get(name) ?? { calls: [], statements: 0 }
    const many = await leastEffort(path, statements)
    assert.deepEqual(many.calls, calls, name)
    assert(statements > 0 && many.statements <= statements, `${name}: ${many.statements} statements, not ${statements}`)
    assert(calls.some((one) => /^GET \/(creds|onboarding)\//.test(one)) && calls.length <= API_CALLS_MAX, name)
  }
})

/** Opens a page until it makes at most so many statements: work in the background adds to some counts. */
async function leastEffort(path: string, statements: number): Promise<Effort> {
  const { chirograph, cookie } = opened
  let least = await effortOf(chirograph.url, path, cookie)
  for (let more = statements === 0 ? 2 : 20; more > 0 && least.statements > statements; more -= 1) {
    const other = await effortOf(chirograph.url, path, cookie)
    if (other.statements < least.statements) least = other
  }
  return least
}
