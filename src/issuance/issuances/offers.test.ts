import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TestDatabase } from '../../../test/support/database.ts'
import { qrAnswer } from '../../api/qr-image.ts'
import { sql } from '../../store/store.ts'
import {
  aDatabase,
  aKey,
  anIssuer,
  anOffer,
  aToken,
  type Body,
  type Issuer,
  noon,
  redeem,
  request,
  someClaims,
} from '../test-support/issuer.ts'
import { issuanceSchedules } from './jobs.ts'

let db: TestDatabase
let issuer: Issuer
before(async () => {
  db = await aDatabase()
  issuer = await anIssuer(db)
})
after(async () => {
  await issuer.server.close(0)
  await db.close()
})

function pointersOf({ errors }: Body): string[] {
  return errors.map((one: Body) => one.source.pointer)
}
async function sweep(): Promise<void> {
  for (const one of issuanceSchedules) await one.run(issuer.platform, new AbortController().signal)
}
async function claimsKept(id: string): Promise<boolean> {
  const kept = sql('test.issuance.kept', 'select sealed_claims is not null as kept from issuance where id = $1')
  const [row] = await db.store.single(issuer.tenant.id, (tx) => tx.rows<{ kept: boolean }>(kept, [id]))
  return row?.kept === true
}
async function eventsOf(id: string): Promise<string[]> {
  const list = sql(
    'test.issuance.events',
    'select event_type from audit_entry where subject_id = $1 and event_type is not null order by id',
  )
  const rows = await db.store.single(issuer.tenant.id, (tx) => tx.rows<{ event_type: string }>(list, [id]))
  return rows.map((row) => row.event_type)
}

test('[VCI-X1] [VCI-X4] [VCI-X5] an issuance is offered, then completed; its states and events say so', async () => {
  const { issuance, template, code } = await anOffer(issuer, {}, { reference: 'case 7', expiresInSeconds: 120 })
  assert.partialDeepStrictEqual(issuance, {
    status: 'offered',
    error: null,
    reference: 'case 7',
    expiresAt: '2026-05-01T12:02:00.000Z',
    credentials: [
      {
        status: 'offered',
        credentialTemplateId: template.id,
        exchange: 'openid4vc',
        format: 'sd-jwt-vc',
        revocable: true,
      },
    ],
  })
  assert.equal(issuance.txCode, undefined)
  const { body } = await redeem(issuer, code)
  assert.deepEqual({ ...body, access_token: '' }, { access_token: '', token_type: 'Bearer', expires_in: 300 })
  const issued = await request(issuer, body.access_token, template.code, [aKey()])
  const { body: after } = await issuer.api('GET', `/credentials/${issuance.id}`)
  assert.deepEqual([after.data.status, after.data.credentials[0].status], ['completed', 'issued'])
  const accepted = { notification_id: issued.body.notification_id, event: 'credential_accepted' }
  const headers = { authorization: `Bearer ${body.access_token}` }
  for (let times = 1; times <= 2; times += 1) {
    const reported = await issuer.open(`/issuers/${issuer.tenant.slug}/notification`, { json: accepted, headers })
    assert.equal(reported.status, 204, '[VCI-X2] a repeated report is fine')
  }
  const { body: end } = await issuer.api('GET', `/credentials/issuance/${issuance.id}`)
  assert.equal(end.data.credentials[0].status, 'accepted')
  assert.equal(await claimsKept(issuance.id), true, 'until the token ends')
  assert.deepEqual(await eventsOf(issuance.id), ['openid4vc.issuance.offered', 'openid4vc.issuance.completed'])
  assert.deepEqual(await eventsOf(issuance.credentials[0].id), ['credential.accepted'])
})

test('every attribute that does not fit is one error, at its pointer', async () => {
  const { template } = await anOffer(
    issuer,
    {
      attributes: {
        name: { type: 'string', required: true },
        born: { type: 'date' },
        age: { type: 'number' },
        adult: { type: 'boolean' },
        address: { type: 'object', properties: { country: { type: 'string', required: true } } },
        tags: { type: 'array', items: { type: 'string' } },
        free: { type: 'object' },
      },
    },
    { attributes: { name: 'x' } },
  )
  const attributes = {
    born: '2026-02-30',
    age: '7',
    adult: 'yes',
    address: { city: 'x' },
    tags: ['a', 2],
    other: 1,
    free: { deep: [{ _sd: [] }] },
  }
  const { status, body } = await issuer.api('POST', '/credentials/issuance', {
    credentialTemplateId: template.id,
    attributes,
  })
  assert.equal(status, 400)
  assert.deepEqual(pointersOf(body), [
    '/attributes/name',
    '/attributes/born',
    '/attributes/age',
    '/attributes/adult',
    '/attributes/address/country',
    '/attributes/address/city',
    '/attributes/tags/1',
    '/attributes/other',
    '/attributes/free/deep/0/_sd',
  ])
})

