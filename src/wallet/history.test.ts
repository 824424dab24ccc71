import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { makeTemplate, openIssuance } from '../../test/support/main-job.ts'
import { type Api, type Deployment, deploy } from '../../test/support/server.ts'
import { foreignVerifier } from './test-support/foreign-verifier.ts'

let ahead = 0
let chirograph: Deployment
let school: Api
let template: { id: string; type: string }
let presentationTemplateId: string
const open: { close: () => Promise<void> }[] = []
before(async () => {
  chirograph = await deploy({ clock: { now: () => new Date(Date.now() + ahead) } })
  school = await chirograph.backend('acme')
  template = await makeTemplate(school, 'remembered')
  const credentials = [{ type: template.type, attributes: { name: {} } }]
  const asked = await school.post('/creds/templates/presentations', { name: 'Who', description: 'Name', credentials })
  presentationTemplateId = asked.body.data.id
})
after(() => chirograph.stop())
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()))
})

async function receive(holder: Api, status: 'accepted' | 'rejected' | null): Promise<string> {
  const { offerUri } = await openIssuance(school, template.id)
  const { body } = await holder.post('/wallet/v2/credentials', { credentialOffer: offerUri })
  const { id } = body.data[0]
  if (status !== null) await holder.patch(`/wallet/v2/credentials/${id}`, { status })
  return id
}

async function asked(holder: Api, uri?: string): Promise<string> {
  const presentationRequest =
    uri ??
    (await school.post('/creds/presentations/request', { presentationTemplateId })).body.data.authorizationRequestUri
  const { body, status } = await holder.post('/wallet/v2/presentations', { presentationRequest })
  assert.equal(status, 201, JSON.stringify(body))
  return body.data.id
}

async function history(holder: Api, query = ''): Promise<Record<string, never>[]> {
  const { body, status } = await holder.get(`/wallet/v2/history${query}`)
  assert.equal(status, 200, JSON.stringify(body))
  return body.data
}

test('the story of a wallet: received, accepted, rejected, shared, refused, failed, removed', async () => {
  const holder = await chirograph.wallet('acme', 'thandi')
  const kept = await receive(holder, 'accepted')
  const refused = await receive(holder, 'rejected')
  const waiting = await receive(holder, null)
  const shared = await asked(holder)
  await holder.patch(`/wallet/v2/presentations/${shared}`, { status: 'answered' })
  const unshared = await asked(holder)
  await holder.patch(`/wallet/v2/presentations/${unshared}`, { status: 'rejected' })
  const query = { credentials: [{ id: 'a', format: 'dc+sd-jwt', meta: { vct_values: [template.type] } }] }
  const liar = await foreignVerifier(query)
  const failed = await asked(holder, liar.link())
  await liar.close()
  await holder.patch(`/wallet/v2/presentations/${failed}`, { status: 'answered' })
  const undecided = await asked(holder)

  const lines = await history(holder)
  assert.deepEqual(
    lines.map(({ id, kind, status }) => [id, kind, status]),
    [
      [undecided, 'presentation', 'pending'],
      [failed, 'presentation', 'failed'],
      [unshared, 'presentation', 'rejected'],
      [shared, 'presentation', 'answered'],
      [waiting, 'credential', 'pending'],
      [refused, 'credential', 'rejected'],
      [kept, 'credential', 'accepted'],
    ],
  )
  const at = (id: string) => lines.find((line) => line.id === id) ?? assert.fail(id)
  const issuer = `${chirograph.url}/issuers/acme`
  assert.partialDeepStrictEqual(at(kept), {
    credential: { vct: template.type, format: 'vc+sd-jwt', credentialIssuer: issuer },
  })
  const selectedCredentials = [
    { credentialId: kept, vct: template.type, matchedAttributes: ['name'], alsoDisclosed: [] },
  ]
  assert.partialDeepStrictEqual(at(shared), {
    presentation: { verifier: { authenticated: true, responseHost: new URL(chirograph.url).host }, disclosed: 'yes' },
  })
  assert.deepEqual(Object(at(shared)).presentation.selectedCredentials, selectedCredentials)
  assert.equal(Object(at(unshared)).presentation.disclosed, 'no')
  assert.equal(Object(at(failed)).presentation.disclosed, 'unknown')
  assert.equal(Object(at(failed)).presentation.error.code, 'upstream.unreachable')
  assert.equal(Object(at(undecided)).presentation.disclosed, 'no')

  const before = at(kept)
  assert.equal((await holder.delete(`/wallet/v2/credentials/${kept}`)).status, 204)
  assert.equal((await holder.delete(`/wallet/v2/credentials/${kept}`)).status, 404)
  const after = await history(holder)
  assert.equal(after.length, lines.length)
  const removed = Object(after.find((line) => line.id === kept))
  assert.deepEqual({ ...removed, status: 0, updatedAt: 0 }, { ...before, status: 0, updatedAt: 0 })
  assert.equal(removed.status, 'removed')
  assert(removed.updatedAt >= Object(before).updatedAt)
  // What was shared of it is told as before, and nothing that it said is left.
  const still = Object(after.find((line) => line.id === shared))
  assert.deepEqual(still.presentation.selectedCredentials, selectedCredentials)
  assert(!JSON.stringify(after).includes('Thandi'))

  for (const [filter, ids] of [
    ['filter[kind]=credential', [waiting, refused, kept]],
    ['filter[kind]=presentation&sort=createdAt', [shared, unshared, failed, undecided]],
    ['filter[status]=removed', [kept]],
    ['filter[status]=rejected', [unshared, refused]],
    ['filter[status]=rejected&filter[kind]=credential', [refused]],
    [`filter[createdBefore]=${Object(at(shared)).createdAt}`, [waiting, refused, kept]],
    [`filter[createdAfter]=${Object(at(failed)).createdAt}`, [undecided, failed]],
    ['page[size]=2', [undecided, failed]],
    [`page[size]=2&page[after]=${shared}`, [waiting, refused]],
    [`page[size]=2&page[before]=${shared}`, [failed, unshared]],
  ] as const) {
    const found = await history(holder, `?${filter}`)
    assert.deepEqual(
      found.map(({ id }) => id),
      ids,
      filter,
    )
  }
})

