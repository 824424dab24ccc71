// Verification pages: the API of their owners, and what visitors and hostile sites can do. On PostgreSQL two servers
// answer in turn.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { makeTemplate, openIssuance } from '../../../test/support/main-job.ts'
import { type Api, type Deployment, deploy, type Reply } from '../../../test/support/server.ts'
import { Memory } from '../../memory/memory.ts'
import { needsWayBack, pageDefaults } from './verification-page.ts'
import { takeWaitingPlace, waitLimits } from './visit-limits.ts'

const SHOP = 'https://shop.example'
let chirograph: Deployment
let acme: Api
let globex: Api
let thandi: Api
let template: string
before(async () => {
  chirograph = await deploy({}, { TRUST_PROXY: 'true' })
  ;[acme, globex] = [await chirograph.backend('acme'), await chirograph.backend('globex')]
  thandi = await chirograph.wallet('acme', 'thandi')
  const { id, type } = await makeTemplate(acme, 'badge')
  const { offerUri } = await openIssuance(acme, id)
  const received = await thandi.post('/wallet/v2/credentials', { credentialOffer: offerUri })
  await thandi.patch(`/wallet/v2/credentials/${received.body.data[0].id}`, { status: 'accepted' })
  const credentials = [{ type, name: 'Badge', attributes: { level: {} } }]
  const made = await acme.post('/creds/templates/presentations', { name: 'Level', description: '', credentials })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  template = made.body.data.id
})
after(() => chirograph.stop())

let pages = 0
async function aPage(more: object = {}) {
  pages += 1
  const body = { name: `Page ${pages}`, presentationTemplateId: template, origins: [SHOP], ...more }
  const made = await acme.post('/creds/verification-pages', body)
  assert.equal(made.status, 201, JSON.stringify(made.body))
  return made.body.data
}

const begin = (page: { id: string }, body: object = {}, headers: Record<string, string> = {}) =>
  chirograph.nobody.post(`/verify/${page.id}/requests`, body, headers)

const read = (page: { id: string }, { id, secret }: { id: string; secret: string }, headers = {}): Promise<Reply> =>
  chirograph.nobody.get(`/verify/${page.id}/requests/${id}`, { authorization: `Bearer ${secret}`, ...headers })

test('a credential without a name is told by that of the own template, or by what its type says, never by the whole type', async () => {
  const { type } = await makeTemplate(acme, 'unnamed')
  const own = await acme.post('/creds/templates/credentials', {
    name: 'Field pass',
    code: 'pass',
    format: 'mdoc',
    docType: 'org.example.pass.1',
    attributes: { 'org.example.pass.1': { level: { type: 'string' } } },
  })
  assert.equal(own.status, 201, JSON.stringify(own.body))
  const foreign = 'https://other.example/issuers/x/vct/employee_badge/v2'
  const credentials = [
    ...[type, foreign, `${type}x`].map((one) => ({ type: one, attributes: { level: {} } })),
    { type: foreign, name: '  ', attributes: { level: {} } },
    { type: 'org.example.pass.1', format: 'mdoc', attributes: { 'org.example.pass.1': { properties: { level: {} } } } },
  ]
  const made = await acme.post('/creds/templates/presentations', { name: 'Unnamed', description: '', credentials })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const page = await aPage({ presentationTemplateId: made.body.data.id })
  const about = await chirograph.nobody.get(`/verify/${page.id}/about`)
  assert.deepEqual(
    about.body.asks.map(({ name }: { name: string }) => name),
    ['Badge', 'Employee badge', 'Unnamedx', 'Employee badge', 'Field pass'],
  )
})

