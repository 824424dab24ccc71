// What somebody sees who was given a link to a card, or its file, and has no software for it.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Api, type Deployment, deploy } from '../../test/support/server.ts'
import { foreignIssuer } from '../wallet/test-support/foreign-issuer.ts'

let chirograph: Deployment
let school: Api
let thandi: Api
let templateId = ''
const attributes = { family_name: 'Molefe', degree: 'BSc <Computer Science>', grade: 78 }
before(async () => {
  chirograph = await deploy()
  school = await chirograph.backend('acme')
  thandi = await chirograph.wallet('acme', 'thandi')
  const made = await school.post('/creds/templates/credentials', {
    name: 'Diploma',
    code: 'diploma',
    attributes: {
      family_name: { type: 'string', name: 'Family name', alwaysDisclosed: true },
      degree: { type: 'string', name: 'Degree' },
      grade: { type: 'number', name: 'Grade' },
    },
    display: { name: 'Diploma', locale: 'en' },
  })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  templateId = made.body.data.id
})
after(() => chirograph.stop())

async function accepted(credentialOffer: string): Promise<string> {
  const taken = await thandi.post('/wallet/v2/credentials', { credentialOffer })
  assert.equal(taken.status, 201, JSON.stringify(taken.body))
  await thandi.patch(`/wallet/v2/credentials/${taken.body.data[0].id}`, { status: 'accepted' })
  return taken.body.data[0].id
}

async function linkTo(credentialId: string, claims: readonly (readonly string[])[]): Promise<string> {
  const said = { recipient: 'Globex <hr>', purpose: 'My application' }
  const made = await thandi.post('/wallet/v2/shared-links', { credentialId, claims, ...said })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  return new URL(made.body.data.address).pathname
}

/** A diploma behind a link. */
async function aDiploma() {
  const issued = await school.post('/creds/credentials/issuance', { credentialTemplateId: templateId, attributes })
  const id = await accepted(issued.body.data.offerUri)
  return { path: await linkTo(id, [['degree']]), issuedId: issued.body.data.credentials[0].id as string, id }
}

const open = (path: string, headers: Record<string, string> = { 'accept-language': 'en' }) =>
  chirograph.nobody.get(path, headers)

const fileOf = async (path: string) => (await chirograph.nobody.get(`${path}/presentation.json`)).body

/** Sends the form of the page that checks files, as a browser does. */
async function check(tenant: string, members: Readonly<Record<string, string | Blob>>) {
  const path = `/check-file/${tenant}`
  const shown = await fetch(chirograph.url + path)
  const csrf = /name="csrf" value="([^"]+)"/.exec(await shown.text())?.[1] ?? ''
  const cookie = shown.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ')
  const body = new FormData()
  body.set('csrf', csrf)
  for (const [name, value] of Object.entries(members))
    if (typeof value === 'string') body.set(name, value)
    else body.set(name, value, 'presentation.json')
  const headers = { cookie, origin: chirograph.url, 'accept-language': 'en' }
  const answer = await fetch(chirograph.url + path, { method: 'POST', body, headers, redirect: 'manual' })
  return { status: answer.status, text: await answer.text(), location: answer.headers.get('location') }
}

const asFile = (content: unknown) =>
  new Blob([typeof content === 'string' ? content : JSON.stringify(content)], { type: 'application/json' })

test('the page of a link says who issued the card, what was chosen, for whom and why, and that it is valid now', async () => {
  const { path } = await aDiploma()
  const { status, body, headers } = await open(path)
  assert.equal(status, 200)
  assert.match(body, /class="verdict ok"[^>]*>\s*<h2>Valid<\/h2>/)
  for (const shown of [
    'Acme College',
    'Family name',
    'Molefe',
    'BSc &#60;Computer Science',
    'Globex &#60;hr',
    'My application',
  ])
    assert.ok(body.includes(shown), shown)
  assert.doesNotMatch(body, /Grade|>78</)
  assert.equal(headers.get('x-robots-tag'), 'noindex, nofollow')
  assert.equal(headers.get('referrer-policy'), 'no-referrer')
  assert.equal(headers.get('cache-control'), 'no-store')
})

test('a card that was suspended or revoked says so at once, to whoever opens the link', async () => {
  const { path, issuedId } = await aDiploma()
  for (const [change, verdict] of [
    ['suspend', 'Suspended'],
    ['reinstate', 'Valid'],
    ['revoke', 'Revoked'],
  ]) {
    assert.equal((await school.post(`/creds/credentials/${change}`, { ids: [issuedId] })).status, 200)
    assert.match((await open(path)).body, new RegExp(`class="verdict \\w+"[^>]*>\\s*<h2>${verdict}</h2>`))
  }
})

