import assert from 'node:assert/strict'
import * as oauth from 'oauth4webapi'
import { PlainBrowser, type Shown } from '../../src/authorization/sign-in/test-support/plain-browser.ts'
import type { Api } from './server.ts'
import type { ServerChildren } from './server-children.ts'

/** Where applications of the tests have people sent back to. No server is there; the test reads the address. */
export const callback = 'https://app.example/callback'

/** The password of people in these tests. */
export const password = 'a lighthouse made of bread'

/** Lets the independent client talk to loopback; `at` sends its requests to one process, under the public address. */
export function loopback({ url, urls }: ServerChildren, at?: 0 | 1) {
  const toProcess = (target: string, init: object) => fetch(target.replace(url, urls[at ?? 0]), init)
  return { [oauth.allowInsecureRequests]: true, ...(at !== undefined && { [oauth.customFetch]: toProcess }) }
}

/**
 * Creates a user and sets their password by the invitation, with forms only.
 *
 * @returns the browser in which they are signed in
 */
export async function aPerson(
  server: Pick<ServerChildren, 'url'>,
  backend: Api,
  username: string,
): Promise<PlainBrowser> {
  const made = await backend.post('/onboarding/users', { username, firstName: 'Thandi' })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const invited = await backend.post(`/onboarding/users/${username}/invitation`, {})
  assert.equal(invited.status, 201, JSON.stringify(invited.body))
  const browser = new PlainBrowser(server.url)
  await browser.open(invited.body.data.link)
  const shown = await browser.send('/sign-in/link', { password, repeated: password })
  assert.match(shown.title, /^Your account/, shown.html)
  return browser
}

/** Creates a user with these roles, as {@link aPerson}, who is also signed in at the console. */
export async function atConsole(
  server: Pick<ServerChildren, 'url'>,
  backend: Api,
  username: string,
  roles: readonly string[],
): Promise<PlainBrowser> {
  const browser = await aPerson(server, backend, username)
  const { status, body } = await backend.patch(`/onboarding/users/${username}`, { roles })
  assert.equal(status, 200, JSON.stringify(body))
  return openConsole(browser)
}

/** Opens the console in a browser with a session, by way of the authorization server. */
export async function openConsole(browser: PlainBrowser): Promise<PlainBrowser> {
  let shown = await browser.open('/console')
  for (let steps = 0; steps < 5 && /^(http|\/auth\/)/.test(shown.url); steps += 1) shown = await browser.open(shown.url)
  assert.equal(shown.status, 200, shown.html)
  return browser
}

/** Answers the sign-in page with the password. */
export function byPassword(username: string): (browser: PlainBrowser) => Promise<Shown> {
  return (browser) => browser.send('/sign-in', { username, password })
}

/**
 * Opens the authorization endpoint and answers its pages: the sign-in as the test says, the consent with Allow. Other
 * origins are followed.
 *
 * @returns the address that the browser is sent back to, and the titles of the pages on the way
 */
export async function authorize(
  browser: PlainBrowser,
  address: string,
  signIn: (browser: PlainBrowser) => Promise<Shown>,
) {
  const pages: string[] = []
  let shown = await browser.open(address)
  for (let steps = 0; steps < 12 && !shown.url.startsWith(callback); steps += 1) {
    if (/^(\/auth\/|http)/.test(shown.url)) {
      shown = await browser.open(shown.url)
      continue
    }
    pages.push(shown.title)
    assert.equal(shown.status, 200, shown.html)
    if (shown.url.startsWith('/consent')) shown = await browser.send('/consent', { answer: 'allow' })
    else shown = await signIn(browser)
  }
  assert(shown.url.startsWith(callback), `${shown.status} ${shown.url}: ${shown.title}`)
  return { returned: new URL(shown.url), pages }
}