test('what nobody answered has expired when its time is over, before any sweep', async () => {
  const holder = await chirograph.wallet('acme', 'pieter')
  await receive(holder, 'accepted')
  const id = await asked(holder)
  const { body } = await holder.get(`/wallet/v2/presentations/${id}`)
  ahead = 2 * 86_400_000
  const later = await chirograph.wallet('acme', 'pieter')
  const [line] = await history(later, '?filter[status]=expired')
  ahead = 0
  assert.partialDeepStrictEqual(line, { id, status: 'expired', updatedAt: body.meta.expiresAt })
})

test('other people, in and outside of the tenant, have a history of their own', async () => {
  const holder = await chirograph.wallet('acme', 'thandi')
  await receive(holder, 'accepted')
  const ids = (await history(holder)).map(({ id }) => id)
  for (const other of [await chirograph.wallet('acme', 'pieter'), await chirograph.wallet('globex', 'thandi')]) {
    assert((await history(other, '?page[size]=100')).every(({ id }) => !ids.includes(id)))
    const page = await other.get(`/wallet/v2/history?page[before]=${ids[0]}`)
    assert.equal(page.status, 200)
  }
})

test('an organisation has no history; it asks for that of a person as that person', async () => {
  const { status, body } = await school.get('/wallet/v2/history')
  assert.equal(status, 403, JSON.stringify(body))
})

for (const [parameter, value] of [
  ['filter[kind]', 'offer'],
  ['filter[status]', 'gone'],
  ['filter[createdAfter]', 'yesterday'],
  ['filter[from]', '2026-01-01'],
  ['sort', 'status'],
  ['surprise', '1'],
] as const) {
  test(`${parameter}=${value} is refused by name`, async () => {
    const holder = await chirograph.wallet('acme', 'thandi')
    const { status, body } = await holder.get(`/wallet/v2/history?${parameter}=${value}`)
    assert.equal(status, 400)
    assert.equal(body.errors[0].source.parameter, parameter)
  })
}