test('an issuance takes no member that would do nothing', async () => {
  const { template } = await anOffer(issuer)
  const ask = {
    credentialTemplateId: template.id,
    attributes: someClaims,
    authorization: 'code',
  }
  assert.deepEqual(pointersOf((await issuer.api('POST', '/credentials/issuance', ask)).body), ['/authorization'])
})

test('a template that requires a certificate, or has expired, issues nothing', async () => {
  for (const [more, code] of [
    [{ signer: { kind: 'certificate' } }, 'NO_ACTIVE_CERTIFICATE'],
    [{ validUntil: '2026-05-01' }, 'INVALID_STATE'],
  ] as const) {
    await assert.rejects(anOffer(issuer, more), new RegExp(code))
  }
})

test('[VCI-O5] [VCI-O6] [VCI-O7] [VCI-O9] an offer can be fetched again until its time is over, and by its link only', async () => {
  const { issuance, code } = await anOffer(issuer)
  const link = new URL(issuance.offerUri)
  const uri = link.searchParams.get('credential_offer_uri') ?? ''
  assert.deepEqual(
    [link.protocol, [...link.searchParams.keys()]],
    ['openid-credential-offer:', ['credential_offer_uri']],
  )
  await redeem(issuer, code)
  const offer = await issuer.open(uri)
  assert.equal(offer.status, 200)
  // [VCI-O4] the issuer is its only authorization server
  assert.deepEqual(Object.values(offer.body.grants), [{ 'pre-authorized_code': code }])
  assert.equal(offer.headers['cache-control'], 'no-store')
  const forged = `${uri.slice(0, -1)}${uri.endsWith('A') ? 'Q' : 'A'}`
  assert.equal((await issuer.open(forged)).status, 404)
  const elsewhere = uri.replace(issuer.tenant.slug, (await issuer.anotherTenant()).slug)
  assert.equal((await issuer.open(elsewhere)).status, 404)
  issuer.clock.at = new Date(noon.getTime() + 601_000)
  assert.equal((await issuer.open(uri)).status, 404)
  issuer.clock.at = noon
})

test('the QR address carries the offer and shows it as a picture, but nothing else', async () => {
  const { issuance } = await anOffer(issuer)
  const qr = new URL(issuance.offerQrUri)
  const offerUri = new URL(issuance.offerUri).searchParams.get('credential_offer_uri')
  assert.equal(qr.searchParams.get('credential_offer_uri'), offerUri)
  const svg = await issuer.open(qr.href)
  assert.deepEqual([svg.status, svg.headers['content-type']], [200, 'image/svg+xml'])
  const png = await issuer.open(qr.href, { headers: { accept: 'image/png' } })
  assert.equal(png.headers['content-type'], 'image/png')
  qr.searchParams.set('credential_offer_uri', 'https://evil.example/')
  assert.equal((await issuer.open(qr.href)).status, 404)
})

test('the links of an offer have the scheme that the version of its template names', async () => {
  const { issuance, template } = await anOffer(issuer, { offerScheme: 'haip-vci' })
  const uri = new URL(issuance.offerUri)
  assert.equal(uri.protocol, 'haip-vci:')
  const read = await issuer.open(uri.searchParams.get('credential_offer_uri') ?? '')
  assert.equal(read.headers['offer-scheme'], 'haip-vci')
  const svg = await issuer.open(issuance.offerQrUri)
  assert.equal(svg.body, qrAnswer(issuance.offerUri, undefined).body)
  const wrong = issuance.offerQrUri.replace('scheme=haip-vci', 'scheme=javascript')
  assert.equal((await issuer.open(wrong)).status, 404)
  const { id, createdAt: _, updatedAt: __, archivedAt: ___, type: ____, ...body } = template
  const path = `/templates/credentials/${id}`
  assert.equal((await issuer.api('PUT', path, { ...body, offerScheme: 'swiyu' })).status, 200)
  const { body: again } = await issuer.api('GET', `/credentials/issuance/${issuance.id}`)
  assert.equal(again.data.offerUri, issuance.offerUri)
  assert.equal((await issuer.api('PUT', path, { ...body, offerScheme: 'javascript' })).status, 400)
})

