// Links of holders: what they give to whoever has them, who may make, see and end them, and what ends them.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Api, type Deployment, deploy } from '../../../test/support/server.ts'
import { verifiedBySdJwtLibrary } from '../test-support/verify-link-file.ts'

const LINKS = '/wallet/v2/shared-links'
const UNKNOWN = '01937b5a-7c2e-7d10-9f3a-4b6c8d0e1f22'
const attributes = {
  family_name: 'Molefe',
  degree: 'BSc Computer Science',
  grade: 78,
  address: { street: 'Long Street 1', town: 'Cape Town' },
}
let chirograph: Deployment
let school: Api
let thandi: Api
let pieter: Api
let template = ''
let codes = 0
before(async () => {
  chirograph = await deploy()
  school = await chirograph.backend('acme')
  thandi = await chirograph.wallet('acme', 'thandi')
  pieter = await chirograph.wallet('acme', 'pieter')
  template = await aTemplate(school)
})
after(() => chirograph.stop())

async function aTemplate(of: Api, more: object = {}): Promise<string> {
  codes += 1
  const made = await of.post('/creds/templates/credentials', {
    name: 'Diploma',
    code: `diploma${codes}`,
    attributes: {
      family_name: { type: 'string', alwaysDisclosed: true },
      degree: { type: 'string' },
      grade: { type: 'number' },
      address: { type: 'object', properties: { street: { type: 'string' }, town: { type: 'string' } } },
    },
    ...more,
  })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  return made.body.data.id
}

/** Issues a card and accepts it. @returns ids in the wallet and at the issuer */
async function held(wallet: Api, of = school, credentialTemplateId = template) {
  const issued = await of.post('/creds/credentials/issuance', { credentialTemplateId, attributes })
  assert.equal(issued.status, 200, JSON.stringify(issued.body))
  const { offerUri, credentials } = issued.body.data
  const taken = await wallet.post('/wallet/v2/credentials', { credentialOffer: offerUri })
  assert.equal(taken.status, 201, JSON.stringify(taken.body))
  const { id } = taken.body.data[0]
  await wallet.patch(`/wallet/v2/credentials/${id}`, { status: 'accepted' })
  return { id: id as string, issuedId: credentials[0].id as string }
}

const said = { recipient: 'Globex, human resources', purpose: 'My application' }

async function linked(wallet: Api, credentialId: string, more: object = {}) {
  const made = await wallet.post(LINKS, { credentialId, claims: [['degree']], ...said, ...more })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  return made.body.data
}

const sharedAt = (address: string) => chirograph.nobody.get(`${new URL(address).pathname}/presentation.json`)

test('a link gives the chosen claims alone, bound to it, and another library verifies the presentation', async () => {
  const { id } = await held(thandi)
  const link = await linked(thandi, id)
  assert.equal(link.status, 'active')
  assert.deepEqual(link.claims.toSorted(), ['degree', 'family_name'])
  const { status, body, headers } = await sharedAt(link.address)
  assert.equal(status, 200)
  for (const [name, value] of [
    ['cache-control', 'no-store'],
    ['referrer-policy', 'no-referrer'],
    ['x-robots-tag', 'noindex, nofollow'],
  ] as const)
    assert.equal(headers.get(name), value)
  assert.partialDeepStrictEqual(body, { ...said, id: link.id, format: 'dc+sd-jwt', organisation: 'acme' })
  assert.equal(body.audience, `${chirograph.url}/shared-links/${link.id}`)
  assert.ok(!body.audience.includes(new URL(link.address).pathname.split('/').at(-1)))
  const { payload, kb } = await verifiedBySdJwtLibrary(chirograph.nobody, body)
  assert.equal(payload.degree, attributes.degree)
  assert.equal(payload.family_name, attributes.family_name)
  assert.ok(!('grade' in payload) && !('address' in payload))
  assert.deepEqual([kb?.payload.aud, kb?.payload.nonce], [body.audience, body.nonce])
})

