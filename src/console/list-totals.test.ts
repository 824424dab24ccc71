// A list says how many rows it has, in words: what fits its filters, and beyond a thousand that there are more.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { until } from '../../test/support/until.ts'
import { type ConsoleReader, openConsole } from './test-support/console-reader.ts'
import { made } from './test-support/made.ts'

let opened: ConsoleReader
before(async () => {
  opened = await openConsole(['owner'])
})
after(() => opened.chirograph.stop())

/** What a page says of its total; null: nothing. */
async function total(path: string, language?: string): Promise<string | null> {
  const shown = await opened.read(path, language)
  assert(shown.includes('<h1'), path)
  return /<p class="total">(.*?)<\/p>/.exec(shown)?.[1] ?? null
}

test('a list without rows says nothing, one with a row or more how many, and how many fit its filters', async () => {
  assert.equal(await total('/trusted'), null)
  const { acme } = opened
  await made(acme, '/creds/trusted-entities', { name: 'Registrar', dids: [{ did: 'did:web:r.example' }] })
  assert.equal(await total('/trusted'), '1 entity')
  for (let n = 0; n < 27; n += 1)
    await made(acme, '/creds/trusted-entities', { name: `Faculty ${n}`, dids: [{ did: `did:web:f${n}.example` }] })
  assert.equal(await total('/trusted'), '28 entities')
  assert.equal(await total('/trusted?q=FACULTY'), '27 entities with these filters')
  assert.equal(await total('/trusted?q=registrar'), '1 entity with these filters')
  assert.equal(await total('/trusted?q=nothing'), null)
  assert.equal(await total('/trusted?q=registrar', 'fr'), '1 entité avec ces filtres')
})

test('the second page says the same as the first', async () => {
  const shown = await opened.read('/trusted')
  const next =
    /rel="next" href="\/console([^"]*)"/.exec(shown)?.[1]?.replaceAll('&amp;', '&') ?? assert.fail('one page')
  assert.equal(await total(next), '28 entities')
})

test('beyond a thousand credentials the list says that there are more, and how many of them fit', async () => {
  const attributes = { family_name: { type: 'string', name: 'Family name' } }
  const { acme } = opened
  const { id: template } = await made(acme, '/creds/templates/credentials', {
    name: 'Diploma',
    code: 'diploma',
    attributes,
  })
  const path = '/creds/credentials/issuance/batch'
  const items = (reference: string, count: number) =>
    Array.from({ length: count }, () => ({ attributes: { family_name: 'Molefe' }, reference }))
  const batches = [items('spring', 1000), items('autumn', 1)]
  for (const one of batches) {
    const { id } = await made(acme, path, { credentialTemplateId: template, items: one })
    await until(async () => (await acme.get(`${path}/${id}`)).body.data.status !== 'processing')
    if (one.length === 1000) assert.equal(await total('/credentials'), '1,000 credentials')
  }
  assert.equal(await total('/credentials'), 'More than 1,000 credentials')
  assert.equal(await total('/credentials', 'fr'), 'Plus de 1\u202f000 attestations')
  assert.equal(await total('/credentials?reference=autumn'), '1 credential with these filters')
  assert.equal(await total('/credentials?reference=spring&state=offered'), '1,000 credentials with these filters')
})

test('events are counted too, with every filter', async () => {
  const { acme } = opened
  const counted = async (query: string) =>
    (await acme.get(`/creds/events?page[size]=1&page[total]=true${query}`)).body.meta.page.total
  const thousand = { count: 1000, more: true }
  assert.equal(await total('/events'), 'More than 1,000 events')
  assert.equal(await total('/events', 'fr'), 'Plus de 1\u202f000 événements')
  // Ascending they are listed once their order is settled, which an older transaction of the database server delays.
  await until(async () => (await counted('&sort=createdAt')).count === thousand.count)
  for (const query of ['', '&sort=createdAt', '&filter[type]=openid4vc.issuance.offered'])
    assert.deepEqual(await counted(query), thousand, query)
  const { data } = (await acme.get('/creds/credentials?page[size]=1')).body
  assert.deepEqual(await counted(`&filter[subject]=${data[0].id}`), { count: 1, more: false })
  const users = (await acme.get('/creds/events?filter[type]=user.created&page[size]=100')).body.data.length
  assert(users > 0)
  assert.deepEqual(await counted('&filter[type]=user.created'), { count: users, more: false })
  assert.deepEqual(await counted('&filter[type]=openid4vc.issuance.failed,user.created'), { count: users, more: false })
  assert.deepEqual(await counted('&filter[createdBefore]=2020-01-01T00:00:00Z'), { count: 0, more: false })
  assert.deepEqual(await counted('&filter[createdAfter]=2020-01-01T00:00:00Z'), thousand)
})
