// A link as PDF: what stands on it, who gets it, and that a program finds the link in it.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { after, before, test } from 'node:test'
import { type Api, type Deployment, deploy } from '../../../test/support/server.ts'
import { PDF } from '../../contract/media-types.ts'

const LINKS = '/wallet/v2/shared-links'
/** Documents are read by a program that not every machine has. */
const skip = spawnSync('pdftotext', ['-v']).status === 0 ? false : 'pdftotext is missing'

let chirograph: Deployment
let school: Api
let thandi: Api
before(async () => {
  chirograph = await deploy()
  school = await chirograph.backend('acme')
  thandi = await chirograph.wallet('acme', 'thandi')
})
after(() => chirograph.stop())

/** A card of the holder, and a link to all of it. */
async function aLink(values: Readonly<Record<string, string>>, more: object = {}) {
  const attributes = Object.fromEntries(Object.keys(values).map((name) => [name, { type: 'string' }]))
  const code = `card${Object.keys(values).length}`
  const template = await school.post('/creds/templates/credentials', { name: 'Diploma', code, attributes, ...more })
  assert.equal(template.status, 201, JSON.stringify(template.body))
  const asked = { credentialTemplateId: template.body.data.id, attributes: values }
  const issued = (await school.post('/creds/credentials/issuance', asked)).body.data
  const taken = await thandi.post('/wallet/v2/credentials', { credentialOffer: issued.offerUri })
  const { id } = taken.body.data[0]
  await thandi.patch(`/wallet/v2/credentials/${id}`, { status: 'accepted' })
  const claims = Object.keys(values).map((name) => [name])
  const body = { credentialId: id, claims, recipient: 'Globex, human resources', purpose: 'My application' }
  const made = await thandi.post(LINKS, body)
  assert.equal(made.status, 201, JSON.stringify(made.body))
  return { link: made.body.data, issuedId: issued.credentials[0].id as string }
}

async function printed(api: Api, id: string, body: object, language = 'en') {
  const answer = await fetch(`${chirograph.url}${LINKS}/${id}/document?language=${language}`, {
    method: 'POST',
    headers: { accept: PDF, authorization: `Bearer ${api.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const bytes = Buffer.from(await answer.arrayBuffer())
  const text = spawnSync('pdftotext', ['-layout', '-', '-'], { input: bytes }).stdout?.toString() ?? ''
  return { status: answer.status, type: answer.headers.get('content-type'), bytes, text }
}

test('the document has the values, for whom they are, how the card stands, and the link; it is no view', {
  skip,
}, async () => {
  const { link, issuedId } = await aLink({ family_name: 'Molefe', degree: 'BSc ‮Computer‬ Science', name: '李小龙' })
  const { id, address } = link
  const first = await printed(thandi, id, { address })
  assert.deepEqual([first.status, first.type], [200, PDF])
  const plain = first.text.replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, '')
  for (const shown of [
    'Diploma',
    'Acme College',
    'Globex, human resources',
    'My application',
    'Molefe',
    'BSc Computer Science',
    '李小龙',
    'Not revoked when this was printed',
  ])
    assert(plain.includes(shown), `${shown} is not in ${plain}`)
  assert(plain.replaceAll(/\s/g, '').includes(address))
  assert(first.bytes.includes(`(${address})`), 'a program finds the link')
  assert.match((await printed(thandi, id, { address }, 'de')).text, /Papier beweist nichts/)
  assert.equal((await thandi.get(`${LINKS}/${id}`)).body.data.views, 0)
  assert.equal((await school.post('/creds/credentials/revoke', { ids: [issuedId] })).status, 200)
  const held = (await thandi.get(`${LINKS}/${id}`)).body.data.credentialId
  await thandi.post(`/wallet/v2/credentials/${held}/status-check`)
  assert.match((await printed(thandi, id, { address })).text, /Revoked by its issuer when this was printed/)
})

test('a card with many values has further pages, and says what is left out', { skip }, async () => {
  const values = Object.fromEntries(Array.from({ length: 130 }, (_, at) => [`value_${at}`, `text ${at}`]))
  const { link } = await aLink(values)
  const { status, text } = await printed(thandi, link.id, { address: link.address })
  assert.equal(status, 200)
  const pages = text.split('\f').filter((page) => page.trim() !== '')
  assert.equal(pages.length, 5)
  assert.equal(text.match(/text \d+/g)?.length, 103)
  assert.match(pages.at(-1) ?? '', /27 more values are on the page of the link/)
})

test('only its holder prints a link, with its whole address, while it works', async () => {
  const { link } = await aLink({ one: 'value' })
  const { id, address } = link
  const [other, stranger] = [await aLink({ one: 'a', other: 'b' }), await chirograph.wallet('acme', 'pieter')]
  const wrong = `${address.slice(0, -4)}AAAA`
  for (const [api, body, status] of [
    [stranger, { address }, 404],
    [thandi, { address: wrong }, 404],
    [thandi, { address: other.link.address }, 404],
    [thandi, { address: 'https://elsewhere.example/' }, 404],
    [thandi, {}, 400],
  ] as const)
    assert.equal((await printed(api, id, body)).status, status, JSON.stringify(body))
  await thandi.delete(`${LINKS}/${id}`)
  assert.equal((await printed(thandi, id, { address })).status, 404)
})
