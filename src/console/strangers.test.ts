// What strangers wrote, on every page of the console: a table of hostile texts in every member of the API that takes a
// text.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { layoutDefects, openBrowser, visit } from '../../test/support/browser.ts'
import { cpuTimer } from '../../test/support/cpu-time.ts'
import { document, type Shape } from '../../test/support/openapi-document.ts'
import type { Stop } from '../../test/support/page-walk.ts'
import { type Api, api, bootstrap, type Deployment, deploy } from '../../test/support/server.ts'
import { PlainBrowser } from '../authorization/sign-in/test-support/plain-browser.ts'
import { openssl } from '../crypto/x509-path/test-support/openssl.ts'
import { aReceiver, type Receiver } from '../events/test-support/receiver.ts'
import { foreignText } from '../protocols/foreign-text.ts'
import { type SignedIn, signInAs } from './test-support/console-walk.ts'
import { makeContent } from './test-support/full-content.ts'
import {
  hostileApi,
  isFree,
  isKept,
  kinds,
  MARK,
  nothingEntered,
  optionsOf,
  schemaOf,
  wholeKinds,
} from './test-support/hostile-bodies.ts'
import { hostileNames, isFormula, isUnsendable } from './test-support/hostile-names.ts'
import { hostileTable, type Ids, makeByScim, makeEntity, makeRows } from './test-support/hostile-rows.ts'
import { harmsIn } from './test-support/shown-harmless.ts'
import { type Full, fullStops, unvisited } from './test-support/stops.ts'
import { makeTrust } from './test-support/trust-content.ts'

const TABLE = '/console/issue/table'
const BOUNDARY = 'a-boundary-of-28-to-70-signs-'
/** The organisation and the person stand on every page. */
const OWN = `zq0x"><zq-owned>\u202e\u200b&lt;b&gt;'`

let chirograph: Deployment
let browser: Browser
let receiver: Receiver
let acme: Api
let owner: SignedIn
let console_: PlainBrowser
const entered = nothingEntered()
/** What is visited: every page with everything of each of {@link wholeKinds}. */
let stops: readonly Stop[]
/** Pages of one row each. */
const pages = new Map<string, readonly string[]>()
before(async () => {
  const [college] = bootstrap.tenants
  Object.assign(college ?? {}, { name: OWN })
  Object.assign(college?.users[0] ?? {}, { firstName: OWN, lastName: OWN })
  ;[chirograph, browser, receiver] = await Promise.all([deploy(), openBrowser(), aReceiver()])
  acme = await chirograph.backend('acme')
  owner = await signInAs(browser, chirograph, acme, 'naledi', ['owner'])
  console_ = new PlainBrowser(chirograph.url)
  for (const { name, value } of owner.cookies) console_.cookies.set(name, value)
  await fillAll()
})
after(async () => {
  await browser.close()
  await chirograph.stop()
  await receiver.close()
})

async function fillAll(): Promise<void> {
  const known = await makeContent(chirograph, acme)
  const template = (await acme.get(`/creds/templates/credentials/${known.template}`)).body.data
  const ids: Ids = {
    template: template.id,
    type: template.type,
    request: known.request,
    receiver: receiver.url,
    provider: '',
  }
  const tables = {
    bad: await keepTable(ids.template, true),
    good: await keepTable(ids.template, false),
    long: await keepTable(ids.template, true, 'x'.repeat(300)),
    unknown: await proposeCard(await keepTable(ids.template, false)),
  }
  for (const kind of kinds) if (!wholeKinds.includes(kind)) await makeOthers(kind, ids)
  const all: Stop[] = []
  for (const kind of wholeKinds) {
    const strangers = hostileApi(await chirograph.backend('acme'), kind, entered)
    const content = await makeContent(chirograph, strangers)
    const trust = await makeTrust(strangers, receiver.url)
    const rows = await makeOthers(kind, ids)
    const batch =
      rows
        .find((one) => one.startsWith('/console/batches/'))
        ?.split('/')
        .at(-1) ?? ''
    all.push(...fullStops({ ...content, ...trust, ...tables, batch } satisfies Full), ...rows.map((path) => ({ path })))
  }
  await rename()
  stops = [...new Map(all.map((one) => [JSON.stringify(one), one])).values()]
}