test('the QR code of the page is its https address, which the camera of a phone opens', async () => {
  const { issuance } = await anOffer(issuer)
  const svg = await issuer.open(issuance.offerPageQrUri)
  assert.deepEqual([svg.status, svg.headers['content-type']], [200, 'image/svg+xml'])
  assert.equal(svg.body, qrAnswer(issuance.offerPageUri, undefined).body)
  for (const wrong of ['a'.repeat(43), 'x', '%00'])
    assert.equal((await issuer.open(issuance.offerPageQrUri.replace(/[^/]+(?=\/page-qr)/, wrong))).status, 404)
})

for (const [what, template, form, error] of [
  ['without its transaction code', { txCode: {} }, {}, 'invalid_request'],
  ['with a wrong transaction code', { txCode: {} }, { tx_code: 'wrong' }, 'invalid_grant'],
  ['with a transaction code that was not asked for', {}, { tx_code: '123456' }, 'invalid_request'],
  ['with an unknown code', {}, { 'pre-authorized_code': 'x' }, 'invalid_grant'],
  ['without a code', {}, { 'pre-authorized_code': '' }, 'invalid_request'],
  ['by another grant', {}, { grant_type: 'client_credentials' }, 'unsupported_grant_type'],
] as const) {
  test(`[VCI-T9] a redemption ${what} is ${error}, and spends nothing`, async () => {
    const { code, issuance } = await anOffer(issuer, template)
    const { status, body } = await redeem(issuer, code, { ...form })
    assert.deepEqual([status, body.error], [400, error])
    const right = await redeem(issuer, code, issuance.txCode === undefined ? {} : { tx_code: issuance.txCode })
    assert.equal(right.status, 200)
  })
}

test('[SEC-4] [VCI-T1] a transaction code has the length and letters of its template, and is returned once', async () => {
  const { issuance, template } = await anOffer(issuer, {
    txCode: { inputMode: 'text', length: 9, description: 'by post' },
  })
  assert.match(issuance.txCode, /^[A-Z2-9]{9}$/)
  const { body } = await issuer.api('GET', `/credentials/${issuance.id}`)
  assert.equal(body.data.txCode, undefined)
  const offer = await issuer.open(new URL(issuance.offerUri).searchParams.get('credential_offer_uri') ?? '')
  const [grant] = Object.values<Body>(offer.body.grants)
  assert.deepEqual(grant.tx_code, { input_mode: 'text', length: 9, description: 'by post' })
  assert.equal(template.txCode.length, 9)
})

test('an expired, spent, canceled or foreign code is one and the same answer', async () => {
  const [spent, canceled, expired] = [await anOffer(issuer), await anOffer(issuer), await anOffer(issuer)]
  await redeem(issuer, spent.code)
  await issuer.api('DELETE', `/credentials/${canceled.issuance.id}`)
  const answers = [
    await redeem(issuer, spent.code),
    await redeem(issuer, canceled.code),
    await redeem(issuer, expired.code, {}, await issuer.anotherTenant()),
  ]
  issuer.clock.at = new Date(noon.getTime() + 600_001)
  answers.push(await redeem(issuer, expired.code))
  issuer.clock.at = noon
  assert.deepEqual(new Set(answers.map(({ status, body }) => `${status} ${JSON.stringify(body)}`)).size, 1)
})

test('a canceled issuance forgets its claims and gives nothing, even for a token that is out', async () => {
  const { token, template, issuance } = await aToken(issuer)
  const { status, body } = await issuer.api('DELETE', `/credentials/${issuance.id}`)
  assert.deepEqual([status, body.data.status], [200, 'canceled'])
  assert.equal(await claimsKept(issuance.id), false)
  assert.equal((await request(issuer, token, template.code, [aKey()])).body.error, 'credential_request_denied')
  const again = await issuer.api('DELETE', `/credentials/${issuance.id}`)
  assert.deepEqual([again.status, again.body.errors[0].code], [409, 'INVALID_STATE'])
  const foreign = await issuer.api('DELETE', `/credentials/${issuance.id}`, undefined, await issuer.anotherTenant())
  assert.equal(foreign.status, 404)
})

