// The line of a card: the console promises what the wallet shows.
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { type SignedIn, signInAs } from '../console/test-support/console-walk.ts'
import { HolderWorld, phone, take } from './test-support/holder-world.ts'

let world: HolderWorld
let issuer: SignedIn
before(async () => {
  world = await HolderWorld.open()
  issuer = await signInAs(world.browser, world.chirograph, world.acme, 'naledi', ['issuer'])
})
afterEach(() => world.closeOpened())
after(() => world.close())

const attributes = {
  family_name: { type: 'string', name: 'Family name' },
  awarded_on: { type: 'date', name: 'Awarded on' },
  degree: { type: 'string', name: 'Degree' },
  grade: { type: 'number', name: 'Grade' },
}
const claims = { family_name: 'Molefe', awarded_on: '2026-03-01', degree: 'BSc', grade: 78 }

for (const [what, cardLine, promised, shown] of [
  ['none is named', [], 'Family name · Awarded on', 'Molefe · March 1, 2026'],
  ['one is named', ['/degree'], 'Degree · Family name', 'BSc · Molefe'],
  ['three are named', ['/awarded_on', '/degree', '/grade'], 'Awarded on · Degree', 'March 1, 2026 · BSc'],
] as const) {
  test(`where ${what}, the designer and the wallet show the same attributes`, async () => {
    const code = `line-${cardLine.length}`
    const display = { locale: 'en', cardLine, backgroundColor: '#123456' }
    const made = await world.acme.post('/creds/templates/credentials', { name: 'Card', code, attributes, display })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    const { id } = made.body.data
    const designer = await world.open(issuer)
    await designer.page.goto(`/console/templates/${id}`)
    assert.equal(await designer.page.locator('#card .credential div span').innerText(), promised)

    const issued = await world.acme.post('/creds/credentials/issuance', {
      credentialTemplateId: id,
      attributes: claims,
    })
    const { page } = await world.open(world.thandi, { ...phone, javaScriptEnabled: false })
    const path = await take(page, issued.body.data.offerUri)
    await page.goto('/me')
    assert.equal(await page.locator(`a.credential[href="${path}"] .name span`).innerText(), shown)
  })
}
