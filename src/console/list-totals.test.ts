// A list says how many rows it has, in words: what fits its filters, and beyond a thousand that there are more.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { signIn } from '../../bench/page-world.ts'
import { type Api, type Deployment, deploy } from '../../test/support/server.ts'
import { until } from '../../test/support/until.ts'

let chirograph: Deployment
let acme: Api
/** Of a person with every role. */
let cookie: string
before(async () => {
  chirograph = await deploy()
  acme = await chirograph.backend('acme')
  ;({ cookie } = await signIn(chirograph.url, acme, 'naledi', ['owner'], '/console'))
})
after(() => chirograph.stop())

/** What a page says of its total; null: nothing. */
async function total(path: string, language = 'en'): Promise<string | null> {
  const headers = { cookie, 'accept-language': language }
  const shown = await (await fetch(`${chirograph.url}/console${path}`, { headers })).text()
  assert(shown.includes('<h1'), path)
  return /<p class="total">(.*?)<\/p>/.exec(shown)?.[1] ?? null
}

async function made(path: string, body: object): Promise<string> {
  const reply = await acme.post(path, body)
  assert(reply.status >= 200 && reply.status < 300, `${path} ${JSON.stringify(reply.body)}`)
  return reply.body.data.id
}

test('a list without rows says nothing, one with a row or more how many, and how many fit its filters', async () => {
  assert.equal(await total('/trusted'), null)
  await made('/creds/trusted-entities', { name: 'Registrar', dids: [{ did: 'did:web:r.example' }] })
  assert.equal(await total('/trusted'), '1 entity')
  for (let n = 0; n < 27; n += 1)
    await made('/creds/trusted-entities', { name: `Faculty ${n}`, dids: [{ did: `did:web:f${n}.example` }] })
  assert.equal(await total('/trusted'), '28 entities')
  assert.equal(await total('/trusted?q=FACULTY'), '27 entities with these filters')
  assert.equal(await total('/trusted?q=registrar'), '1 entity with these filters')
  assert.equal(await total('/trusted?q=nothing'), null)
  assert.equal(await total('/trusted?q=registrar', 'fr'), '1 entité avec ces filtres')
})

test('the second page says the same as the first', async () => {
  const shown = await (await fetch(`${chirograph.url}/console/trusted`, { headers: { cookie } })).text()
  const next =
    /rel="next" href="\/console([^"]*)"/.exec(shown)?.[1]?.replaceAll('&amp;', '&') ?? assert.fail('one page')
  assert.equal(await total(next), '28 entities')
})

test('beyond a thousand credentials the list says that there are more, and how many of them fit', async () => {
  const attributes = { family_name: { type: 'string', name: 'Family name' } }
  const template = await made('/creds/templates/credentials', { name: 'Diploma', code: 'diploma', attributes })
  const path = '/creds/credentials/issuance/batch'
  const items = (reference: string, count: number) =>
    Array.from({ length: count }, () => ({ attributes: { family_name: 'Molefe' }, reference }))
  const batches = [items('spring', 1000), items('autumn', 1)]
  for (const one of batches) {
    const id = await made(path, { credentialTemplateId: template, items: one })
    await until(async () => (await acme.get(`${path}/${id}`)).body.data.status !== 'processing')
    if (one.length === 1000) assert.equal(await total('/credentials'), '1,000 credentials')
  }
  assert.equal(await total('/credentials'), 'More than 1,000 credentials')
  assert.equal(await total('/credentials', 'fr'), 'Plus de 1\u202f000 attestations')
  assert.equal(await total('/credentials?reference=autumn'), '1 credential with these filters')
  assert.equal(await total('/credentials?reference=spring&state=offered'), '1,000 credentials with these filters')
})