test('what is always disclosed and what can be chosen is told before, and a path that selects nothing is refused', async () => {
  const { id } = await held(thandi)
  const { body } = await thandi.get(`/wallet/v2/credentials/${id}/shareable-claims`)
  assert.deepEqual(body.data.always, [{ path: ['family_name'], value: 'Molefe' }])
  const names = body.data.selectable.map(({ path }: { path: string[] }) => path.join('.'))
  assert.ok(names.includes('degree') && names.includes('grade'))
  const none = await thandi.post(LINKS, { credentialId: id, claims: [['shoe_size']], ...said })
  assert.equal(none.status, 400)
  assert.equal(none.body.errors[0].source.pointer, '/claims')
  assert.deepEqual((await linked(thandi, id, { claims: [] })).claims, ['family_name'])
})

test('a link is its holder’s: others, in the organisation and outside, neither see nor end it, nor share the card', async () => {
  const { id } = await held(thandi)
  const link = await linked(thandi, id)
  const stranger = await chirograph.wallet('globex', 'thandi')
  for (const other of [pieter, stranger]) {
    assert.equal((await other.get(`${LINKS}/${link.id}`)).status, 404)
    assert.equal((await other.delete(`${LINKS}/${link.id}`)).status, 404)
    assert.deepEqual((await other.get(LINKS)).body.data, [])
    assert.equal((await other.post(LINKS, { credentialId: id, claims: [], ...said })).status, 404)
    assert.equal((await other.get(`/wallet/v2/credentials/${id}/shareable-claims`)).status, 404)
  }
  assert.equal((await sharedAt(link.address)).status, 200)
})

test('the address is told once, and only it opens the presentation', async () => {
  const { id } = await held(thandi)
  const link = await linked(thandi, id)
  const secret = new URL(link.address).pathname.split('/').at(-1) ?? ''
  const { body } = await thandi.get(`${LINKS}?filter[credentialId]=${id}`)
  assert.equal(body.data.length, 1)
  assert.ok(!JSON.stringify(body).includes(secret))
  assert.ok(!JSON.stringify((await thandi.get('/wallet/v2/data')).body).includes(secret))
  const bytes = Buffer.from(secret, 'base64url')
  bytes[60] = (bytes[60] ?? 0) ^ 1
  for (const wrong of [bytes.toString('base64url'), secret.slice(1), 'x', link.id])
    assert.equal((await chirograph.nobody.get(`/shared/${wrong}/presentation.json`)).status, 404)
})

test('ended by its holder, by the removal or the refusal of its card, or unknown: the answer is the same', async () => {
  const answers: unknown[] = []
  const ends: ((cardId: string, linkId: string) => Promise<{ status: number }>)[] = [
    (_card, link) => thandi.delete(`${LINKS}/${link}`),
    (card) => thandi.delete(`/wallet/v2/credentials/${card}`),
    (card) => thandi.patch(`/wallet/v2/credentials/${card}`, { status: 'rejected' }),
  ]
  for (const end of ends) {
    const { id } = await held(thandi)
    const link = await linked(thandi, id)
    assert.ok((await end(id, link.id)).status < 300)
    const { status, body } = await sharedAt(link.address)
    answers.push({ status, error: body.error, description: body.error_description })
    assert.equal((await thandi.get(`${LINKS}/${link.id}`)).body.data.status, 'ended')
  }
  const unknown = Buffer.alloc(64, 7).toString('base64url')
  const { status, body } = await chirograph.nobody.get(`/shared/${unknown}/presentation.json`)
  answers.push({ status, error: body.error, description: body.error_description })
  assert.equal(status, 404)
  assert.equal(new Set(answers.map((one) => JSON.stringify(one))).size, 1)
})