test('the link of an offer shows nothing more once the offer was canceled or locked, or its time is over', async () => {
  const linkOf = ({ issuance }: Awaited<ReturnType<typeof anOffer>>) =>
    new URL(issuance.offerUri).searchParams.get('credential_offer_uri') ?? ''
  const [canceled, locked, expired] = [
    await anOffer(issuer),
    await anOffer(issuer, { txCode: {} }),
    await anOffer(issuer),
  ]
  for (const one of [canceled, locked, expired]) assert.equal((await issuer.open(linkOf(one))).status, 200)
  await issuer.api('DELETE', `/credentials/${canceled.issuance.id}`)
  const wrong = locked.issuance.txCode === '000000' ? '000001' : '000000'
  for (let tries = 0; tries < 5; tries += 1) await redeem(issuer, locked.code, { tx_code: wrong })
  const endOf = async (link: string) => {
    const { status, body } = await issuer.open(link)
    assert.deepEqual([status, body.error], [404, 'not_found'])
    return body.offer_state
  }
  assert.equal(await endOf(linkOf(canceled)), 'canceled')
  assert.equal(await endOf(linkOf(locked)), 'locked')
  issuer.clock.at = new Date(noon.getTime() + 600_001)
  assert.equal(await endOf(linkOf(expired)), 'expired')
  issuer.clock.at = noon
  // A link that is mistyped, or of another tenant, gets no state of any offer.
  const foreign = await anIssuer(db)
  const other = linkOf({ ...canceled, issuance: (await anOffer(foreign)).issuance })
  const swapped = linkOf(canceled).replace(/[^/]+$/, other.split('/').at(-1) ?? '')
  for (const link of [linkOf(locked).replace(/.{4}$/, 'AAAA'), swapped]) assert.equal(await endOf(link), undefined)
  await foreign.server.close(0)
})

test('[VCI-O7] the link of an offer serves it after it was taken, until its end, and says beside it that it was taken', async () => {
  const { issuance, code } = await anOffer(issuer)
  const link = new URL(issuance.offerUri).searchParams.get('credential_offer_uri') ?? ''
  const before = await issuer.open(link)
  assert.equal(before.headers['offer-state'], undefined)
  assert.equal((await redeem(issuer, code)).status, 200)
  const after = await issuer.open(link)
  assert.deepEqual([after.status, after.body, after.headers['offer-state']], [200, before.body, 'taken'])
  const { status, body } = await redeem(issuer, code)
  assert.deepEqual(
    [status, Object.keys(body)],
    [400, ['error', 'error_description']],
    'the token endpoint says no more',
  )
})

test('the link of an offer whose record was deleted says that it has ended, not why', async () => {
  const { issuance } = await anOffer(issuer)
  const link = new URL(issuance.offerUri).searchParams.get('credential_offer_uri') ?? ''
  const remove = sql('test.issuance.remove', 'delete from issuance where tenant_id = $1 and id = $2')
  await db.store.single(issuer.tenant.id, (tx) => tx.rows(remove, [issuer.tenant.id, issuance.id]))
  assert.equal((await issuer.open(link)).body.offer_state, 'ended')
})

test('the link of an offer that another process made or ended is answered by the database', async () => {
  const { issuance } = await anOffer(issuer)
  const link = new URL(issuance.offerUri).searchParams.get('credential_offer_uri') ?? ''
  // what is kept hangs on the store
  const other = await anIssuer({ store: { ...db.store } }, undefined, {}, issuer.tenant)
  assert.deepEqual((await other.open(link)).body, (await issuer.open(link)).body)
  await issuer.api('DELETE', `/credentials/${issuance.id}`)
  assert.equal((await other.open(link)).status, 404)
  await other.server.close(0)
})

test('[VCI-C17] the sweep ends unredeemed offers and forgets what was issued, once its time has come', async () => {
  const unredeemed = await anOffer(issuer, {}, { expiresInSeconds: 60 })
  const { token, template, issuance } = await aToken(issuer)
  await request(issuer, token, template.code, [aKey()])
  await sweep()
  assert.deepEqual([await claimsKept(unredeemed.issuance.id), await claimsKept(issuance.id)], [true, true])
  issuer.clock.at = new Date(noon.getTime() + 301_000)
  const before = await issuer.api('GET', `/credentials/${unredeemed.issuance.id}`)
  assert.equal(before.body.data.status, 'expired', 'also before the sweep was there')
  await sweep()
  await sweep()
  issuer.clock.at = noon
  assert.deepEqual([await claimsKept(unredeemed.issuance.id), await claimsKept(issuance.id)], [false, false])
  assert.deepEqual(await eventsOf(unredeemed.issuance.id), ['openid4vc.issuance.offered', 'openid4vc.issuance.expired'])
  assert.equal((await issuer.api('GET', `/credentials/${issuance.id}`)).body.data.status, 'completed')
})