/** Makes a row of each list for a kind. @returns the paths of their pages */
async function makeOthers(kind: string, ids: Ids): Promise<readonly string[]> {
  const tool = openssl()
  const strangers = hostileApi(await chirograph.backend('acme'), kind, entered)
  const name = hostileNames[kind] ?? `${OWN}${'Bank'.repeat(40)}`
  const entity = await makeEntity(strangers, tool, name, kinds.indexOf(kind))
  tool.remove()
  // There may be twenty endpoints, of which `makeTrust` makes two.
  const without = wholeKinds.includes(kind) ? ['/creds/endpoints'] : []
  const own = { ...ids, provider: `stranger-${kinds.indexOf(kind)}` }
  const made = [...(await makeRows(strangers, own, without)), entity, await makeByScim(await scim(), kind, name)]
  pages.set(kind, made)
  return made
}

let identitySystem: Promise<Api> | undefined
function scim(): Promise<Api> {
  const make = async () => {
    const made = await acme.post('/onboarding/clients', { name: 'Identity system', roles: ['user-admin'] })
    const { clientId } = made.body.data
    const { body } = await acme.post('/onboarding/scim-tokens', { clientId, name: 'Sync' })
    return api(chirograph.url, body.data.token)
  }
  identitySystem ??= make()
  return identitySystem
}

/** The person who is signed in, and the organisation. */
async function rename(): Promise<void> {
  acme = await chirograph.backend('acme')
  const person = await acme.patch('/onboarding/users/naledi', { firstName: OWN, lastName: 'zq1x\u202e\u2066' })
  assert.equal(person.status, 200, JSON.stringify(person.body))
  const strangers = hostileApi(acme, wholeKinds[0] ?? '', entered)
  const about = { supportAddress: 'https://help.example/', mailFromName: 'x' }
  const organisation = await strangers.patch('/onboarding/organisation', about)
  assert.equal(organisation.status, 200, JSON.stringify(organisation.body))
}