test('a card of an issuer that the organisation does not know says so, and names it as it was proved', async () => {
  const club = await foreignIssuer({})
  const path = await linkTo(await accepted(club.offerUri), [])
  const { body } = await open(path)
  await club.close()
  assert.match(body, /class="verdict warn"[^>]*>\s*<h2>Signed by an issuer that is not known here<\/h2>/)
})

test('links that ended, are wrong or unknown have the same page, whose words say nothing of which', async () => {
  const { path, id } = await aDiploma()
  const { data } = (await thandi.get(`/wallet/v2/shared-links?filter[credentialId]=${id}`)).body
  await thandi.delete(`/wallet/v2/shared-links/${data[0].id}`)
  const wrong = `${path.slice(0, -1)}${path.endsWith('A') ? 'B' : 'A'}`
  const pages = await Promise.all([path, wrong, `/shared/${'A'.repeat(86)}`, '/shared/x'].map((one) => open(one)))
  const mains = pages.map(({ status, body }) => `${status} ${/<main[\s\S]*<\/main>/.exec(body)?.[0]}`)
  assert.equal(new Set(mains).size, 1)
  assert.match(mains[0] ?? '', /^404 [\s\S]*This link shows nothing/)
})

test('a page that a browser loads ahead is no view, and one that a person opens is', async () => {
  const { path, id } = await aDiploma()
  await open(path, { 'sec-purpose': 'prefetch' })
  assert.equal((await chirograph.nobody.send('HEAD', path)).status, 200)
  const viewsOf = async () =>
    (await thandi.get(`/wallet/v2/shared-links?filter[credentialId]=${id}`)).body.data[0].views
  assert.equal(await viewsOf(), 0)
  await open(path)
  assert.equal(await viewsOf(), 1)
})

test('the downloaded file verifies on the page for files, and a change of it, of its audience or nonce does not', async () => {
  const { path, issuedId } = await aDiploma()
  const file = await fileOf(path)
  const good = await check('acme', { file: asFile(file) })
  assert.equal(good.status, 200)
  assert.match(good.text, /class="verdict ok"[^>]*>\s*<h2>Valid<\/h2>/)
  assert.ok(good.text.includes('BSc &#60;Computer Science') && good.text.includes('Made for a link of this server'))
  const bare = await check('acme', { file: asFile(file.presentation) })
  assert.match(bare.text, /<h2>Valid<\/h2>/)
  const [jwt, ...rest] = file.presentation.split('~')
  const [header, payload, signature] = jwt.split('.')
  const forged = [`${header}.${payload}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`, ...rest].join(
    '~',
  )
  for (const change of [
    { presentation: forged },
    { audience: `${chirograph.url}/shared-links/other` },
    { nonce: 'other' },
    { presentation: [jwt, ...rest.slice(0, -1), ''].join('~') },
  ]) {
    const { text } = await check('acme', { file: asFile({ ...file, ...change }) })
    assert.match(text, /class="verdict bad"[^>]*>\s*<h2>Not valid<\/h2>/, JSON.stringify(change).slice(0, 60))
    assert.ok(!text.includes('BSc'), 'nothing is shown that is not proved')
  }
  assert.equal((await school.post('/creds/credentials/revoke', { ids: [issuedId] })).status, 200)
  assert.match((await check('acme', { file: asFile(file) })).text, /<h2>Revoked<\/h2>/)
})

test('another organisation of this server takes a type of this server from its owner, and names it', async () => {
  const file = await fileOf((await aDiploma()).path)
  const { text } = await check('globex', { file: asFile(file) })
  assert.match(text, /<h2>Valid<\/h2>/)
  assert.ok(text.includes('Acme College') && text.includes('Globex Corporation'))
})

test('what is no presentation is named for what it is, and a link leads to its page', async () => {
  const { path } = await aDiploma()
  for (const [content, title] of [
    ['%PDF-1.7 …', 'No link in this PDF'],
    [`%PDF-1.7 /URI (https://elsewhere.example${path})`, 'No link in this PDF'],
    [`%PDF-1.7 /URI (${chirograph.url}/shared/short)`, 'No link in this PDF'],
    ['hello', 'This is no presentation'],
    ['{"a":1}', 'This is no presentation'],
    ['{', 'This is no presentation'],
    ['[1]', 'This is no presentation'],
  ] as const) {
    const { status, text } = await check('acme', { file: asFile(content) })
    assert.equal(status, 422)
    assert.ok(text.includes(title), `${content} ${title}`)
  }
  assert.equal((await check('acme', { link: chirograph.url + path })).location, path)
  for (const link of ['https://elsewhere.example/shared/x', `${chirograph.url}/me`, 'nothing'])
    assert.equal((await check('acme', { link })).status, 422)
  assert.equal((await check('acme', {})).status, 422)
  assert.equal((await chirograph.nobody.get('/check-file/nobody')).status, 404)
})
