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
