// Guesses at two server processes on one PostgreSQL: limits that guard secrets are those of the deployment, and survive
// a restart.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { postgresUrl } from '../support/database.ts'
import { badge } from '../support/main-job.ts'
import { type Api, api, backendSecret, type Reply } from '../support/server.ts'
import { type ServerChildren, serverChildren } from '../support/server-children.ts'

const skip = postgresUrl === null ? 'the embedded database has one process' : false
const grant = 'urn:ietf:params:oauth:grant-type:pre-authorized_code'

let server: ServerChildren
let database: pg.Client
const schools = new Map<string, { api: Api; templateId: string }>()
before(async () => {
  if (skip !== false) return
  const tenants = ['acme', 'globex'].map((slug) => ({
    slug,
    name: slug,
    clients: [{ clientId: slug, clientSecret: backendSecret, scopes: ['tenant:admin'] }],
  }))
  server = await serverChildren({ tenants }, { TRUST_PROXY: 'true' })
  database = new pg.Client({ connectionString: server.databaseUrl ?? '' })
  await database.connect()
  for (const { slug } of tenants) {
    const form = { grant_type: 'client_credentials', client_id: slug, client_secret: backendSecret }
    const { body } = await api(server.url, null).form('/auth/token', form)
    const school = api(server.url, body.access_token)
    const made = await school.post('/creds/templates/credentials', { ...badge, code: 'card', txCode: {} })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    schools.set(slug, { api: school, templateId: made.body.data.id })
  }
})
after(async () => {
  await database?.end()
  await server?.stop()
})

/** An offer with a transaction code. @returns what redeems it at a process with a code, by default the right one */
async function anOffer(slug: string) {
  const { api: school, templateId } = schools.get(slug) ?? assert.fail()
  const body = { credentialTemplateId: templateId, attributes: { name: 'Thandi' } }
  const opened = await school.post('/creds/credentials/issuance', body)
  assert.equal(opened.status, 200, JSON.stringify(opened.body))
  const { offerUri, txCode } = opened.body.data
  const { grants } = (await school.get(new URL(offerUri).searchParams.get('credential_offer_uri') ?? '')).body
  const form = { grant_type: grant, 'pre-authorized_code': grants[grant]['pre-authorized_code'] }
  const wrong = txCode === '000000' ? '000001' : '000000'
  const redeem = (at: 0 | 1, tx_code: string) =>
    api(server.urls[at], null).form(`/issuers/${slug}/token`, { ...form, tx_code })
  return { right: (at: 0 | 1) => redeem(at, txCode), wrong: (at: 0 | 1) => redeem(at, wrong) }
}
const outcomeOf = ({ status, body }: Reply) => `${status} ${body.error ?? 'redeemed'}`
const counts = async () => (await database.query('select count from shared_count')).rows.map(({ count }) => count)

test('[SEC-4] wrong transaction codes of a tenant are counted by all processes together, and a restart forgets none', {
  skip,
}, async () => {
  const [offer, foreign] = [await anOffer('acme'), await anOffer('globex')]
  assert.equal(outcomeOf(await (await anOffer('acme')).right(0)), '200 redeemed')
  assert.deepEqual(await counts(), [], 'a success counts nothing')
  assert.equal(outcomeOf(await offer.wrong(0)), '400 invalid_grant')
  assert.deepEqual(await counts(), [1])
  // The window is longer than a restart may take here.
  await database.query(`update shared_count set count = 998, expires_at = expires_at + interval '10 minutes'`)
  assert.equal(outcomeOf(await offer.wrong(0)), '400 invalid_grant')
  assert.equal(outcomeOf(await offer.wrong(1)), '400 invalid_grant')
  assert.deepEqual(await counts(), [1000])
  // The process with the thousandth knows it; the other one from its next wrong code on, of which it tells nothing.
  const limited = await offer.right(1)
  assert.equal(limited.status, 429)
  assert(Number(limited.headers.get('retry-after')) > 60)
  assert.equal((await offer.wrong(0)).status, 429)
  const another = await anOffer('acme')
  assert.equal((await another.right(0)).status, 429)
  await server.kill(1)
  await server.start(1)
  assert.equal((await another.wrong(1)).status, 429)
  assert.equal((await another.right(1)).status, 429)
  assert.deepEqual(await counts(), [1000])
  assert.equal(outcomeOf(await foreign.wrong(1)), '400 invalid_grant', 'another tenant is not concerned')
  assert.equal(outcomeOf(await foreign.right(0)), '200 redeemed')
})

test('[SEC-74] refusals of an address at a tenant are those of all processes, and of nine in a row none is written', {
  skip,
}, async () => {
  await database.query('delete from shared_count')
  const refused = (at: 0 | 1, ip: string, slug = 'acme') =>
    api(server.urls[at], null)
      .form(`/issuers/${slug}/token`, { grant_type: grant, 'pre-authorized_code': 'x' }, { 'x-forwarded-for': ip })
      .then(({ status }) => status)
  const often = async (times: number, at: 0 | 1) => {
    const found = new Set<number>()
    for (let n = 0; n < times; n += 1) found.add(await refused(at, '192.0.2.1'))
    return [...found]
  }
  assert.deepEqual(await often(9, 0), [400])
  assert.deepEqual(await counts(), [])
  assert.equal(await refused(0, '192.0.2.1'), 400)
  await database.query(`update shared_count set expires_at = expires_at + interval '10 minutes'`)
  assert.deepEqual(await often(140, 0), [400])
  assert.deepEqual(await often(150, 1), [400])
  assert.deepEqual(await counts(), [300, 300], 'of the address and of its /24')
  assert.equal(await refused(1, '192.0.2.1'), 429)
  assert.deepEqual(await often(9, 0), [400])
  assert.deepEqual(await often(2, 0), [429])
  await server.kill(1)
  await server.start(1)
  assert.deepEqual(await often(9, 1), [400])
  assert.deepEqual(await often(2, 1), [429])
  assert.deepEqual([await refused(0, '192.0.2.2'), await refused(0, '192.0.2.1', 'globex')], [400, 400])
})