test('issuances are listed by template, status, reference and time, page by page', async () => {
  const { template, issuance } = await anOffer(issuer, {}, { reference: 'first' })
  const ask = { credentialTemplateId: template.id, attributes: someClaims }
  for (const reference of ['second', 'third']) await issuer.api('POST', '/credentials/issuance', { ...ask, reference })
  await issuer.api('DELETE', `/credentials/${issuance.id}`)
  const list = async (query: Record<string, string>) => {
    const { body } = await issuer.api(
      'GET',
      `/credentials?${new URLSearchParams({ 'filter[templateId]': template.id, ...query })}`,
    )
    return body.data.map((one: Body) => one.reference)
  }
  assert.deepEqual(await list({}), ['third', 'second', 'first'])
  assert.deepEqual(await list({ sort: 'createdAt', 'page[size]': '2' }), ['first', 'second'])
  assert.deepEqual(await list({ sort: 'createdAt', 'page[after]': issuance.id }), ['second', 'third'])
  assert.deepEqual(await list({ 'filter[status]': 'canceled' }), ['first'])
  assert.deepEqual(await list({ 'filter[reference]': 'second' }), ['second'])
  assert.deepEqual(await list({ 'filter[createdAfter]': '2026-05-01T12:00:00.001Z' }), [])
  assert.deepEqual(await list({ 'filter[createdBefore]': '2026-05-01T12:00:00.001Z', 'filter[status]': 'offered' }), [
    'third',
    'second',
  ])
})

for (const [what, change, status, error] of [
  ['an unknown id [VCI-X3]', { notification_id: 'x' }, 400, 'invalid_notification_id'],
  ['an unknown event [VCI-X3]', { event: 'x' }, 400, 'invalid_notification_request'],
] as const) {
  test(`a notification with ${what} is refused`, async () => {
    const { token, template } = await aToken(issuer)
    const { body } = await request(issuer, token, template.code, [aKey()])
    const json = { notification_id: body.notification_id, event: 'credential_accepted', ...change }
    const path = `/issuers/${issuer.tenant.slug}/notification`
    const reply = await issuer.open(path, { json, headers: { authorization: `Bearer ${token}` } })
    assert.deepEqual([reply.status, reply.body.error], [status, error])
    assert.equal(
      (await issuer.open(path, { json, headers: { authorization: 'Bearer x' } })).status,
      error === 'invalid_notification_id' ? 401 : 400,
    )
    assert.equal((await issuer.open(path, { json })).status, 401)
  })
}

test('[VCI-X3] a report about a credential that is not out yet is unknown, and changes nothing', async () => {
  const { code, template, issuance } = await anOffer(issuer)
  const details = [{ type: 'openid_credential', credential_configuration_id: template.code }]
  const { body } = await redeem(issuer, code, { authorization_details: JSON.stringify(details) })
  const [id] = body.authorization_details[0].credential_identifiers
  const reply = await issuer.open(`/issuers/${issuer.tenant.slug}/notification`, {
    json: { notification_id: id, event: 'credential_accepted' },
    headers: { authorization: `Bearer ${body.access_token}` },
  })
  assert.deepEqual([reply.status, reply.body.error], [400, 'invalid_notification_id'])
  assert.equal(await claimsKept(issuance.id), true)
})

test('a claim that is turned down can be fetched again: a failure forgets nothing', async () => {
  const { token, template, issuance } = await aToken(issuer)
  const key = aKey()
  const { body } = await request(issuer, token, template.code, [key])
  const json = { notification_id: body.notification_id, event: 'credential_failure' }
  await issuer.open(`/issuers/${issuer.tenant.slug}/notification`, {
    json,
    headers: { authorization: `Bearer ${token}` },
  })
  assert.equal((await request(issuer, token, template.code, [key])).status, 200)
  assert.equal(await claimsKept(issuance.id), true)
})
