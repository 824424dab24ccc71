// The https link of an offer, as a browser without scripts and without a session reads it.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { makeTemplate, openIssuance } from '../../test/support/main-job.ts'
import { type Deployment, deploy } from '../../test/support/server.ts'

let chirograph: Deployment
before(async () => {
  chirograph = await deploy()
})
after(() => chirograph.stop())

test('the link and the code for wallets have the scheme that the template of the offer names', async () => {
  const school = await chirograph.backend('acme')
  for (const scheme of ['openid-credential-offer', 'eudi-openid4ci']) {
    const { id } = await makeTemplate(school, scheme, { offerScheme: scheme })
    const { offerUri, offerPageUri } = await openIssuance(school, id)
    assert.equal(new URL(offerUri).protocol, `${scheme}:`)
    const html = await (await fetch(offerPageUri)).text()
    assert.ok(html.includes(`href="${offerUri}"`), html)
    const images = [...html.matchAll(/<img class="qr" src="([^"]*)"/g)].map(([, src = '']) =>
      src.replaceAll('&#38;', '&'),
    )
    const [page = '', wallet = ''] = images
    assert.match(page, /\/page-qr$/)
    assert.equal(new URL(wallet, chirograph.url).searchParams.get('scheme'), scheme)
    for (const src of images) assert.equal((await fetch(chirograph.url + src)).status, 200, src)
  }
})

test('the page says what is offered, in the language of the person', async () => {
  const school = await chirograph.backend('acme')
  const display = { locale: 'en', name: 'Diploma of Acme', translations: [{ locale: 'fr-CH', name: 'Diplôme d’Acme' }] }
  const { id } = await makeTemplate(school, 'named-offer', { display })
  const { offerPageUri } = await openIssuance(school, id)
  for (const [language, name] of [
    ['en', 'Diploma of Acme'],
    ['fr', 'Diplôme d’Acme'],
    ['de', 'Diploma of Acme'],
  ] as const) {
    const html = await (await fetch(offerPageUri, { headers: { 'accept-language': language } })).text()
    assert.match(html, new RegExp(`<p class="lead">${name}</p>`), language)
  }
})