test('attributes are told by the names of the own template, in the language that is asked for, else by their paths', async () => {
  const { type } = await makeTemplate(acme, 'named', {
    name: 'Diploma',
    display: { name: 'Diploma', locale: 'en-GB', translations: [{ name: 'Urkunde', locale: 'de-AT' }] },
    attributes: {
      family_name: { type: 'string', name: 'Family name', names: { de: 'Nachname', fr: 'Nom' } },
      address: { type: 'object', name: 'Home', properties: { postal_code: { type: 'string' } } },
      marks: {
        type: 'array',
        items: { type: 'object', properties: { grade: { type: 'number', name: 'Grade', names: { de: 'Note' } } } },
      },
    },
  })
  const licence = await acme.post('/creds/templates/credentials', {
    name: 'Licence',
    code: 'licence',
    format: 'mdoc',
    docType: 'org.example.licence.1',
    attributes: { 'org.example.licence': { until: { type: 'string', names: { de: 'Gültig bis' } } } },
  })
  assert.equal(licence.status, 201, JSON.stringify(licence.body))
  const elements = { until: {}, permit_number: {} }
  const grade = { properties: { grade: {} } }
  const attributes = {
    family_name: {},
    address: { properties: { postal_code: {} } },
    marks: { items: [grade, grade] },
    student_number: {},
  }
  const credentials = [
    { type, attributes },
    { type: 'https://other.example/vct/badge', attributes: { family_name: {} } },
    {
      type: 'org.example.licence.1',
      format: 'mdoc',
      attributes: { 'org.example.licence': { properties: elements } },
    },
  ]
  const made = await acme.post('/creds/templates/presentations', { name: 'Named', description: '', credentials })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const page = await aPage({ presentationTemplateId: made.body.data.id })
  const askedIn = async (language: string) =>
    (await chirograph.nobody.get(`/verify/${page.id}/about`, { 'accept-language': language })).body.asks
  assert.deepEqual(await askedIn('de-CH,en;q=0.5'), [
    { name: 'Urkunde', attributes: ['Nachname', 'Home · Postal code', 'Note', 'Student number'] },
    { name: 'Badge', attributes: ['Family name'] },
    { name: 'Licence', attributes: ['Gültig bis', 'Permit number'] },
  ])
  const [inFrench, , licenceInFrench] = await askedIn('fr')
  assert.deepEqual(inFrench, {
    name: 'Diploma',
    attributes: ['Nom', 'Home · Postal code', 'Grade', 'Student number'],
  })
  assert.deepEqual(licenceInFrench.attributes, ['Gültig bis', 'Permit number'])
  const request = await acme.post('/creds/presentations/request', { presentationTemplateId: made.body.data.id })
  for (const path of [new URL(request.body.data.requestPageUri).pathname, `/verify/${page.id}`]) {
    const inGerman = await (await fetch(`${chirograph.url}${path}?lang=de`)).text()
    assert.match(inGerman, /<bdi>Urkunde<\/bdi><p><bdi>Nachname<\/bdi>, <bdi>Home · Postal code<\/bdi>/)
  }
})

/** Opens a request in the wallet, and shares or declines. */
async function answer(uri: string, status: 'answered' | 'rejected' = 'answered') {
  const prepared = await thandi.post('/wallet/v2/presentations', { presentationRequest: uri })
  assert.equal(prepared.status, 201, JSON.stringify(prepared.body))
  const sent = await thandi.patch(`/wallet/v2/presentations/${prepared.body.data.id}`, { status })
  assert.equal(sent.status, 200, JSON.stringify(sent.body))
  return sent.body
}

