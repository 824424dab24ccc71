// What the wallet's answers say besides claims: looks, validity, status, trust, previews; and a person's data as a
// whole.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { badge, makeTemplate, openIssuance } from '../../../test/support/main-job.ts'
import { type Api, type Deployment, deploy } from '../../../test/support/server.ts'
import { until } from '../../../test/support/until.ts'
import type { JsonObject } from '../../crypto/json.ts'
import { foreignText } from '../../protocols/foreign-text.ts'
import { imageInDataUri, readImage } from '../../protocols/image.ts'
import { foreignIssuer } from '../test-support/foreign-issuer.ts'
import { foreignVerifier } from '../test-support/foreign-verifier.ts'
import { displayIn, readDisplay } from './kept-display.ts'

let chirograph: Deployment
let school: Api
let thandi: Api
let template: { id: string; type: string }
before(async () => {
  chirograph = await deploy()
  school = await chirograph.backend('acme')
  thandi = await chirograph.wallet('acme', 'thandi')
  const attributes = {
    name: { type: 'string', required: true, name: 'Full name' },
    level: { type: 'number', name: 'Level' },
  }
  const display = { name: 'Swimming badge', locale: 'en', backgroundColor: '#123456', textColor: '#ffffff' }
  const made = await school.post('/creds/templates/credentials', { ...badge, code: 'looks', attributes, display })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  template = made.body.data
})
after(() => chirograph.stop())

async function receive(holder: Api, offer?: string): Promise<string> {
  const credentialOffer = offer ?? (await openIssuance(school, template.id)).offerUri
  const { status, body } = await holder.post('/wallet/v2/credentials', { credentialOffer })
  assert.equal(status, 201, JSON.stringify(body))
  const { id } = body.data[0]
  await holder.patch(`/wallet/v2/credentials/${id}`, { status: 'accepted' })
  return id
}

test('a credential has the look, the validity and the status that its issuer stated, alone and in lists', async () => {
  const id = await receive(thandi)
  const { meta } = (await thandi.get(`/wallet/v2/credentials/${id}`)).body
  assert.partialDeepStrictEqual(meta.display, {
    name: 'Swimming badge',
    locale: 'en',
    backgroundColor: '#123456',
    textColor: '#ffffff',
    issuer: { name: 'Acme College', identifier: `${chirograph.url}/issuers/acme` },
    labels: [
      { path: '["name"]', name: 'Full name' },
      { path: '["level"]', name: 'Level' },
    ],
  })
  assert.equal(meta.standing?.status, 'valid')
  assert.ok(Date.parse(meta.validFrom) <= Date.now())
  const listed = await thandi.get('/wallet/v2/credentials')
  assert.deepEqual(listed.body.meta.credentials[id], meta)
  const other = await chirograph.wallet('acme', 'pieter')
  assert.equal((await other.get(`/wallet/v2/credentials/${id}/images/logo`)).status, 404)
})

test('a look is kept in every language, bounded, without markup of direction, and colours only as #rrggbb', () => {
  const hostile = { name: `Bank\u202e${'x'.repeat(100_000)}`, background_color: 'red;}body{}', text_color: '#FFF' }
  const kept = readDisplay({
    issuer: [
      { name: 'Klub', locale: 'de-DE' },
      { name: 'Club', locale: 'en' },
    ],
    credential: [{ name: 'Karte', locale: 'de' }, { ...hostile, locale: 'en-GB' }, { locale: 'fr' }],
    claims: [
      { path: ['a', null], display: [{ name: 'Ein A', locale: 'de' }, { name: 'An A' }] },
      { path: ['b'] },
      { path: 'c', display: [{ name: 'C' }] },
    ],
  })
  const german = displayIn(kept, 'de-AT, en;q=0.5')
  assert.partialDeepStrictEqual(german, { issuerName: 'Klub', name: 'Karte', locale: 'de' })
  assert.deepEqual(german.labels, [{ path: '["a",null]', name: 'Ein A' }])
  const english = displayIn(kept, 'en')
  assert.equal([...(english.name ?? '')].length, 100)
  assert.deepEqual(
    [english.issuerName, english.backgroundColor, english.textColor, english.name?.includes('\u202e')],
    ['Club', undefined, '#ffffff', false],
  )
  assert.equal(displayIn(readDisplay({ issuer: [], credential: [], claims: [] }), 'en').name, null)
  assert.equal(foreignText('\u0000 \u200b\u2066', 10), null)
})

