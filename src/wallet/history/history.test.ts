import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Static } from 'typebox'
import { makeTemplate, openIssuance } from '../../../test/support/main-job.ts'
import { type Api, type Deployment, deploy } from '../../../test/support/server.ts'
import type { HistoryEntry } from '../../contract/wallet/history.ts'
import { foreignVerifier } from '../test-support/foreign-verifier.ts'

type Line = Static<typeof HistoryEntry>

let ahead = 0
let thandi: Api
let ids: Awaited<ReturnType<typeof live>>
let chirograph: Deployment
let school: Api
let template: { id: string; type: string }
let presentationTemplateId: string
before(async () => {
  chirograph = await deploy({ clock: { now: () => new Date(Date.now() + ahead) } })
  school = await chirograph.backend('acme')
  template = await makeTemplate(school, 'remembered')
  const credentials = [{ type: template.type, attributes: { name: {} } }]
  const created = await school.post('/creds/templates/presentations', { name: 'Who', description: 'Name', credentials })
  presentationTemplateId = created.body.data.id
  thandi = await chirograph.wallet('acme', 'thandi')
  ids = await live(thandi)
})
after(() => chirograph.stop())

async function receive(holder: Api, status: 'accepted' | 'rejected' | null): Promise<string> {
  const { offerUri } = await openIssuance(school, template.id)
  const { body } = await holder.post('/wallet/v2/credentials', { credentialOffer: offerUri })
  const { id } = body.data[0]
  if (status !== null) await holder.patch(`/wallet/v2/credentials/${id}`, { status })
  return id
}

async function prepared(holder: Api, uri?: string): Promise<string> {
  const presentationRequest =
    uri ??
    (await school.post('/creds/presentations/request', { presentationTemplateId })).body.data.authorizationRequestUri
  const { body, status } = await holder.post('/wallet/v2/presentations', { presentationRequest })
  assert.equal(status, 201, JSON.stringify(body))
  return body.data.id
}

async function history(holder: Api, query = ''): Promise<Line[]> {
  const { body, status } = await holder.get(`/wallet/v2/history${query}`)
  assert.equal(status, 200, JSON.stringify(body))
  return body.data
}

/** What the history shows of the name of a badge. */
function shownOf(credentialId: string) {
  return { credentialId, vct: template.type, matchedAttributes: ['name'], alsoDisclosed: [] }
}

/** Everything that can become of something, once. @returns the ids. */
async function live(holder: Api) {
  const kept = await receive(holder, 'accepted')
  const refused = await receive(holder, 'rejected')
  const waiting = await receive(holder, null)
  const shared = await prepared(holder)
  await holder.patch(`/wallet/v2/presentations/${shared}`, { status: 'answered' })
  const unshared = await prepared(holder)
  await holder.patch(`/wallet/v2/presentations/${unshared}`, { status: 'rejected' })
  const query = { credentials: [{ id: 'a', format: 'dc+sd-jwt', meta: { vct_values: [template.type] } }] }
  const liar = await foreignVerifier(query)
  const failed = await prepared(holder, liar.link())
  // the first answer of the verifier says nothing, the second one refuses what it may have taken before
  for (const status of [500, 400]) {
    liar.behave({ answer: { status, body: '' } })
    await holder.patch(`/wallet/v2/presentations/${failed}`, { status: 'answered' })
  }
  await liar.close()
  return { kept, refused, waiting, shared, unshared, failed, undecided: await prepared(holder) }
}

function at(lines: readonly Line[], id: string | undefined): Line {
  return lines.find((line) => line.id === id) ?? assert.fail(`no line ${id}`)
}

test('the story of a wallet, newest first: received, accepted, rejected, shared, refused, failed', async () => {
  const lines = await history(thandi)
  assert.deepEqual(
    lines.map(({ id, kind, status }) => [id, kind, status]),
    [
      [ids.undecided, 'presentation', 'pending'],
      [ids.failed, 'presentation', 'failed'],
      [ids.unshared, 'presentation', 'rejected'],
      [ids.shared, 'presentation', 'answered'],
      [ids.waiting, 'credential', 'pending'],
      [ids.refused, 'credential', 'rejected'],
      [ids.kept, 'credential', 'accepted'],
    ],
  )
})