test('a page is made, listed, changed under its entity tag, closed and deleted; each change is in the audit trail', async () => {
  const page = await aPage({ heading: 'Show it', explanation: 'For the discount.' })
  assert.partialDeepStrictEqual(page, {
    origins: [SHOP],
    visitorSees: 'verdict',
    redirectUri: null,
    requestsPerMinute: 60,
    requestsPerAddress: 10,
    expiresInSeconds: 600,
    isOpen: true,
    templateName: 'Level',
    pageUri: `${chirograph.url}/verify/${page.id}`,
  })
  const path = `/creds/verification-pages/${page.id}`
  const etag = (await acme.get(path)).headers.get('etag') ?? ''
  const change = (body: object, ifMatch: string) =>
    acme.send('PATCH', path, JSON.stringify(body), { 'content-type': 'application/json', 'if-match': ifMatch })
  const closed = await change({ isOpen: false, heading: null }, etag)
  assert.partialDeepStrictEqual(closed.body.data, { isOpen: false, heading: null, explanation: 'For the discount.' })
  assert.equal((await change({ isOpen: true }, etag)).status, 412)
  assert.equal((await change({ isOpen: true }, closed.headers.get('etag') ?? '')).status, 200)
  const list = await acme.get('/creds/verification-pages?page[size]=1&sort=-createdAt')
  assert.deepEqual([list.body.data[0].id, list.body.data.length], [page.id, 1])
  assert.equal((await acme.get('/creds/verification-pages?search[name]=nothing')).body.data.length, 0)
  assert.equal((await acme.delete(path)).status, 204)
  assert.equal((await acme.delete(path)).status, 404)
  const { data } = (await acme.get(`/creds/audit?filter[subject]=${page.id}`)).body
  const actions = data.map((one: { action: string }) => one.action.split('.')[1])
  assert.deepEqual(actions, ['deleted', 'changed', 'changed', 'created'])
})

test('changes without an entity tag that come at once are all kept', async () => {
  const { id } = await aPage()
  const changes = [{ heading: 'One' }, { explanation: 'Two' }, { requestsPerMinute: 7 }]
  const replies = await Promise.all(changes.map((one) => acme.patch(`/creds/verification-pages/${id}`, one)))
  assert.deepEqual(
    replies.map(({ status }) => status),
    [200, 200, 200],
  )
  const { data } = (await acme.get(`/creds/verification-pages/${id}`)).body
  assert.partialDeepStrictEqual(data, Object.assign({}, ...changes))
})

for (const [what, body, status, pointer, rule] of [
  ['an origin with a path', { origins: ['https://shop.example/'] }, 400, '/origins/0', 'page.origin'],
  [
    'an origin that browsers spell differently',
    { origins: ['https://Shop.example'] },
    400,
    '/origins/0',
    'page.origin',
  ],
  [
    'an origin that would add to the policy of the page',
    { origins: ['https://a.example; script-src *'] },
    400,
    '/origins/0',
    'page.origin',
  ],
  ['a wildcard', { origins: ['https://*.example'] }, 400, '/origins/0', 'page.origin'],
  ['an origin without TLS', { origins: ['http://shop.example'] }, 400, '/origins/0', 'page.origin'],
  [
    '21 origins',
    { origins: Array.from({ length: 21 }, (_, i) => `https://${i}.example`) },
    400,
    '/origins',
    'maxItems',
  ],
  ['a redirect of another scheme', { redirectUri: 'javascript:alert(1)' }, 400, '/redirectUri', 'redirect.address'],
  ['more requests than a page may allow', { requestsPerMinute: 601 }, 400, '/requestsPerMinute', 'maximum'],
  [
    'a template that does not exist',
    { presentationTemplateId: 'none' },
    422,
    '/presentationTemplateId',
    'presentation_template.unknown',
  ],
] as const) {
  test(`${what} is refused`, async () => {
    const refused = await acme.post('/creds/verification-pages', {
      name: 'Bad',
      presentationTemplateId: template,
      ...body,
    })
    const [{ source, meta }] = refused.body.errors
    assert.deepEqual([refused.status, source?.pointer, meta.rule], [status, pointer, rule])
    if (status === 422) return
    const { id } = await aPage()
    assert.equal((await acme.patch(`/creds/verification-pages/${id}`, body)).status, status)
  })
}

test('a template of another organisation cannot be used', async () => {
  const body = { name: 'Stolen', presentationTemplateId: template }
  assert.equal((await globex.post('/creds/verification-pages', body)).status, 422)
  const { id } = await aPage()
  assert.equal((await globex.patch(`/creds/verification-pages/${id}`, { isOpen: false })).status, 404)
})