test('views at once are each counted, those of programs that look ahead are not, and the history tells them', async () => {
  const { id } = await held(thandi)
  const link = await linked(thandi, id)
  await Promise.all(Array.from({ length: 12 }, () => sharedAt(link.address)))
  const path = `${new URL(link.address).pathname}/presentation.json`
  for (const headers of [{ purpose: 'prefetch' }, { 'sec-purpose': 'prefetch;prerender' }])
    assert.equal((await chirograph.nobody.get(path, headers)).status, 200)
  assert.equal((await chirograph.nobody.send('HEAD', path)).status, 200)
  const { data } = (await thandi.get(`${LINKS}/${link.id}`)).body
  assert.equal(data.views, 12)
  const byHour = data.viewsByHour.reduce((sum: number, { views }: { views: number }) => sum + views, 0)
  assert.equal(byHour, 12)
  assert.ok(data.viewsByHour.length <= 2)
  assert.equal((await thandi.delete(`/wallet/v2/credentials/${id}`)).status, 204)
  const { body } = await thandi.get(`/wallet/v2/history?filter[credentialId]=${id}&filter[kind]=sharedLink`)
  assert.equal(body.data.length, 1)
  const [entry] = body.data
  assert.equal(entry.status, 'ended')
  const { viewedAt, viewsByHour, vct, ...told } = entry.sharedLink
  assert.deepEqual(told, { credentialId: id, ...said, claims: link.claims, views: 12 })
  assert.ok(viewedAt !== undefined && viewsByHour.length > 0 && vct.includes('/vct/'))
})

test('a link uses a copy of its own of a card that came in a batch', async () => {
  const copies = await aTemplate(school, { batchSize: 3 })
  const { id } = await held(thandi, school, copies)
  const [one, other] = [await linked(thandi, id), await linked(thandi, id)]
  const [first, second] = await Promise.all([one, other].map(async ({ address }) => (await sharedAt(address)).body))
  assert.notEqual(first.presentation.split('~')[0], second.presentation.split('~')[0])
})

test('a person has at most 100 links that work', async () => {
  const { id } = await held(pieter)
  const first = await linked(pieter, id)
  for (let count = 1; count < 100; count += 1) await linked(pieter, id)
  const refused = await pieter.post(LINKS, { credentialId: id, claims: [], ...said })
  assert.equal(refused.status, 409)
  assert.equal((await pieter.delete(`${LINKS}/${first.id}`)).status, 204)
  await linked(pieter, id)
})

test('a person who is disabled or has deleted everything has no link that opens', async () => {
  const { id } = await held(thandi)
  const link = await linked(thandi, id)
  await setEnabled('thandi', false)
  assert.equal((await sharedAt(link.address)).status, 404)
  await setEnabled('thandi', true)
  assert.equal((await sharedAt(link.address)).status, 200)
  assert.ok(
    (await thandi.get('/wallet/v2/data')).body.data.sharedLinks.some((one: { id: string }) => one.id === link.id),
  )
  assert.equal((await thandi.delete('/wallet/v2/data')).status, 204)
  assert.equal((await sharedAt(link.address)).status, 404)
  assert.deepEqual((await thandi.get(LINKS)).body.data, [])
})

async function setEnabled(username: string, enabled: boolean): Promise<void> {
  const { status, body } = await school.patch(`/onboarding/users/${username}`, { enabled })
  assert.equal(status, 200, JSON.stringify(body))
}

test('bounds of what is sent, an unknown card, and a caller without a wallet', async () => {
  const { id } = await held(thandi)
  const body = { credentialId: id, claims: [], ...said }
  for (const bad of [
    { expiresInSeconds: 59 },
    { expiresInSeconds: 365 * 86_400 + 1 },
    { recipient: '' },
    { recipient: ' ' },
    { recipient: 'x'.repeat(201) },
    { purpose: 'x'.repeat(501) },
    { purpose: 'a\u0000b' },
    { claims: [[]] },
    { claims: Array.from({ length: 201 }, (_, index) => [String(index)]) },
  ])
    assert.equal((await thandi.post(LINKS, { ...body, ...bad })).status, 400, JSON.stringify(bad).slice(0, 60))
  assert.equal((await thandi.post(LINKS, { ...body, credentialId: UNKNOWN })).status, 404)
  assert.equal((await school.post(LINKS, body)).status, 403)
})
