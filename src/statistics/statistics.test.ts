import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { makeTemplate, openIssuance } from '../../test/support/main-job.ts'
import { type Api, type Deployment, deploy } from '../../test/support/server.ts'
import { until } from '../../test/support/until.ts'

let chirograph: Deployment
let school: Api
let thandi: Api
before(async () => {
  chirograph = await deploy()
  school = await chirograph.backend('acme')
  thandi = await chirograph.wallet('acme', 'thandi')
})
after(() => chirograph.stop())

const month = new Date().toISOString().slice(0, 7)

function rowOf(rows: { templateId: string }[], templateId: string) {
  return rows.filter((one) => one.templateId === templateId)
}

test('events are counted by template and month, without personal data', async () => {
  const template = await makeTemplate(school, 'counted')
  const [kept, declined, canceled] = [
    await openIssuance(school, template.id),
    await openIssuance(school, template.id),
    await openIssuance(school, template.id),
  ]
  for (const [{ offerUri }, status] of [
    [kept, 'accepted'],
    [declined, 'rejected'],
  ] as const) {
    const { body } = await thandi.post('/wallet/v2/credentials', { credentialOffer: offerUri })
    await thandi.patch(`/wallet/v2/credentials/${body.data[0].id}`, { status })
  }
  await school.delete(`/creds/credentials/${canceled.id}`)
  const credentials = [{ type: template.type, attributes: { name: {} } }]
  const created = await school.post('/creds/templates/presentations', { name: 'Who', description: 'Name', credentials })
  const presentationTemplateId = created.body.data.id
  for (const status of ['answered', 'rejected'] as const) {
    const request = await school.post('/creds/presentations/request', { presentationTemplateId })
    const presentationRequest = request.body.data.authorizationRequestUri
    const prepared = await thandi.post('/wallet/v2/presentations', { presentationRequest })
    const answered = await thandi.patch(`/wallet/v2/presentations/${prepared.body.data.id}`, { status })
    assert.equal(answered.status, 200, JSON.stringify(answered.body))
  }
  await school.post('/creds/credentials/suspend', { ids: [kept.credentials[0].id] })
  await school.post('/creds/credentials/reinstate', { ids: [kept.credentials[0].id] })
  await school.post('/creds/credentials/revoke', { ids: [kept.credentials[0].id] })

  const about = { month, templateId: template.id, templateName: 'Badge' }
  const issued = {
    offered: 3,
    completed: 2,
    canceled: 1,
    revoked: 1,
    suspended: 1,
    reinstated: 1,
    failed: 0,
    expired: 0,
  }
  const asking = { month, templateId: presentationTemplateId, templateName: 'Who' }
  const verified = { requested: 2, verified: 1, rejected: 1, failed: 0, expired: 0 }
  const { status, body } = await school.get('/creds/stats')
  assert.equal(status, 200, JSON.stringify(body))
  assert.deepEqual(rowOf(body.data.presentations, presentationTemplateId), [{ ...asking, ...verified }])
  const [row] = rowOf(body.data.issuances, template.id) as Record<string, unknown>[]
  assert.partialDeepStrictEqual(row, { ...about, ...issued })
  assert.equal(body.data.until, month)
  assert(Date.now() - Date.parse(body.meta.asOf) < 60_000)
  assert(!JSON.stringify(body).includes('Thandi'))

  // A job sends the wallet's notifications.
  await until(async () => {
    const later = await school.get(`/creds/stats?filter[templateId]=${template.id}`)
    const [now] = later.body.data.issuances
    assert.deepEqual(later.body.data.presentations, [])
    return now.accepted === 1 && now.rejected === 1
  })
})

test('the range of months and the template are filters', async () => {
  const past = await school.get('/creds/stats?filter[from]=2020-01&filter[until]=2020-12')
  assert.deepEqual(past.body.data, { from: '2020-01', until: '2020-12', issuances: [], presentations: [] })
  const year = await school.get('/creds/stats?filter[until]=2025-03')
  assert.equal(year.body.data.from, '2024-04')
})

test('by day the same events are counted, of at most 92 days', async () => {
  const today = new Date().toISOString().slice(0, 10)
  const { body } = await school.get('/creds/stats?granularity=day')
  const [month] = (await school.get('/creds/stats')).body.data.issuances
  const days = rowOf(body.data.issuances, month.templateId) as Record<string, unknown>[]
  assert.deepEqual([body.data.until, days.length], [today, 1])
  assert.deepEqual(days[0], { ...month, day: today })
})