const png = (width: number, height: number) => {
  const bytes = Buffer.alloc(64)
  Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1').copy(bytes)
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(height, 20)
  return bytes
}
const jpeg = (width: number, height: number) => {
  const frame = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xc0, 0, 11, 8, 0, 0, 0, 0, 1, 1, 0x11, 0])
  frame.writeUInt16BE(height, 13)
  frame.writeUInt16BE(width, 15)
  return frame
}
for (const [what, bytes, type] of [
  ['a PNG', png(200, 100), 'image/png'],
  ['a PNG of 20,000 px', png(20_000, 100), null],
  ['a JPEG', jpeg(200, 100), 'image/jpeg'],
  ['a JPEG of 20,000 px', jpeg(100, 20_000), null],
  ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'image/svg+xml'],
  ['a page', Buffer.from('<!doctype html><script>alert(1)</script>'), null],
  ['an SVG with entities', Buffer.from('<!DOCTYPE svg [<!ENTITY a "b">]><svg/>'), null],
  ['an SVG that uses a shape a few times', Buffer.from(`<svg>${'<use href="#a"/>'.repeat(12)}</svg>`), 'image/svg+xml'],
  ['an SVG that draws billions of shapes', Buffer.from(`<svg>${'<s:use href="#a"/>'.repeat(13)}</svg>`), null],
  ['a file of 64 KiB and one byte', Buffer.concat([png(1, 1), Buffer.alloc(65_536 - 63)]), null],
  ['one byte', Buffer.from([0xff]), null],
  ['nothing', Buffer.alloc(0), null],
] as const) {
  test(`${what} is ${type ?? 'no image to keep'}, whatever it is called`, () => {
    assert.equal(readImage(bytes)?.mediaType ?? null, type)
    assert.equal(imageInDataUri(`data:image/png;base64,${bytes.toString('base64')}`)?.mediaType ?? null, type)
  })
}

test('images are fetched once, after the receipt; what is refused is left out', async () => {
  const club = await foreignIssuer()
  const logo = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg"/>')}`
  club.lie({
    reply: {
      issuer: (reply) => ({
        ...reply,
        body: {
          ...Object(reply.body),
          display: [{ name: 'The <b>Club</b>', logo: { uri: logo } }],
          credential_configurations_supported: {
            membership: {
              ...Object(reply.body).credential_configurations_supported.membership,
              credential_metadata: {
                display: [{ name: 'Membership', background_image: { uri: `${club.issuer}/none` } }],
              },
            },
          },
        },
      }),
    },
  })
  const pieter = await chirograph.wallet('acme', 'pieter')
  const resolved = await pieter.post('/wallet/v2/credential-offers/resolve', { credentialOffer: club.offerUri })
  assert.partialDeepStrictEqual(resolved.body.data, { trust: 'unknown', expiresAt: null })
  assert.equal(resolved.body.data.credentials[0].shown.issuer.name, 'The <b>Club</b>')
  const id = await receive(pieter, club.offerUri)
  const images = await until(async () => (await pieter.get(`/wallet/v2/credentials/${id}`)).body.meta.display.images)
  assert.deepEqual(images, ['logo'])
  const { body } = await pieter.get(`/wallet/v2/credentials/${id}/images/logo`)
  assert.equal(body.data.mediaType, 'image/svg+xml')
  assert.equal((await pieter.get(`/wallet/v2/credentials/${id}/images/background`)).status, 404)
  await club.close()
})

test('an image is found by uri, and by url as the drafts called it', () => {
  const logoOf = (...logos: readonly JsonObject[]) =>
    readDisplay({ issuer: [], credential: logos.map((logo) => ({ name: 'Card', logo })), claims: [] }).logo
  const [uri, url] = ['https://club.example/a.png', 'https://club.example/b.png']
  assert.deepEqual([logoOf({ uri, url }), logoOf({ url }), logoOf({ url: 7 }, { url })], [uri, url, url])
})

