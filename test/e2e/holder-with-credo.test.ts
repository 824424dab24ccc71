// Offers of Credo's issuer and requests of Credo's verifier through the pages of the holder, in both formats. On
// PostgreSQL two servers answer in turn.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { type SignedIn, signInAs } from '../../src/console/test-support/console-walk.ts'
import { opening, phone, take } from '../../src/holder/test-support/holder-world.ts'
import { foreignRoot } from '../../src/wallet/test-support/foreign-mdoc.ts'
import { openBrowser, visit } from '../support/browser.ts'
import { type CredoFormat, type CredoPeer, openCredo, withoutCredo } from '../support/credo-peer.ts'
import { type Deployment, deploy } from '../support/server.ts'

const settings = { acme: { walletFormats: ['vc+sd-jwt', 'mso_mdoc'] } }
let chirograph: Deployment
let browser: Browser
let credo: CredoPeer
let lerato: SignedIn
before(async () => {
  if (withoutCredo !== false) return
  ;[chirograph, browser, credo] = await Promise.all([deploy({}, {}, settings), openBrowser(), openCredo()])
  const acme = await chirograph.backend('acme')
  const trusted = { name: 'Roads', purposes: ['issuer'], certificates: [foreignRoot] }
  assert.equal((await acme.post('/creds/trusted-entities', trusted)).status, 201)
  lerato = await signInAs(browser, chirograph, acme, 'lerato', [])
})
after(async () => {
  await Promise.all([browser?.close(), credo?.close()])
  await chirograph?.stop()
})

for (const format of ['dc+sd-jwt', 'mso_mdoc'] as const satisfies readonly CredoFormat[])
  for (const javaScriptEnabled of [true, false])
    test(`Credo offers a ${format}, asks for one value and verifies it, scripts ${javaScriptEnabled ? 'on' : 'off'}`, {
      skip: withoutCredo,
    }, async () => {
      const { page, troubles, close } = await visit(browser, chirograph.url, {
        ...phone,
        storageState: lerato,
        javaScriptEnabled,
      })
      page.setDefaultTimeout(15_000)
      const card = await take(page, await credo.offer(format))
      assert.match(card, /^\/me\/cards\//)
      const { link, id } = await credo.request(format)
      await page.goto(opening(link))
      await page.getByText('Not known to your organisation').waitFor()
      assert.equal(await page.getByText('not shared').count(), 2)
      await page.getByRole('button', { name: /^Share it with/ }).click()
      await page.getByRole('heading', { name: 'You shared it' }).waitFor()
      assert.deepEqual(await credo.verified(id), { height: 178 })
      assert.deepEqual(troubles, [])
      await close()
    })