test('rows are for all templates together by time, or for the whole range by template', async () => {
  const read = async (query: string) => (await school.get(`/creds/stats?${query}`)).body.data
  const [both, time, template] = [await read('group=both'), await read('group=time'), await read('group=template')]
  assert.deepEqual(await read(''), both)
  const sum = (rows: { offered: number }[]) => rows.reduce((all, { offered }) => all + offered, 0)
  for (const rows of [time.issuances, template.issuances]) assert.equal(sum(rows), sum(both.issuances))
  assert.ok(sum(both.issuances) > 0)
  const [{ month: at, templateId, templateName }] = time.issuances
  assert.deepEqual([time.issuances.length, at, templateId, templateName], [1, month, undefined, undefined])
  const { month: _, ...whole } = both.issuances[0]
  assert.deepEqual(rowOf(template.issuances, whole.templateId), [whole])
  const [byDay] = (await read('group=time&granularity=day')).issuances
  assert.deepEqual([byDay.day, byDay.offered], [new Date().toISOString().slice(0, 10), sum(both.issuances)])
})

test('the overview tells the state now, and each caller only what the scopes allow', async () => {
  const before = (await school.get('/creds/overview')).body.data
  const ending = await school.post('/creds/templates/credentials', {
    name: 'Short',
    code: 'short',
    attributes: { name: { type: 'string' } },
    validUntil: { future: { days: 7 } },
  })
  const ask = { credentialTemplateId: ending.body.data.id, attributes: { name: 'Thandi' }, reference: 'pass-1' }
  const taken = (await school.post('/creds/credentials/issuance', ask)).body.data
  await school.post('/creds/credentials/issuance', { ...ask, reference: 'pass-2' })
  await thandi.post('/wallet/v2/credentials', { credentialOffer: taken.offerUri })
  const change = (verb: string) => school.post(`/creds/credentials/${verb}`, { ids: [taken.credentials[0].id] })
  const figures = async () => (await school.get('/creds/overview')).body.data
  const one = await figures()
  const { valid, offered, ending: soon, suspended, revoked, verifiedToday } = before
  assert.partialDeepStrictEqual(one, { valid: valid + 1, offered: offered + 1, ending: soon + 1, suspended, revoked })
  assert.equal(one.verifiedToday, verifiedToday)
  await change('suspend')
  assert.partialDeepStrictEqual(await figures(), { valid, suspended: suspended + 1 })
  await change('revoke')
  assert.partialDeepStrictEqual(await figures(), { valid, ending: soon, suspended, revoked: revoked + 1 })
  const needs = {
    deferredIssuances: 0,
    failedBatches: 0,
    endingCertificates: 0,
    disabledEndpoints: 0,
    failedDeliveries: 0,
    failedOfferMails: 0,
    unverifiableStatusLists: 0,
    endingSecrets: 0,
  }
  assert.deepEqual(one.needsAttention, needs)
  const token = { clientId: 'acme-idle', name: 'Directory', expiresInDays: 7 }
  const made = await school.post('/onboarding/scim-tokens', token)
  assert.equal(made.status, 201, JSON.stringify(made.body))
  assert.equal((await figures()).needsAttention.endingSecrets, 1)
  const auditor = (await (await chirograph.idle('acme')).get('/creds/overview')).body
  assert.deepEqual(auditor.data, { needsAttention: {} })
  assert.deepEqual((await (await chirograph.backend('globex')).get('/creds/overview')).body.data.valid, 0)
})

test('people, references and ids are found, of the own tenant and as far as the scopes allow', async () => {
  const find = async (q: string, caller = school) => {
    const { status, body } = await caller.get(`/creds/search?q=${encodeURIComponent(q)}`)
    assert.equal(status, 200, JSON.stringify(body))
    return body.data.map((one: { kind: string; id: string }) => [one.kind, one.id])
  }
  const [newest] = (await school.get('/creds/credentials?search[reference]=pass-')).body.data
  const asked = (await school.get('/creds/presentations')).body.data[0]
  assert.deepEqual(await find('thandi'), [['user', 'thandi']])
  assert.deepEqual(await find('THANDI@example.org'), [['user', 'thandi']])
  assert.deepEqual((await find('pass-')).length, 2)
  assert.deepEqual(await find('pass-2'), [['issuance', newest.id]])
  assert.deepEqual(await find(newest.id.toUpperCase()), [['issuance', newest.id]])
  assert.deepEqual(await find(` ${newest.credentials[0].id} `), [['issuance', newest.id]])
  assert.deepEqual(await find(asked.id), [['presentationRequest', asked.id]])
  const attributes = { name: 'Zoë Müller', level: 3 }
  const named = await makeTemplate(school, 'named', { label: ['/name'] })
  const body = { credentialTemplateId: named.id, attributes }
  const { data } = (await school.post('/creds/credentials/issuance', body)).body
  assert.deepEqual(await find('mueller ZOE'), [['issuance', data.id]])
  assert.deepEqual(await find('mueller', await chirograph.backend('globex')), [])
  assert.deepEqual(await find('mueller', thandi), [])
  for (const nothing of ['%', '   ']) assert.deepEqual(await find(nothing), [])
  assert.deepEqual(await find('pass-', await chirograph.backend('globex')), [])
  assert.deepEqual(await find('pass-', thandi), [])
  for (const q of ['', 'x'.repeat(201), '\0']) {
    assert.equal((await school.get(`/creds/search?q=${encodeURIComponent(q)}`)).status, 400)
  }
})

