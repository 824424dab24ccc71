import { PlainBrowser } from '../src/authorization/sign-in/test-support/plain-browser.ts'
import { makeContent } from '../src/console/test-support/full-content.ts'
import { type Api, api, backendSecret } from '../test/support/server.ts'

/** Cookies of a signed-in person, and what opens the API with the same rights, under a new token. */
export type Person = {
  readonly cookies: ReadonlyMap<string, string>
  readonly cookie: string
  readonly api: () => Promise<Api>
}

/** A server with content, and the people who look at it. `pages` are those that are measured. */
export type World = {
  readonly url: string
  readonly owner: Person
  readonly holder: Person
  readonly content: Awaited<ReturnType<typeof makeContent>>
  readonly pages: {
    readonly console: readonly string[]
    readonly holder: readonly string[]
    readonly visitor: readonly string[]
  }
}

/** Returns the API of the tenant acme, with every right. */
export async function backendOf(url: string): Promise<Api> {
  return api(url, await tokenOf(url, { grant_type: 'client_credentials' }))
}

async function tokenOf(url: string, form: Record<string, string>): Promise<string> {
  const client = { client_id: 'acme-backend', client_secret: backendSecret }
  const { status, body } = await api(url, null).form('/auth/token', { ...client, ...form })
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body.access_token
}

/** Makes a person with these roles if there is none, and opens a page in the person's session. @throws Error when it is not shown */
export async function signIn(
  url: string,
  acme: Api,
  username: string,
  roles: readonly string[],
  path: string,
): Promise<Person> {
  await acme.post('/onboarding/users', { username, roles })
  const invited = await acme.post(`/onboarding/users/${username}/invitation`, {})
  const browser = new PlainBrowser(url)
  await browser.open(invited.body.data.link)
  const password = 'a lighthouse made of bread'
  await browser.send('/sign-in/link', { password, repeated: password })
  let shown = await browser.open(path)
  for (let steps = 0; steps < 5 && /^(http|\/auth\/)/.test(shown.url); steps += 1) shown = await browser.open(shown.url)
  if (shown.status !== 200) throw new Error(shown.html)
  return { cookies: browser.cookies, cookie: browser.cookieHeader, api: () => backendOf(url) }
}

/** Fills the tenant acme of a new server. */
export async function openWorld(url: string): Promise<World> {
  const acme = await backendOf(url)
  const exchange = async (requested_subject: string) => {
    const subject_token = (await backendOf(url)).token ?? ''
    const subject_token_type = 'urn:ietf:params:oauth:token-type:access_token'
    const grant_type = 'urn:ietf:params:oauth:grant-type:token-exchange'
    return api(url, await tokenOf(url, { grant_type, subject_token, subject_token_type, requested_subject }))
  }
  const content = await makeContent({ wallet: (_, username) => exchange(username) }, acme)
  const wallet = await exchange('thandi')
  const card = (await wallet.get('/wallet/v2/credentials?filter[status]=accepted')).body.data[0].id
  const { template, issuances, verified, page } = content
  const site = encodeURIComponent('https://shop.example.org')
  return {
    ...{ url, content },
    owner: await signIn(url, acme, 'naledi', ['owner'], '/console'),
    holder: { ...(await signIn(url, acme, 'thandi', [], '/me')), api: () => exchange('thandi') },
    pages: {
      console: [
        ...['/console', '/console/credentials', '/console/templates', '/console/templates/new?from=diploma'],
        ...[`/console/credentials/${issuances.valid}`, `/console/issue/${template}`, '/console/people'],
        ...[`/console/verify/${verified}`, '/console/audit', '/console/settings', '/console/certificates'],
      ],
      holder: ['/me', `/me/cards/${card}`, '/me/history', '/me/settings', '/me/scan'],
      visitor: [`/verify/${page}`, `/embed/${page}?origin=${site}`],
    },
  }
}

/** Returns a path without its ids. */
export function shortly(path: string): string {
  return path.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '{id}').split('?origin')[0] ?? path
}