test('an entry has the issuer or the verifier, the attributes, and whether the verifier received them', async () => {
  const lines = await history(thandi)
  const credentialIssuer = `${chirograph.url}/issuers/acme`
  assert.partialDeepStrictEqual(at(lines, ids.kept).credential, {
    vct: template.type,
    format: 'vc+sd-jwt',
    credentialIssuer,
  })
  const { presentation } = at(lines, ids.shared)
  assert.partialDeepStrictEqual(presentation, {
    verifier: { authenticated: true, responseHost: new URL(chirograph.url).host },
    disclosed: 'yes',
  })
  assert.deepEqual(presentation?.selectedCredentials, [shownOf(ids.kept)])
  assert.deepEqual(
    [ids.unshared, ids.failed, ids.undecided].map((id) => at(lines, id).presentation?.disclosed),
    ['no', 'unknown', 'no'],
  )
  assert.equal(at(lines, ids.failed).presentation?.error?.code, 'presentation.unconfirmed')
  assert(!JSON.stringify(lines).includes('Thandi'))
})

test('filters, orders and pages', async () => {
  const { kept, refused, waiting, shared, unshared, failed, undecided } = ids
  const lines = await history(thandi)
  for (const [query, wanted] of [
    ['filter[kind]=credential', [waiting, refused, kept]],
    ['filter[kind]=presentation&sort=createdAt', [shared, unshared, failed, undecided]],
    ['filter[status]=accepted', [kept]],
    ['filter[status]=rejected', [unshared, refused]],
    ['filter[status]=rejected&filter[kind]=credential', [refused]],
    [`filter[createdBefore]=${at(lines, shared).createdAt}`, [waiting, refused, kept]],
    [`filter[createdAfter]=${at(lines, failed).createdAt}`, [undecided, failed]],
    ['page[size]=2', [undecided, failed]],
    [`page[size]=2&page[after]=${shared}`, [waiting, refused]],
    [`page[size]=2&page[before]=${shared}`, [failed, unshared]],
  ] as const) {
    const found = await history(thandi, `?${query}`)
    assert.deepEqual(
      found.map(({ id }) => id),
      wanted,
      query,
    )
  }
})

test('a removed credential stays in the history, and so does what was shared of it', async () => {
  const holder = await chirograph.wallet('globex', 'pieter')
  const id = await receive(holder, 'accepted')
  const shared = await prepared(holder)
  await holder.patch(`/wallet/v2/presentations/${shared}`, { status: 'answered' })
  const before = await history(holder)
  assert.equal((await holder.delete(`/wallet/v2/credentials/${id}`)).status, 204)
  assert.equal((await holder.delete(`/wallet/v2/credentials/${id}`)).status, 404)
  const after = await history(holder)
  assert.equal(after.length, before.length)
  const removed = at(after, id)
  assert.equal(removed.status, 'removed')
  assert(removed.updatedAt >= at(before, id).updatedAt)
  assert.deepEqual({ ...removed, status: 0, updatedAt: 0 }, { ...at(before, id), status: 0, updatedAt: 0 })
  assert.deepEqual(at(after, shared), at(before, shared))
  assert.deepEqual(at(after, shared).presentation?.selectedCredentials, [shownOf(id)])
  assert.deepEqual(
    (await history(holder, '?filter[status]=removed')).map((line) => line.id),
    [id],
  )
  assert(!JSON.stringify(after).includes('Thandi'))
})

test('an unanswered presentation has expired when its time is over, before any sweep', async () => {
  const holder = await chirograph.wallet('acme', 'pieter')
  await receive(holder, 'accepted')
  const id = await prepared(holder)
  const { body } = await holder.get(`/wallet/v2/presentations/${id}`)
  ahead = 2 * 86_400_000
  const later = await chirograph.wallet('acme', 'pieter')
  const [line] = await history(later, '?filter[status]=expired')
  ahead = 0
  assert.partialDeepStrictEqual(line, { id, status: 'expired', updatedAt: body.meta.expiresAt })
})

test('other people, in and outside of the tenant, have a history of their own', async () => {
  const known = (await history(thandi)).map(({ id }) => id)
  assert(known.length > 0)
  for (const other of [await chirograph.wallet('acme', 'pieter'), await chirograph.wallet('globex', 'thandi')]) {
    assert((await history(other, '?page[size]=100')).every(({ id }) => !known.includes(id)))
    const page = await other.get(`/wallet/v2/history?page[before]=${known[0]}`)
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
    const { status, body } = await thandi.get(`/wallet/v2/history?${parameter}=${value}`)
    assert.equal(status, 400)
    assert.equal(body.errors[0].source.parameter, parameter)
  })
}
