// Texts that come from beyond the API of the organisation: claims of foreign issuers, people of foreign providers, and
// forms that are too long.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { signIn } from '../../bench/page-world.ts'
import { openBrowser } from '../../test/support/browser.ts'
import { type Api, backendSecret, type Deployment, deploy } from '../../test/support/server.ts'
import { PlainBrowser } from '../authorization/sign-in/test-support/plain-browser.ts'
import { ForeignProvider } from '../authorization/test-support/foreign-provider.ts'
import { type Check, result } from './desk/result.ts'
import { controlsOf, offlineFrame, sentFrom } from './test-support/form-of.ts'
import { MARK } from './test-support/hostile-bodies.ts'
import { hostileNames } from './test-support/hostile-names.ts'
import { harmsIn } from './test-support/shown-harmless.ts'

/** Longer than any member of a form, and than a page shows of any text. */
const LONG = `<b onclick=zq>\u202e&lt;b&gt;'"${'Bank \u202e'.repeat(15_000)}`
/** Fields of these forms that count only with another choice than the first. */
const unused = /^(docType|(from|until)(Count|Date)|tx(Length|Text)|provider|claims)$/
/** What is never shown again; the page asks for it anew. */
const secret = /^clientSecret$/
/** Forms that need nothing to be there. */
const forms = [
  '/groups/new',
  '/sign-in-providers/new',
  '/directory-sync/new',
  '/people/new',
  '/people/thandi',
  '/applications/new',
  '/trusted/new',
  '/webhooks/new',
  '/certificates/new',
  '/certificates/csrs/new',
  '/settings',
  '/settings/policies',
  '/templates/new?from=diploma',
  '/requests/new?type=urn:eu:1',
]
const texts: readonly (readonly [kind: string, text: string])[] = [...Object.entries(hostileNames), ['100 kB', LONG]]

let chirograph: Deployment
let browser: Browser
let page: Page
let acme: Api
let provider: ForeignProvider
let owner: PlainBrowser
before(async () => {
  ;[chirograph, browser] = await Promise.all([deploy(), openBrowser()])
  page = await (await browser.newContext()).newPage()
  acme = await chirograph.backend('acme')
  const redirectUri = `${chirograph.url}/sign-in/external/acme/campus`
  const client = { clientId: 'chirograph', clientSecret: backendSecret, redirectUri }
  provider = new ForeignProvider(`${chirograph.url}/issuers/acme`, [client])
  await provider.open()
  owner = new PlainBrowser(chirograph.url)
  const { cookies } = await signIn(chirograph.url, acme, 'naledi', ['owner'], '/console')
  for (const [name, value] of cookies) owner.cookies.set(name, value)
})
after(async () => {
  await browser.close()
  await chirograph.stop()
  await provider.stop()
})

/** A result whose every text is made up by the issuer of the credential. */
function checkOf(text: string): Check {
  let marks = 0
  const marked = () => `zq${(marks++).toString(36)}x${text}`
  const issue = () => ({ code: marked(), message: marked() })
  const outcomes = ['passed', 'warning', 'failed', 'not_asked', 'not_checked'] as const
  const credential = (isValid: boolean) => ({
    isValid,
    name: marked(),
    type: marked(),
    format: 'mdoc' as const,
    issuer: marked(),
    issues: [issue()],
    attributes: {
      [marked()]: marked(),
      list: [marked(), { [marked()]: marked() }, [marked()]],
      [marked()]: true,
      [marked()]: { [marked()]: { [marked()]: marked() } },
      [marked()]: null,
      'org.iso.18013.5.1': { [marked()]: 1 },
    },
    // The code of a newer server.
    checks: outcomes.map((outcome) => ({ code: marked() as 'form', outcome, issues: [marked()] })),
  })
  return {
    id: '01890000-0000-7000-8000-000000000000',
    status: 'failed',
    error: { code: 1, message: marked(), details: [issue()] },
    presentationTemplateId: '01890000-0000-7000-8000-000000000000',
    templateName: marked(),
    credentials: [credential(true), credential(false)],
    authorizationRequestUri: '',
    authorizationRequestQrUri: '',
    requestPageUri: '',
    expiresAt: '2030-01-01T00:00:00Z',
    createdAt: '2026-01-01T00:00:00Z',
    updatedAt: '2026-01-01T00:00:00Z',
    completedAt: '2026-01-01T00:00:00Z',
  }
}

test('claims, names and findings of a hostile issuer are no more than texts at the desk', async () => {
  const frame = offlineFrame('en')
  const harms: string[] = []
  for (const [kind, text] of texts) {
    const check = checkOf(text)
    const alone = { ...check, credentials: [] }
    const labels = () => text
    for (const shown of [result(frame, check), result(frame, alone), result(frame, check, labels)]) {
      assert((shown.text.match(MARK) ?? []).length > 0, kind)
      for (const harm of await harmsIn(page, `<body>${shown.text}`)) harms.push(`${kind}: ${harm}`)
      assert(shown.text.length < 60_000, `${kind}: ${shown.text.length} characters`)
    }
  }
  assert.deepEqual(harms, [])
})

