// A credential whose attributes are what `oidc-provider` states about the person who signs in there, through the pages.
// On PostgreSQL two server processes.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as oauth from 'oauth4webapi'
import { PlainBrowser, type Shown } from '../../src/authorization/sign-in/test-support/plain-browser.ts'
import { ForeignProvider } from '../../src/authorization/test-support/foreign-provider.ts'
import { buildJwtProof } from '../../src/protocols/openid4vci/jwt-proof.ts'
import { parseSdJwt } from '../../src/protocols/sd-jwt-vc/sd-jwt.ts'
import { aPerson, byPassword, callback } from '../support/oauth-person.ts'
import { holderKey } from '../support/sd-jwt.ts'
import { type Api, api, backendSecret, type Reply } from '../support/server.ts'
import { type ServerChildren, serverChildren } from '../support/server-children.ts'

const secret = 'the-secret-of-our-client-at-the-provider'
const issuer = '/issuers/college'

let server: ServerChildren
let school: Api
let foreign: ForeignProvider
before(async () => {
  const shared = { clientSecret: backendSecret, scopes: ['tenant:admin' as const], roles: ['owner' as const] }
  const backend = { ...shared, clientId: 'college-backend' }
  server = await serverChildren({ tenants: [{ slug: 'college', name: 'College', clients: [backend] }] })
  const credentials = { client_id: 'college-backend', client_secret: backendSecret }
  const granted = await api(server.url, null).form('/auth/token', { grant_type: 'client_credentials', ...credentials })
  school = api(server.url, granted.body.access_token)
  const names = ['campus', 'alumni'] as const
  const redirectOf = (name: string) => `${server.url}/sign-in/external/college/${name}`
  foreign = new ForeignProvider(
    `${server.url}${issuer}`,
    names.map((name) => ({ clientId: name, clientSecret: secret, redirectUri: redirectOf(name) })),
  )
  await foreign.open()
  for (const name of names) {
    const made = await school.post('/onboarding/identity-providers', {
      name,
      displayName: name,
      issuer: foreign.issuer,
      clientId: name,
      clientSecret: secret,
      createsUsers: true,
      claims: { externalIdentifier: 'employee_id' },
    })
    assert.equal(made.status, 201, JSON.stringify(made.body))
  }
  await aPerson(server, school, 'thabo')
})
after(async () => {
  await server.stop()
  await foreign.stop()
})

const lerato = {
  sub: 'lerato-at-campus',
  preferred_username: 'lerato',
  given_name: 'Lerato',
  employee_id: 'E7',
  email: 'lerato@college.example',
  email_verified: true,
  realm: { degree: 'BSc', city: 'Pretoria' },
}

/** A template whose attributes are claims. */
async function aTemplate(code: string, source: object = {}): Promise<string> {
  const made = await school.post('/creds/templates/credentials', {
    name: 'Degree',
    code,
    attributes: {
      given_name: { type: 'string', required: true, name: 'Given name' },
      degree: { type: 'string', required: true },
      address: { type: 'object', properties: { locality: { type: 'string' } } },
      nickname: { type: 'string' },
    },
    attributeSource: {
      kind: 'provider',
      claims: {
        given_name: 'given_name',
        degree: '/realm/degree',
        '/address/locality': '/realm/city',
        nickname: 'nickname',
      },
      ...source,
    },
  })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  return made.body.data.id
}

const byProvider = (name: string) => (browser: PlainBrowser) => browser.send(`/sign-in/provider/${name}`)

/**
 * A wallet asks for the credential, and the person answers the pages of the sign-in. Returns where the browser stops:
 * at a page of ours, or on its way to the wallet.
 */
async function asks(
  code: string,
  signIn: (browser: PlainBrowser) => Promise<Shown>,
  browser = new PlainBrowser(server.url),
) {
  const verifier = oauth.generateRandomCodeVerifier()
  const query = new URLSearchParams({
    client_id: 'a-wallet',
    redirect_uri: callback,
    response_type: 'code',
    scope: code,
    state: 's',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  })
  let shown = await browser.open(`${issuer}/authorize?${query}`)
  const wasAsked = shown.url.startsWith('/sign-in')
  if (wasAsked) shown = await goOn(browser, await signIn(browser))
  return { browser, shown, verifier, wasAsked }
}

/** Follows the browser through the provider. */
async function goOn(browser: PlainBrowser, from: Shown): Promise<Shown> {
  let shown = from
  for (let steps = 0; steps < 12 && shown.url.startsWith('http') && !shown.url.startsWith(callback); steps += 1) {
    shown = await browser.open(shown.url)
  }
  return shown
}

const agree = (browser: PlainBrowser, answer = 'allow') => browser.send(`${issuer}/consent`, { answer })