test('a visitor sees states and never a claim; the backend reads the result with the response code of this visitor', async () => {
  const redirectUri = `${SHOP}/checked?shop=1`
  const page = await aPage({ redirectUri })
  const about = await chirograph.nobody.get(`/verify/${page.id}/about`)
  assert.partialDeepStrictEqual(about.body, {
    asks: [{ name: 'Badge', attributes: ['Level'] }],
    isOpen: true,
    organisation: { name: 'Acme College' },
  })
  const begun = await begin(page, { reference: 'order-17' }, { origin: SHOP })
  assert.deepEqual([begun.status, begun.headers.get('cache-control')], [201, 'no-store'])
  assert.equal(Buffer.from(begun.body.secret, 'base64url').length, 64)
  const open = await read(page, begun.body)
  const { secret: _, ...told } = begun.body
  assert.deepEqual(open.body, told)
  const waiting = read(page, begun.body, { prefer: 'wait=20', 'if-none-match': open.headers.get('etag') ?? '' })
  const sent = await answer(begun.body.authorizationRequestUri)
  const { body, headers } = await waiting
  assert.equal(headers.get('preference-applied'), 'wait=20')
  assert.deepEqual(Object.keys(body).sort(), ['expiresAt', 'id', 'redirectUri', 'responseCode', 'status'])
  assert.equal(body.status, 'verified')
  const back = new URL(body.redirectUri)
  assert.deepEqual(
    [back.origin + back.pathname, ...['shop', 'request', 'response_code'].map((one) => back.searchParams.get(one))],
    [`${SHOP}/checked`, '1', begun.body.id, body.responseCode],
  )
  assert.match(JSON.stringify(sent), new RegExp(`/verify/${page.id}/return\\?response_code=`))
  const result = `/creds/presentations/${begun.body.id}`
  assert.equal((await acme.get(result)).status, 403)
  assert.equal((await acme.get(`${result}?responseCode=${begun.body.secret}`)).status, 404)
  const got = await acme.get(`${result}?responseCode=${body.responseCode}`)
  assert.partialDeepStrictEqual(got.body.data, { status: 'verified', reference: 'order-17' })
  assert.deepEqual(got.body.data.credentials[0].attributes, { level: 3 })
  assert.equal((await globex.get(`${result}?responseCode=${body.responseCode}`)).status, 404)
})

test('with visitorSees receipt a visitor does not learn whether the credential was accepted', async () => {
  const page = await aPage({ visitorSees: 'receipt' })
  const [shared, declined] = [await begin(page), await begin(page)]
  await answer(shared.body.authorizationRequestUri)
  await answer(declined.body.authorizationRequestUri, 'rejected')
  assert.equal((await read(page, shared.body)).body.status, 'answered')
  assert.equal((await read(page, declined.body)).body.status, 'rejected')
})

test('without another device the outcome and the code are told to the browser that came back with the code', async () => {
  const page = await aPage({ anotherDevice: false })
  const [begun, other] = [(await begin(page)).body, (await begin(page)).body]
  assert.equal(begun.authorizationRequestQrUri, undefined)
  const { meta } = await answer(begun.authorizationRequestUri)
  const code = new URL(meta.redirectUri).searchParams.get('response_code') ?? ''
  const waiting = { status: 200, state: 'answered', awaitsReturn: true, responseCode: undefined }
  const state = async () => {
    const { status, body } = await read(page, begun)
    return { status, state: body.status, awaitsReturn: body.awaitsReturn, responseCode: body.responseCode }
  }
  assert.deepEqual(await state(), waiting)
  const back = (responseCode: string, { id, secret }: { id: string; secret: string }) => {
    const path = `/verify/${page.id}/requests/${id}/return`
    return chirograph.nobody.post(path, { responseCode }, { authorization: `Bearer ${secret}` })
  }
  for (const [responseCode, visit] of [
    ['another', begun],
    [code, other],
    [code, { ...begun, secret: other.secret }],
    [code, { ...other, secret: begun.secret }],
  ] as const)
    assert.equal((await back(responseCode, visit)).status, 404)
  assert.deepEqual(await state(), waiting)
  assert.equal((await back(code, begun)).status, 204)
  assert.equal((await back(code, begun)).status, 204)
  assert.deepEqual(await state(), { status: 200, state: 'verified', awaitsReturn: undefined, responseCode: code })
  const open = await aPage()
  const there = (await begin(open)).body
  assert.ok(there.authorizationRequestQrUri)
  await answer(there.authorizationRequestUri)
  assert.equal((await read(open, there)).body.status, 'verified')
})