/** A person whom nobody here knows signs in at the provider. @returns the page at which the sign-in ends */
async function signInFrom(person: Record<string, unknown>) {
  provider.person = person
  const stranger = new PlainBrowser(chirograph.url)
  await stranger.open('/sign-in?tenant=acme')
  let shown = await stranger.send('/sign-in/provider/campus')
  for (let steps = 0; steps < 10 && /^http/.test(shown.url); steps += 1) shown = await stranger.open(shown.url)
  return { stranger, shown }
}

test('names of foreign people and providers are no more than texts where they sign in and where they are listed', async () => {
  const harms: string[] = []
  const look = async (where: string, html: string) => {
    for (const harm of await harmsIn(page, html)) harms.push(`${where}: ${harm}`)
  }
  for (const [at, [kind, text]] of texts.entries()) {
    const name = at === 0 ? 'campus' : `campus-${at}`
    const about = { issuer: provider.issuer, clientId: 'chirograph', clientSecret: backendSecret, createsUsers: true }
    const displayName = `zq${at}x${text}`.replaceAll(/[\0\p{Cs}]/gu, '').slice(0, 60)
    const { status, body } = await acme.post('/onboarding/identity-providers', { ...about, name, displayName })
    assert(status === 201 || status === 400, `${kind} ${JSON.stringify(body)}`)
  }
  const named = new Set<string>()
  for (const [at, [kind, text]] of texts.entries()) {
    const name = `zqp${at}x${text}`
    const { stranger, shown } = await signInFrom({
      sub: `person-${at}`,
      preferred_username: name,
      given_name: name,
      family_name: name,
      email: `zqe${at}x<b>&lt;'"@x.example`,
      email_verified: true,
    })
    await look(kind, shown.html)
    // More than is read of a provider.
    assert.equal(shown.status, text === LONG ? 403 : 200, `${kind} ${shown.title}`)
    for (const path of ['/account', '/me']) await look(`${kind} ${path}`, (await stranger.open(path)).html)
  }
  const people = (await acme.get('/onboarding/users?page[size]=100')).body.data.map(
    ({ username }: { username: string }) => username,
  )
  const pages = [
    '/console/sign-in-providers',
    '/console/people',
    '/console/audit',
    '/console/events',
    '/console',
    '/console/search?q=zqp',
    '/console/search?q=zqe',
  ]
  for (const path of [...pages, ...people.map((one: string) => `/console/people/${encodeURIComponent(one)}`)]) {
    const { html, status } = await owner.open(path)
    assert.equal(status, 200, path)
    for (const [mark] of html.matchAll(MARK)) named.add(mark)
    await look(path, html)
  }
  await look('sign-in', (await new PlainBrowser(chirograph.url).open('/sign-in?tenant=acme')).html)
  assert.deepEqual(harms, [])
  assert(named.size > texts.length, `${named.size} names were seen`)
})

test('a form with 100 kB in a field is refused with what was typed, and is no more than a form', async () => {
  const harms: string[] = []
  let sent = 0
  for (const path of forms) {
    const { html } = await owner.open(`/console${path}`)
    const [, action = '', content = ''] =
      /<main[\s\S]*?<form method="post" action="([^"]*)"[^>]*>([\s\S]*?)<\/form>/.exec(html) ?? []
    const controls = controlsOf({ text: content })
    const named = new Map(
      controls
        .filter(({ kind, name }) => kind === 'text' && !unused.test(name))
        .map((one) => [one.name.replaceAll(/\d+/g, ''), one]),
    )
    assert(named.size > 0, path)
    for (const control of named.values()) {
      const fields = sentFrom(controls.map((one) => (one === control ? { ...one, value: LONG } : one)))
      const members = [...fields].flatMap(([name, values]) => values.map((value) => [name, value]))
      // The button that designers save with.
      members.push(['do', 'save'])
      const { status, html: shown } = await owner.request('POST', action, String(new URLSearchParams(members)))
      sent += 1
      if (status !== 400) harms.push(`${path} ${control.name}: ${status}`)
      if (secret.test(control.name)) assert.match(shown, /Enter the secret again/)
      else if (shown.length < LONG.length) harms.push(`${path} ${control.name}: what was typed is lost`)
      for (const harm of await harmsIn(page, shown)) harms.push(`${path} ${control.name}: ${harm}`)
    }
  }
  console.log(`${sent} forms sent`)
  assert.deepEqual(harms, [])
})