async function redeem(shown: Shown, verifier: string): Promise<Reply> {
  const code = new URL(shown.url).searchParams.get('code') ?? ''
  const form = { grant_type: 'authorization_code', code, code_verifier: verifier }
  return api(server.url, null).form(`${issuer}/token`, { ...form, client_id: 'a-wallet', redirect_uri: callback })
}

test('the person sees what the provider states, agrees, and the wallet gets it; the claims are then gone', async () => {
  foreign.person = lerato
  await aTemplate('degree')
  const { browser, shown, verifier } = await asks('degree', byProvider('campus'))
  assert.equal(shown.status, 200, shown.html)
  for (const text of ['Lerato', 'BSc', 'Pretoria']) assert(shown.html.includes(text), text)
  const tokens = await redeem(await agree(browser), verifier)
  assert.equal(tokens.status, 200, JSON.stringify(tokens.body))
  const nonce = (await api(server.url, null).form(`${issuer}/nonce`, {})).body.c_nonce
  const about = { issuer: `${server.url}${issuer}`, nonce, clientId: null }
  const jwt = await buildJwtProof(about, holderKey, new Date())
  const issued = await api(server.url, tokens.body.access_token).post(`${issuer}/credential`, {
    credential_configuration_id: 'degree',
    proofs: { jwt: [jwt] },
  })
  assert.equal(issued.status, 200, JSON.stringify(issued.body))
  const { disclosures } = parseSdJwt(issued.body.credentials[0].credential)
  const stated = disclosures.map((one) => Buffer.from(one, 'base64url').toString())
  for (const claim of ['"given_name","Lerato"', '"degree","BSc"', '"locality"', '"Pretoria"']) {
    assert(
      stated.some((one) => one.includes(claim)),
      `${claim} ${stated}`,
    )
  }
  // The next request in the same session has no claims, so the person signs in there again.
  const again = await asks('degree', byProvider('campus'), browser)
  assert(again.wasAsked)
  assert(again.shown.html.includes('BSc'))
})

for (const [what, change, error, cause, attributes] of [
  ['does not state a required claim', { realm: {} }, 'access_denied', 'missing', ['degree']],
  ['states a claim of another type', { realm: { degree: 7 } }, 'server_error', 'invalid', ['degree']],
] as const) {
  test(`a provider that ${what} is ${error} for the wallet, an event for the organisation, and issues nothing`, async () => {
    const code = `degree-${cause}`
    const templateId = await aTemplate(code)
    foreign.person = { ...lerato, ...change }
    const { shown } = await asks(code, byProvider('campus'))
    assert(shown.url.startsWith(callback), shown.url)
    const { searchParams } = new URL(shown.url)
    assert.equal(searchParams.get('error'), error)
    assert.match(searchParams.get('error_description') ?? '', /degree/)
    const events = await school.get(`/creds/events?filter[type]=issuance.refused&filter[subject]=${templateId}`)
    assert.equal(events.body.data.length, 1)
    assert.partialDeepStrictEqual(events.body.data[0], {
      type: 'issuance.refused',
      detail: { cause, attributes: [...attributes] },
    })
  })
}

test('a person with a password of ours is told why there is nothing, cannot agree, and can sign in at the provider', async () => {
  foreign.person = lerato
  await aTemplate('degree-of-password')
  const { browser, shown, verifier } = await asks('degree-of-password', byPassword('thabo'))
  assert.equal(shown.status, 200)
  assert.match(shown.html, /this sign-in brought nothing from there/)
  assert(!shown.html.includes('value="allow"'))
  const forced = await agree(browser)
  assert.match(forced.html, /this sign-in brought nothing from there/)
  const [, link = ''] = /<a [^>]*href="(\/sign-in\?[^"]*)"/.exec(forced.html) ?? []
  await browser.open(link.replaceAll('&amp;', '&').replaceAll('&#38;', '&'))
  const there = await goOn(browser, await byProvider('campus')(browser))
  assert(there.html.includes('BSc'), there.html)
  assert.equal((await redeem(await agree(browser), verifier)).status, 200)
  const declined = await asks('degree-of-password', byPassword('thabo'))
  const denied = await agree(declined.browser, 'deny')
  assert.equal(new URL(denied.url).searchParams.get('error'), 'access_denied')
})

test('a template that names a provider takes the claims of no other', async () => {
  foreign.person = lerato
  await aTemplate('degree-of-alumni', { provider: 'alumni' })
  const { shown } = await asks('degree-of-alumni', byProvider('campus'))
  assert.match(shown.html, /this sign-in brought nothing from there/)
  foreign.person = { ...lerato, sub: 'at-alumni', preferred_username: 'old', employee_id: 'E8', email: undefined }
  assert((await asks('degree-of-alumni', byProvider('alumni'))).shown.html.includes('BSc'))
})