test('an offer of ours says when it ends and that the organisation is known', async () => {
  const { offerUri, offerPageUri, expiresAt } = await openIssuance(school, template.id)
  const { body } = await thandi.post('/wallet/v2/credential-offers/resolve', { credentialOffer: offerUri })
  assert.equal(body.data.trust, 'own')
  assert.ok(Math.abs(Date.parse(body.data.expiresAt) - Date.parse(expiresAt)) < 1000)
  assert.match(offerPageUri, /\/offer\/acme\/[\w-]{43}$/)
})

async function anAsk(verifierConfig: object = {}): Promise<string> {
  const credentials = [{ type: template.type, attributes: { name: {} } }]
  const body = { name: 'Who', description: 'Internal', credentials, verifierConfig, retentionSeconds: 86_400 }
  const made = await school.post('/creds/templates/presentations', body)
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const asked = await school.post('/creds/presentations/request', { presentationTemplateId: made.body.data.id })
  return asked.body.data.authorizationRequestUri
}

test('a request says who, why and how long, what would leave and what stays; its tag binds the answer to it', async () => {
  const holder = await chirograph.wallet('globex', 'thandi')
  const id = await receive(holder)
  const presentationRequest = await anAsk({ purpose: 'To check your \u202ebadge.' })
  const prepared = await holder.post('/wallet/v2/presentations', { presentationRequest })
  const path = `/wallet/v2/presentations/${prepared.body.data.id}`
  const { body, headers } = await holder.get(path)
  assert.partialDeepStrictEqual(body.meta, {
    purpose: 'To check your badge.',
    retentionSeconds: 86_400,
    verifier: { statedName: 'Acme College', trusted: false, authenticated: true },
    preview: [
      {
        credentialId: id,
        disclosed: [{ path: '["name"]', value: 'Thandi', isRequested: true }],
        withheld: ['["level"]'],
      },
    ],
  })
  assert.equal(body.meta.credentials[id].display.name, 'Swimming badge')
  const tag = headers.get('etag') ?? ''
  assert.equal((await holder.get(path, { 'accept-language': 'fr' })).headers.get('etag'), tag)
  const listed = await holder.get('/wallet/v2/presentations')
  assert.equal(listed.body.meta.presentations[prepared.body.data.id].verifier.statedName, 'Acme College')
  const send = (status: string, ifMatch: string) =>
    holder.send('PATCH', path, JSON.stringify({ status }), {
      'content-type': 'application/json',
      'if-match': ifMatch,
    })
  assert.equal((await send('answered', '"other"')).status, 412)
  const both = await Promise.all([send('answered', tag), send('answered', tag)])
  assert.deepEqual(both.map(({ status }) => status).toSorted()[0], 200)
  const own = (await holder.get(path)).body
  assert.deepEqual([own.data.status, own.meta.preview], ['answered', []])
  const history = await holder.get(`/wallet/v2/history?filter[credentialId]=${id}`)
  assert.deepEqual(history.body.data.map(({ kind }: { kind: string }) => kind).toSorted(), [
    'credential',
    'presentation',
  ])
  await holder.delete(`/wallet/v2/credentials/${id}`)
  const after = await holder.get(`/wallet/v2/history?filter[credentialId]=${id}`)
  assert.equal(after.body.data.length, 2)
  assert.partialDeepStrictEqual(after.body.meta.credentials[id], {
    name: 'Swimming badge',
    issuer: { name: 'Acme College' },
  })
})

