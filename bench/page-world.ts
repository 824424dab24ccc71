import { PlainBrowser } from '../src/authorization/sign-in/test-support/plain-browser.ts'
import { type Content, makeContent } from '../src/console/test-support/full-content.ts'
import { made } from '../src/console/test-support/made.ts'
import { type Api, api, backendSecret } from '../test/support/server.ts'

/** Cookies of a signed-in person, and what opens the API with the same rights, under a new token. */
export type Person = {
  readonly cookies: ReadonlyMap<string, string>
  readonly cookie: string
  readonly api: () => Promise<Api>
}

/** A browser by its cookies, without a session or in one. */
export type Visitor = Pick<Person, 'cookies'>

/** A page in the middle of a job, which belongs to the browser that began it. */
export type Step = { readonly name: string; readonly path: string; readonly by: Visitor }

/**
 * A server with content, and the people who look at it. `pages` are those that are measured; `steps` too, on the phone.
 */
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
  readonly steps: readonly Step[]
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

/**
 * Makes a person with these roles if there is none, and opens a page in the person's session.
 *
 * @throws Error when it is not shown
 */
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
  const holder = await signIn(url, acme, 'thandi', [], '/me')
  return {
    url,
    content,
    owner: await signIn(url, acme, 'naledi', ['owner'], '/console'),
    holder: { ...holder, api: () => exchange('thandi') },
    steps: [...(await holderSteps(acme, wallet, holder, content)), ...(await visitorSteps(url, wallet, page))],
    pages: {
      console: [
        '/console',
        '/console/credentials',
        '/console/templates',
        '/console/templates/new?from=diploma',
        `/console/credentials/${issuances.valid}`,
        `/console/issue/${template}`,
        '/console/people',
        `/console/verify/${verified}`,
        '/console/audit',
        '/console/settings',
        '/console/certificates',
      ],
      holder: ['/me', `/me/cards/${card}`, '/me/history', '/me/settings', '/me/scan'],
      visitor: [`/verify/${page}`, `/embed/${page}?origin=${site}`],
    },
  }
}

/** An offer that waits, by its own page and by its link; a request before its answer, and after it. */
async function holderSteps(acme: Api, wallet: Api, by: Visitor, { template, request }: Content): Promise<Step[]> {
  const attributes = { family_name: 'Molefe', given_name: 'Thandi', degree: 'BSc Computer Science' }
  const offer = await made(acme, '/creds/credentials/issuance', { credentialTemplateId: template, attributes })
  const asked = async () => {
    const { authorizationRequestUri } = await made(acme, '/creds/presentations/request', {
      presentationTemplateId: request,
    })
    return made(wallet, '/wallet/v2/presentations', { presentationRequest: authorizationRequestUri })
  }
  const [waiting, answered] = [await asked(), await asked()]
  const sent = await wallet.patch(`/wallet/v2/presentations/${answered.id}`, { status: 'answered' })
  if (sent.status !== 200) throw new Error(JSON.stringify(sent.body))
  return [
    { by, name: 'page of an offer', path: new URL(offer.offerPageUri).pathname },
    { by, name: 'an offer, by its link', path: `/open?u=${encodeURIComponent(offer.offerUri)}` },
    { by, name: 'consent', path: `/me/asked/${waiting.id}` },
    { by, name: 'what was shared', path: `/me/asked/${answered.id}` },
  ]
}

/** The page of a visitor who has begun, and of one whose wallet has answered. */
async function visitorSteps(url: string, wallet: Api, page: string): Promise<Step[]> {
  const path = `/verify/${page}`
  const begun = async () => {
    const browser = new PlainBrowser(url)
    await browser.open(path)
    await browser.send(path)
    return browser
  }
  const [waiting, answered] = [await begun(), await begun()]
  const [, link = ''] = /href="(openid4vp:[^"]+)"/.exec(answered.shown?.html ?? '') ?? []
  const asked = await made(wallet, '/wallet/v2/presentations', { presentationRequest: link.replaceAll('&#38;', '&') })
  await wallet.patch(`/wallet/v2/presentations/${asked.id}`, { status: 'answered' })
  const { html } = await answered.open(path)
  if (!html.includes('class="verdict')) throw new Error(html)
  return [
    { by: waiting, name: 'a visitor who waits', path },
    { by: answered, name: 'the verdict for a visitor', path },
  ]
}

/** Returns a path without its ids. */
export function shortly(path: string): string {
  return path.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '{id}').split('?origin')[0] ?? path
}
