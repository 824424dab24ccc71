// What a page knows before anybody signs in: whose sign-in it is, and where a person goes who declines.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { applyBootstrap } from '../../../directory/bootstrap/apply-bootstrap.ts'
import { makeBearerSecret } from '../../../keys/bearer-secret.ts'
import { PASSWORD, pageVisitors } from '../test-support/page-visitors.ts'
import { aPagesServer, type PagesServer } from '../test-support/pages-server.ts'
import { aName } from '../test-support/person.ts'

let server: PagesServer
before(async () => {
  server = await aPagesServer()
})
after(() => server.close())

const { aPerson, aBrowser, signedIn } = pageVisitors(() => server)

test('a person who does not want to sign in goes back to the application, if one waits', async () => {
  const browser = aBrowser()
  const linksOf = async (path: string | null) => {
    const shown = await browser.open(path === null ? '/sign-in' : `/sign-in?${new URLSearchParams({ continue: path })}`)
    return [...shown.html.matchAll(/<a href="([^"]*consent=denied)"/g)].map(([, href]) => href)
  }
  for (const path of ['/auth/authorize?client_id=library', '/issuers/acme/authorize?client_id=wallet']) {
    assert.deepEqual(await linksOf(path), [`${path}&#38;consent=denied`])
    await browser.send('/sign-in', { username: 'nobody', password: 'wrong' })
    assert.match(browser.shown?.html ?? '', /consent=denied/)
  }
  const pages = '/auth/authorize?client_id=chirograph-pages&request_uri=x'
  for (const path of [null, '/account', 'https://evil.example/', pages]) assert.deepEqual(await linksOf(path), [])
})

test('no page asks for the organisation where what follows is of one', async () => {
  const { slug, tenantId, username } = await aPerson()
  const { browser: signedInBrowser, person } = await signedIn()
  const client = { clientId: aName(), scopes: [], isPublic: true, redirectUris: ['https://rp.example/'] }
  const clients = [{ ...client, grantTypes: ['authorization_code' as const] }]
  await applyBootstrap(server.platform, { tenants: [{ slug, name: `Org ${slug}`, clients }] })
  const state = makeBearerSecret(tenantId).text
  for (const path of [
    `/issuance-sessions/callback?code=x&state=${state}`,
    `/issuers/${slug}/authorize?client_id=wallet`,
    `/auth/authorize?client_id=${client.clientId}`,
  ]) {
    const browser = aBrowser()
    const members = new URLSearchParams({ continue: path })
    const shown = await browser.open(`/sign-in?${members}`)
    assert.match(shown.title, new RegExp(`Org ${slug}$`), path)
    assert.doesNotMatch(shown.html, /name="tenant"/)
    assert.match((await browser.open(`/reset?${members}`)).title, new RegExp(`Org ${slug}$`))
    await browser.open(`/sign-in?${members}`)
    const wrong = await browser.send('/sign-in', { username: person.username, password: PASSWORD })
    assert.match(wrong.html, /The username or the password is wrong\.</, 'a person of another organisation')
    assert.doesNotMatch(wrong.html, new RegExp(username))
  }
  const again = await signedInBrowser.open('/sign-in?again=1&continue=%2Faccount')
  assert.match(again.title, new RegExp(`Org ${person.slug}$`))
  const dead = await aBrowser().open(`/sign-in/link?token=${makeBearerSecret(tenantId).text}`)
  assert.match(dead.html, new RegExp(`/sign-in\\?tenant=${slug}"`))
  for (const path of ['/account', '/issuance-sessions/callback?state=x', '/auth/authorize?client_id=nobody'])
    assert.match((await aBrowser().open(`/sign-in?${new URLSearchParams({ continue: path })}`)).html, /name="tenant"/)
})

test('where several organisations may have a name, a refusal says how to name the own one', async () => {
  const browser = aBrowser()
  await browser.open('/sign-in')
  const refused = await browser.send('/sign-in', { username: aName(), password: 'wrong' })
  assert.match(refused.html, /If several organisations have this username, name yours below/)
  assert.match(refused.html, /name="tenant"/)
})
