import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { openBrowser, visit } from '../../../../test/support/browser.ts'
import { applyBootstrap } from '../../../directory/bootstrap/apply-bootstrap.ts'
import { getTenant } from '../../../directory/tenants/find-tenant.ts'
import { getUser } from '../../../directory/users/find-user.ts'
import { consentPages } from '../../sign-in/pages/consent-pages.ts'
import { aLink, aPagesServer, type PagesServer } from '../../sign-in/test-support/pages-server.ts'
import { findPendingConsent } from './find-pending-consent.ts'
import { authorizationEndpoints } from './public-endpoints.ts'

const password = 'a lighthouse made of bread'
/** RFC 7636, Appendix B. */
const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

let server: PagesServer
const arrived: string[] = []
const client = createServer(({ url = '' }, response) => {
  if (url.startsWith('/callback')) arrived.push(url)
  response.setHeader('content-type', 'text/html').end('back')
})
before(async () => {
  server = await aPagesServer({}, { endpoints: [...authorizationEndpoints, ...consentPages(findPendingConsent)] })
  await new Promise<void>((resolve) => client.listen(0, '127.0.0.1', resolve))
})
after(async () => {
  client.closeAllConnections()
  client.close()
  await server.close()
})

test('in a browser: a person signs in, denies and then allows a foreign application, which gets a code', async () => {
  // The address of a listening server.
  const callback = `http://127.0.0.1:${(client.address() as AddressInfo).port}/callback`
  const library = {
    clientId: 'library',
    name: 'Campus Library',
    clientSecret: 'a-secret-for-tests-only-0123456789',
    scopes: [],
    grantTypes: ['authorization_code' as const],
    redirectUris: [callback],
    tosUri: 'https://library.example.org/terms',
  }
  const entry = { slug: 'acme', name: 'Acme College', clients: [library], users: [{ username: 'thandi' }] }
  await applyBootstrap(server.platform, { tenants: [entry] })
  const { id: tenantId } = await getTenant(server.platform, 'acme')
  const { id: userId } = await server.platform.store.single(tenantId, (tx) => getUser(tx, 'username', 'thandi'))
  const browser = await openBrowser()
  const { page, close } = await visit(browser, server.origin)
  await page.goto(await aLink(server.platform, { tenantId, userId }, 'welcome'))
  await page.getByLabel('New password', { exact: true }).fill(password)
  await page.getByLabel('New password again').fill(password)
  await page.getByRole('button', { name: 'Set the password' }).click()
  await page.waitForURL('/account')
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await page.waitForURL('/sign-out')
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: 'library',
    redirect_uri: callback,
    scope: 'openid wallet:read',
    state: 's',
    code_challenge: challenge,
    code_challenge_method: 'S256',
  })
  await page.goto(`/auth/authorize?${query}`)
  await page.getByRole('link', { name: 'Cancel and go back to the application' }).click()
  await page.waitForURL(`${callback}**`)
  assert.match(arrived.pop() ?? '', /error=access_denied.*state=s/)
  for (const answer of ['Do not allow', 'Allow']) {
    await page.goto(`/auth/authorize?${query}`)
    if (answer !== 'Allow') {
      await page.getByLabel('Username').fill('thandi')
      await page.getByLabel('Password').fill(password)
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    }
    await page.getByRole('heading', { name: 'Campus Library asks for access' }).waitFor()
    assert.equal(await page.getByRole('link', { name: library.tosUri }).getAttribute('href'), library.tosUri)
    await page.getByRole('button', { name: answer, exact: true }).click()
    await page.waitForURL(`${callback}**`)
  }
  const [denied = '', allowed = ''] = arrived
  assert.match(denied, /error=access_denied/)
  assert.match(allowed, /[?&]code=/)
  await close()
  await browser.close()
})
