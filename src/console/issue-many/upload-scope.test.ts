import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { openBrowser } from '../../../test/support/browser.ts'
import { type Deployment, deploy } from '../../../test/support/server.ts'
import { signInAs } from '../test-support/console-walk.ts'

let chirograph: Deployment
let browser: Browser
before(async () => {
  ;[chirograph, browser] = await Promise.all([deploy(), openBrowser()])
})
after(async () => {
  await browser.close()
  await chirograph.stop()
})

test('the file of a person who may not issue is refused before it is read', async () => {
  const auditor = await signInAs(browser, chirograph, await chirograph.backend('acme'), 'auditor', ['auditor'])
  const { cookies } = auditor
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
  const headers = { cookie, 'sec-fetch-site': 'same-origin', 'content-type': 'multipart/form-data; boundary=x' }
  const sent = request(`${chirograph.url}/console/issue/table`, { method: 'POST', headers })
  // The body never ends.
  sent.write('--x\r\n')
  const [answer] = await once(sent, 'response', { signal: AbortSignal.timeout(5000) })
  sent.destroy()
  assert.equal(answer.statusCode, 403)
})