/** Keeps a table as a person does, without scripts. @returns the path of its page */
async function keepTable(template: string, isBad: boolean, name = OWN): Promise<string> {
  await console_.open(`${TABLE}?template=${template}`)
  const { hidden } = console_.form(TABLE)
  const line = `--${BOUNDARY}\r\nContent-Disposition: form-data; name=`
  const members = Object.entries(hidden).map(([key, value]) => `${line}"${key}"\r\n\r\n${value}\r\n`)
  const file = `${line}"file"; filename="${name.replaceAll('"', '%22')}.csv"\r\nContent-Type: text/csv\r\n\r\n${hostileTable(isBad)}\r\n`
  const sent = `${members.join('')}${file}--${BOUNDARY}--\r\n`
  const type = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` }
  const shown = await console_.request('POST', TABLE, sent, type)
  assert.match(shown.url, /^\/console\/issue\/table\/[0-9a-f-]{36}$/, shown.html)
  return shown.url
}

/** Asks for a new card of a table. @returns its page */
async function proposeCard(table: string): Promise<string> {
  await console_.open(table)
  const shown = await console_.send(table, { template: 'new' })
  assert.match(shown.url, /\/card$/, shown.html)
  return shown.url
}

/** Opens a page, or sends its form. @returns its HTML */
async function htmlOf({ path, send }: Stop): Promise<string> {
  let shown = await console_.open(path)
  if (send !== undefined) {
    const own = path.split('?', 1)[0] ?? ''
    shown = await console_.send(shown.html.includes(`action="${own}"`) ? own : firstAction(shown.html), send)
  }
  assert(shown.status < 500, `${path} ${shown.status}`)
  return shown.html
}

function firstAction(html: string): string {
  return /<main[\s\S]*?<form method="post" action="([^"?]+)/.exec(html)?.[1] ?? ''
}

/** A page and, if it is one of a list, those that follow it. */
async function pagesFrom(stop: Stop): Promise<readonly string[]> {
  const found = [await htmlOf(stop)]
  for (let next = nextOf(found[0]); next !== null && found.length < 5; next = nextOf(found.at(-1)))
    found.push(await htmlOf({ path: next }))
  return found
}

function nextOf(html = ''): string | null {
  return /rel="next" href="([^"]+)"/.exec(html)?.[1]?.replaceAll('&#38;', '&') ?? null
}

async function blankPage(): Promise<{ readonly page: Page; readonly close: () => Promise<void> }> {
  const context = await browser.newContext()
  return { page: await context.newPage(), close: () => context.close() }
}

/** Members that no page of the console shows; and why. */
const shownNowhere: readonly (readonly [members: RegExp, reason: string])[] = [
  [/templates\/credentials \/display\/(name|description)$/, 'wallets show them'],
  [/issuance\/batch \/items\/\[\]\/replaces\/reference$/, 'shown as the reference of an item that states none itself'],
  [/presentations\/request \/reference$/, 'systems of the organisation find a check by it'],
  [
    /credentials\/issuance \/attributes\/\{\}$/,
    'the claims of a credential are sealed, and are shown to its holder alone',
  ],
  [/identity-providers(\/\{id\})? \/clientSecret$/, 'a secret, which is never shown'],
  [/csrs \/commonName$/, 'in the request alone, which is PEM'],
  [/\/externalIdentifier$/, 'identity systems find a person or group by it'],
]

test('no text of a stranger becomes more than a text on any page: no element, no address, nothing turned or hidden, apart from its surroundings', async () => {
  const { page, close } = await blankPage()
  const [seen, harms] = [new Set<string>(), new Set<string>()]
  for (const stop of stops)
    for (const html of await pagesFrom(stop)) {
      for (const [mark] of html.matchAll(MARK)) seen.add(entered.marks.get(mark)?.place ?? '')
      for (const harm of await harmsIn(page, html)) harms.add(`${stop.path}: ${harm}`)
    }
  await close()
  const places = new Set([...entered.marks.values()].map(({ place }) => place))
  const missed = [...places].filter(
    (one) => !seen.has(one) && !entered.refused.has(one) && !shownNowhere.some(([members]) => members.test(one)),
  )
  assert.deepEqual({ harms: [...harms], missed }, { harms: [], missed: [] })
})

test('every page of the console is among them, and every member of the API that takes a text', () => {
  assert.deepEqual(unvisited(stops), [])
  const reached = new Set([...[...entered.marks.values()].map(({ place }) => place), ...entered.refused.keys()])
  const unsaid = [...membersOfApi()].filter(
    (one) =>
      !isKept(one) &&
      !reached.has(one) &&
      !reached.has(asCreated(one)) &&
      !elsewhere.some(([members]) => members.test(one)),
  )
  assert.deepEqual(unsaid, [])
})

/** A change has the members of what creates the same. */
function asCreated(place: string): string {
  return place.replace(/^(PUT|PATCH) (.*)\/\{\w+\} /, 'POST $2 ')
}

/** Members whose texts the pages of the console do not show; and why. */
const elsewhere: readonly (readonly [members: RegExp, reason: string])[] = [
  [/\/creds\/credentials\/(revoke|suspend|reinstate) /, 'filters, which are not kept'],
  [/issuance \/replaces\/reference$/, 'names a credential that is there, and is not kept'],
  [/organisation \/(registeredVerifiers|transactionDataTypes)/, 'in a field, as JSON'],
  [/organisation \/logoUri$/, 'an address or a picture, of which nothing else is taken: logo.test.ts'],
  [/\/display\/(logo|backgroundImage)\/uri$/, 'a picture: one that would run a script is entered'],
  [/\/external-identifier \/externalIdentifier$/, 'no page shows it'],
  [/\/postLogoutRedirectUris\/\[\]$/, 'as the redirect URIs'],
]

/** Method, path and pointer of every free text in the bodies of the API of organisations. */
function membersOfApi(): ReadonlySet<string> {
  const found = new Set<string>()
  for (const [path, methods] of Object.entries(document.paths)) {
    if (!/^\/(creds|onboarding)\//.test(path) || path.includes('/scim/v2/')) continue
    for (const [method, operation] of Object.entries(methods)) {
      const schema = schemaOf(operation)
      if (schema !== undefined)
        for (const one of freeIn(schema, '', [])) found.add(`${method.toUpperCase()} ${path} ${one}`)
    }
  }
  return found
}

function freeIn(schema: Shape, pointer: string, above: readonly unknown[]): readonly string[] {
  if (above.includes(schema.$ref ?? schema)) return []
  const below = [...above, schema.$ref ?? schema]
  return optionsOf(schema).flatMap((one) => {
    const { properties, items, additionalProperties } = one
    const rest = typeof additionalProperties === 'object' ? additionalProperties : undefined
    return [
      ...(isFree(one) && takesMarkup(one) ? [pointer] : []),
      ...Object.entries(Object(properties ?? {})).flatMap(([name, each]) =>
        freeIn(Object(each), `${pointer}/${name}`, below),
      ),
      ...(items === undefined ? [] : freeIn(Object(items), `${pointer}/[]`, below)),
      ...(rest === undefined ? [] : freeIn(Object(rest), `${pointer}/{}`, below)),
    ]
  })
}

/** Whether a pattern lets a text through that could do harm. */
function takesMarkup({ pattern }: Shape): boolean {
  const texts = ['a<b>', 'https://a.example/?<b>']
  return typeof pattern !== 'string' || texts.some((one) => new RegExp(pattern, 'u').test(one))
}

test('in a browser texts of strangers run nothing, ask nothing of other origins, and nothing sticks out at 320 px', async () => {
  const { page, troubles, close } = await visit(browser, chirograph.url, {
    storageState: owner,
    viewport: { width: 320, height: 640 },
  })
  const dialogs: string[] = []
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.message())
    return dialog.dismiss()
  })
  const lists = [...new Set(stops.map(({ path }) => path))].filter((path) => /^\/console(\/[a-z-]+)?$/.test(path))
  for (const path of [...lists, ...wholeKinds.flatMap((kind) => pages.get(kind) ?? [])]) {
    await page.goto(path)
    assert(!['owned', '1'].includes(await page.title()), path)
    assert.deepEqual(await layoutDefects(page), [], path)
  }
  assert.deepEqual([...troubles, ...dialogs], [])
  await close()
})

test('colours that hide a text are refused for the pages of the organisation, and replaced on a card', async () => {
  acme = await chirograph.backend('acme')
  const [backgroundColor, textColor] = ['#ffffff', '#fffffe']
  const template = { name: 'White', code: 'white', attributes: { a: { type: 'string' } } }
  const card = await acme.post('/creds/templates/credentials', { ...template, display: { backgroundColor, textColor } })
  const shown = await console_.open(`/console/templates/${card.body.data.id}`)
  assert.match(shown.html, /data-back="#ffffff" data-ink="#000000"/)
  const accent = await acme.patch('/onboarding/organisation', { accentColor: '#ffffff' })
  assert.equal(accent.status, 400, JSON.stringify(accent.body))
})

test('in no file does a cell of a stranger begin a formula', async () => {
  const files = new Map<string, string>()
  for (const stop of stops) {
    if (stop.send !== undefined) continue
    for (const [, href = ''] of (await htmlOf(stop)).matchAll(
      /href="([^"]*(?:download=csv|\/links|\/failed|\/problems|\/sample\?)[^"]*)"/g,
    )) {
      const path = href.replaceAll('&#38;', '&')
      if (files.has(path)) continue
      const { status, html } = await console_.open(path)
      assert.equal(status, 200, path)
      files.set(path, html)
    }
  }
  for (const [path, methods] of Object.entries(document.paths)) {
    if (path.includes('{') || !JSON.stringify(Object(methods).get?.responses ?? {}).includes('text/csv')) continue
    const { status, body } = await acme.get(path, { accept: 'text/csv' })
    if (status === 200) files.set(`API ${path}`, body)
  }
  let quoted = 0
  for (const [path, text] of files)
    for (const [whole, inside] of text.matchAll(/"((?:[^"]|"")*)"|[^,;\t\r\n"]+/g)) {
      const cell = inside?.replaceAll('""', '"') ?? whole
      assert(!isFormula(cell), `${path}: ${cell}`)
      if (cell.startsWith("'") && isFormula(cell.slice(1))) quoted += 1
    }
  console.log(`${files.size} files, ${quoted} cells that a spreadsheet would run`)
  assert(files.size > 20 && quoted > 100)
})

test('a text of a stranger is cut, on one line and without what turns other text', () => {
  for (const [what, text] of Object.entries(hostileNames)) {
    const shown = foreignText(text, 100) ?? ''
    assert(shown.length <= 100 && !isUnsendable(shown) && !shown.includes('\n') && shown.isWellFormed(), what)
    assert.equal(foreignText(shown, 100), shown, what)
  }
  assert.equal(foreignText(' Bank\n of  the Cape ', 200), 'Bank of the Cape')
  assert.equal(foreignText('👩‍👩‍👧 می‌خواهم n\u200da', 200), '👩‍👩‍👧 می‌خواهم na')
  const spent = cpuTimer()
  foreignText('\u0300'.repeat(1_000_000), 200)
  assert(spent() < 200)
})