test('under HAIP a page needs the way back unless its owner decides otherwise', () => {
  const page = (anotherDevice: boolean | null) => ({
    ...pageDefaults,
    name: '',
    presentationTemplateId: '',
    anotherDevice,
  })
  const needs = (haip: boolean) => [null, true, false].map((one) => needsWayBack({ settings: { haip } }, page(one)))
  assert.deepEqual(
    [needs(true), needs(false)],
    [
      [true, false, true],
      [false, false, true],
    ],
  )
})

test('the secret of one visitor opens neither the request of another, nor another page', async () => {
  const [page, other] = [await aPage(), await aPage()]
  const [one, two] = [(await begin(page)).body, (await begin(page)).body]
  const last = one.secret.at(-1) === 'A' ? 'Q' : 'A'
  const statuses = await Promise.all([
    read(page, { ...one, secret: two.secret }),
    read(page, { ...one, id: two.id }),
    read(other, one),
    read(page, { ...one, secret: one.secret.slice(0, -1) + last }),
    read(page, { ...one, secret: `${one.secret}A` }),
    chirograph.nobody.get(`/verify/${page.id}/requests/${one.id}`),
    acme.get(`/verify/${page.id}/requests/${one.id}`),
  ])
  assert.deepEqual(
    statuses.map(({ status }) => status),
    [404, 404, 404, 404, 404, 401, 404],
  )
})

test('pages of the listed origins may call the API, also after a preflight; those of other origins may not', async () => {
  const page = await aPage()
  const path = `/verify/${page.id}/requests`
  const preflight = (origin: string) =>
    chirograph.nobody.send('OPTIONS', path, undefined, { origin, 'access-control-request-method': 'POST' })
  const allowed = (reply: Reply) => reply.headers.get('access-control-allow-origin')
  const asked = await preflight(SHOP)
  assert.equal(allowed(asked), SHOP)
  assert.match(asked.headers.get('access-control-allow-headers') ?? '', /Authorization, .*Prefer/)
  for (const origin of [
    'https://evil.example',
    'https://shop.example.evil.example',
    'https://shop.example:444',
    'null',
  ]) {
    assert.equal(allowed(await preflight(origin)), null, origin)
    const refused = await begin(page, {}, { origin })
    assert.deepEqual([refused.status, refused.body.error, allowed(refused)], [403, 'access_denied', null])
  }
  const begun = await begin(page, {}, { origin: SHOP })
  assert.deepEqual(
    [begun.status, allowed(begun), begun.headers.get('access-control-allow-credentials')],
    [201, SHOP, null],
  )
  assert.equal((await read(page, begun.body, { origin: 'https://evil.example' })).status, 403)
})

test('unknown, closed, deleted: 404, 409, 404; a page whose template is archived is closed', async () => {
  const page = await aPage()
  assert.equal((await begin({ id: '01890000-0000-7000-8000-000000000000' })).status, 404)
  assert.equal((await begin({ id: '..%2fcreds' })).status, 404)
  const made = await acme.get(`/creds/templates/presentations/${template}`)
  const copy = { name: 'Copy', description: '', credentials: made.body.data.credentials }
  const archived = (await acme.post('/creds/templates/presentations', copy)).body.data.id
  await acme.patch(`/creds/verification-pages/${page.id}`, { presentationTemplateId: archived })
  await acme.delete(`/creds/templates/presentations/${archived}`)
  const shut = await aPage({ isOpen: false })
  const refused = await begin(shut)
  assert.deepEqual([refused.status, refused.body.error], [409, 'page_closed'])
  assert.equal((await chirograph.nobody.get(`/verify/${shut.id}/about`)).body.isOpen, false)
  assert.equal((await begin(page)).status, 409)
})