test('the tag changes when a credential of the proposal is gone, and then nothing is sent', async () => {
  const holder = await chirograph.wallet('globex', 'pieter')
  const [one, other] = [await receive(holder), await receive(holder)]
  const shop = await foreignVerifier({
    credentials: [
      { id: 'b', format: 'dc+sd-jwt', meta: { vct_values: [template.type] }, claims: [{ path: ['name'] }] },
    ],
  })
  const prepared = await holder.post('/wallet/v2/presentations', { presentationRequest: shop.link() })
  const path = `/wallet/v2/presentations/${prepared.body.data.id}`
  const tag = (await holder.get(path)).headers.get('etag') ?? ''
  await holder.delete(`/wallet/v2/credentials/${one}`)
  const body = JSON.stringify({ status: 'answered', selectedCredentials: [{ credentialId: other }] })
  const refused = await holder.send('PATCH', path, body, { 'content-type': 'application/json', 'if-match': tag })
  assert.equal(refused.status, 412, JSON.stringify(refused.body))
  assert.equal(shop.posted.length, 0)
  await shop.close()
})

test('a person hears of what was delivered to the own wallet only', async () => {
  for (const name of ['thandi', 'pieter']) {
    const credentialOffer = (await openIssuance(school, template.id)).offerUri
    const sent = await school.post('/wallet/v2/orgs/credentials', { credentialOffer, recipient: `${name}@example.org` })
    assert.equal(sent.status, 201, JSON.stringify(sent.body))
  }
  const events = async (holder: Api) =>
    (await holder.get('/wallet/v2/events')).body.data.map(({ detail }: { detail: { userId: string } }) => detail.userId)
  const pieter = await chirograph.wallet('acme', 'pieter')
  const mine = await until(async () => {
    const [own, others] = [await events(thandi), await events(pieter)]
    return own.length > 0 && others.length > 0 ? [new Set(own), new Set(others)] : undefined
  })
  assert.deepEqual([mine[0]?.size, mine[1]?.size, mine[0]?.isDisjointFrom(mine[1] ?? new Set())], [1, 1, true])
  assert.equal((await school.get('/wallet/v2/events')).status, 403)
  const opened = await Promise.all(
    [1, 2, 3, 4].map(() =>
      fetch(`${chirograph.url}/wallet/v2/events`, {
        headers: { authorization: `Bearer ${thandi.token}`, accept: 'text/event-stream' },
      }),
    ),
  )
  // Each process counts its own.
  assert.ok(opened.every(({ status }) => [200, 429].includes(status)) && opened.some(({ status }) => status === 200))
  await Promise.all(opened.map(({ body }) => body?.cancel()))
})

test('everything can be taken out, and deleted; other wallets are untouched', async () => {
  const pieter = await chirograph.wallet('acme', 'pieter')
  const others = (await pieter.get('/wallet/v2/credentials')).body.data.length
  const presentationRequest = await anAsk()
  await thandi.post('/wallet/v2/presentations', { presentationRequest })
  const { body } = await thandi.get('/wallet/v2/data')
  const held = (await thandi.get('/wallet/v2/credentials?page[size]=100')).body.data
  assert.ok(held.length > 0 && others > 0)
  assert.deepEqual(
    body.data.credentials.map(({ credential }: { credential: { id: string } }) => credential.id).toSorted(),
    held.map(({ id }: { id: string }) => id).toSorted(),
  )
  assert.match(body.data.credentials[0].issued, /^eyJ.*~$/)
  assert.ok(body.data.history.length > held.length)
  assert.equal((await school.delete('/wallet/v2/data')).status, 403)
  assert.equal((await thandi.delete('/wallet/v2/data')).status, 204)
  for (const list of ['credentials', 'presentations', 'history'])
    assert.deepEqual((await thandi.get(`/wallet/v2/${list}`)).body.data, [], list)
  assert.equal((await pieter.get('/wallet/v2/credentials')).body.data.length, others)
  const [entry] = (await school.get('/creds/audit?filter[action]=user.wallet_emptied')).body.data
  assert.equal(entry.detail.credentials, held.length)
})

test('a template without labels and colours is shown all the same', async () => {
  const plain = await makeTemplate(school, 'plain')
  const { offerUri } = await openIssuance(school, plain.id)
  const holder = await chirograph.wallet('acme', 'pieter')
  const { body } = await holder.get(`/wallet/v2/credentials/${await receive(holder, offerUri)}`)
  assert.partialDeepStrictEqual(body.meta.display, { name: 'Badge', labels: [] })
})