test('claims of an answered request are erased at once, by its own organisation; that it was verified stays', async () => {
  const { data } = (await school.get('/creds/presentations?filter[status]=verified')).body
  const [{ id, templateName, claimsKeptUntil }] = data
  assert.deepEqual([templateName, Date.parse(claimsKeptUntil) > Date.now()], ['Who', true])
  const other = await chirograph.backend('globex')
  assert.equal((await other.delete(`/creds/presentations/${id}/claims`)).status, 404)
  const erased = await school.delete(`/creds/presentations/${id}/claims`)
  assert.equal(erased.status, 200, JSON.stringify(erased.body))
  assert.partialDeepStrictEqual(erased.body.data, { id, status: 'verified', credentials: [] })
  assert.equal(erased.body.data.claimsKeptUntil, undefined)
  assert.equal((await school.delete(`/creds/presentations/${id}/claims`)).status, 409)
  const entries = await school.get(
    `/creds/audit?filter[subject]=${id}&filter[action]=presentation_request.claims_deleted`,
  )
  assert.equal(entries.body.data.length, 1)
})

test('who got a credential is told by name, and is a filter', async () => {
  const template = await makeTemplate(school, 'delivered')
  const recipient = { identifierType: 'username', value: 'thandi' }
  const ask = { credentialTemplateId: template.id, attributes: { name: 'Thandi' }, recipient }
  const { body } = await school.post('/creds/credentials/issuance', ask)
  const { id } = body.data
  await openIssuance(school, template.id)
  for (const value of ['thandi', 'Thandi', body.data.recipient.userId]) {
    const { data } = (await school.get(`/creds/credentials?filter[recipient]=${value}`)).body
    assert.deepEqual(
      data.map((one: { id: string; recipient: object }) => [one.id, one.recipient]),
      [[id, { userId: body.data.recipient.userId, username: 'thandi' }]],
    )
  }
  assert.deepEqual((await school.get('/creds/credentials?filter[recipient]=nobody')).body.data, [])
})

for (const [what, query, parameter] of [
  ['a month that does not exist', 'filter[from]=2026-13', 'filter[from]'],
  ['a day', 'filter[until]=2026-01-01', 'filter[until]'],
  ['a month after the last one', 'filter[from]=2026-02&filter[until]=2026-01', 'filter[from]'],
  ['a month by day', 'granularity=day&filter[from]=2026-01', 'filter[from]'],
  ['a day that does not exist', 'granularity=day&filter[until]=2026-02-30', 'filter[until]'],
  ['too many days', 'granularity=day&filter[from]=2026-01-01&filter[until]=2026-06-01', 'filter[from]'],
  ['a day after the last one', 'granularity=day&filter[from]=2026-01-02&filter[until]=2026-01-01', 'filter[from]'],
  ['too many months', 'filter[from]=2019-01&filter[until]=2024-01', 'filter[from]'],
  ['a template id that is no UUID', 'filter[templateId]=x', 'filter[templateId]'],
  ['a page', 'page[size]=1', 'page[size]'],
] as const) {
  test(`${what} is refused by name`, async () => {
    const { status, body } = await school.get(`/creds/stats?${query}`)
    assert.equal(status, 400)
    assert.equal(body.errors[0].source.parameter, parameter)
  })
}

test('the scope audit:read may read the statistics, and a user may not', async () => {
  assert.equal((await (await chirograph.idle('acme')).get('/creds/stats')).status, 200)
  const { status, body } = await thandi.get('/creds/stats')
  assert.equal(status, 403)
  assert.equal(body.errors[0].meta.requiredScope, 'audit:read')
})

test('another tenant reads no counts', async () => {
  const { body } = await (await chirograph.backend('globex')).get('/creds/stats')
  assert.deepEqual([body.data.issuances, body.data.presentations], [[], []])
})