test('of visitors who come at once only as many begin as the page allows, by address and in all; other pages are not concerned', async () => {
  const page = await aPage({ requestsPerMinute: 6, requestsPerAddress: 4 })
  const other = await aPage()
  const crowd = async (address: string, count: number) => {
    const headers = { 'x-forwarded-for': address }
    const replies = await Promise.all(Array.from({ length: count }, () => begin(page, {}, headers)))
    const late = replies.filter(({ status }) => status === 429)
    for (const { headers: sent, body } of late) {
      assert.equal(body.error, 'slow_down')
      const seconds = Number(sent.get('retry-after'))
      assert(seconds >= 1 && seconds <= 60)
    }
    assert.equal(replies.length, late.length + replies.filter(({ status }) => status === 201).length)
    return replies.length - late.length
  }
  assert.equal(await crowd('203.0.113.1', 9), 4)
  assert.equal(await crowd('198.51.100.2', 5), 2)
  assert.equal((await begin(other, {}, { 'x-forwarded-for': '203.0.113.1' })).status, 201)
})

test('behind a proxy the address that it adds counts; a visitor who forges the others begins no more requests', async () => {
  const page = await aPage({ requestsPerAddress: 2 })
  const begun = await Promise.all(
    [1, 2, 3, 4].map((n) => begin(page, {}, { 'x-forwarded-for': `198.51.100.${n}, 203.0.113.7` })),
  )
  assert.deepEqual(begun.map(({ status }) => status).toSorted(), [201, 201, 429, 429])
  assert.equal((await begin(page, {}, { 'x-forwarded-for': '203.0.113.7, 203.0.113.8' })).status, 201)
})

test('a template of its own redirect sends no visitor elsewhere', async () => {
  const credentials = (await acme.get(`/creds/templates/presentations/${template}`)).body.data.credentials
  const verifierConfig = { redirectUri: 'https://elsewhere.example/back' }
  const made = await acme.post('/creds/templates/presentations', {
    name: 'Redirecting',
    description: '',
    credentials,
    verifierConfig,
  })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const page = await aPage({ presentationTemplateId: made.body.data.id })
  const sent = await answer((await begin(page)).body.authorizationRequestUri)
  assert(!JSON.stringify(sent).includes('elsewhere.example'))
})

test('an organisation has at most 200 pages', async () => {
  const credentials = [{ type: 'x', attributes: { a: {} } }]
  const made = await globex.post('/creds/templates/presentations', { name: 'Many', description: '', credentials })
  const body = { name: 'Many', presentationTemplateId: made.body.data.id }
  const statuses: number[] = []
  for (let turn = 0; turn < 21; turn += 1) {
    const some = Array.from({ length: turn === 20 ? 2 : 10 }, () => globex.post('/creds/verification-pages', body))
    statuses.push(...(await Promise.all(some)).map(({ status }) => status))
  }
  assert.deepEqual([statuses.filter((one) => one === 201).length, statuses.slice(-2)], [200, [409, 409]])
})

test('waiting visitors leave the other half of the places of their organisation, and all of others, free', () => {
  const memory = new Memory()
  const take = (tenantId: string, requestId: string, ip: string) =>
    takeWaitingPlace({ memory }, { tenantId, requestId, ip })
  const held = [take('a', 'r', '127.0.0.1'), take('a', 'r', '127.0.0.1')]
  assert.equal(take('a', 'r', '127.0.0.1'), null)
  const ofNetwork = Array.from({ length: 30 }, (_, i) => take('a', `n${i}`, '203.0.113.1'))
  assert.equal(ofNetwork.filter((one) => one !== null).length, waitLimits.ofNetwork)
  const ofTenant = Array.from({ length: 200 }, (_, i) => take('a', `t${i}`, `198.51.100.${i % 250}`))
  assert.equal(ofTenant.filter((one) => one !== null).length + waitLimits.ofNetwork + held.length, waitLimits.ofTenant)
  const free = take('b', 's', '203.0.113.9')
  assert.notEqual(free, null)
  free?.()
  free?.()
  for (const leave of [...held, ...ofNetwork, ...ofTenant]) leave?.()
  assert.notEqual(take('a', 'r', '203.0.113.1'), null)
})
