import { createHash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import type { Browser, BrowserContextOptions, Page, Response } from 'playwright-core'
import { axeDefects, layoutDefects, markupDefects, type Visit, visit } from './browser.ts'

/** A window and a colour scheme. Each neighbour in {@link looks} differs from the one before in one of them. */
type Look = {
  readonly name: string
  readonly colorScheme: 'light' | 'dark'
  readonly viewport: { readonly width: number; readonly height: number }
}

const wide = { width: 1360, height: 900 } as const
const narrow = { width: 320, height: 640 } as const
const looks: readonly Look[] = [
  { name: 'wide-light', colorScheme: 'light', viewport: wide },
  { name: 'wide-dark', colorScheme: 'dark', viewport: wide },
  { name: 'narrow-dark', colorScheme: 'dark', viewport: narrow },
  { name: 'narrow-light', colorScheme: 'light', viewport: narrow },
]

/** A page of the walk. `send`: the form of the page is sent with these values, and the answer is looked at. `status`: of the answer, 200 by default. */
export type Stop = {
  readonly path: string
  readonly send?: Readonly<Record<string, string>>
  readonly status?: number
}

/** The stops of one person. `kind` names them in defects and pictures. */
export type Round = {
  readonly kind: string
  readonly as: BrowserContextOptions['storageState']
  readonly stops: readonly Stop[]
}

/** A walk in one language, with scripts or without. `start` takes the language. */
export type Walk = {
  readonly browser: Browser
  readonly origin: string
  readonly language: 'en' | 'fr'
  readonly javaScriptEnabled: boolean
  readonly start: string
  readonly rounds: readonly Round[]
  /** Folder for a picture of every page; none are made without it. */
  readonly pictures: string | undefined
  /** Findings of the walks so far: what one walk has checked, the others need not check again. */
  readonly checked: Map<string, Promise<readonly string[]>>
}

/** Of these rules of axe the result depends on the colour scheme. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block']
/** What axe looks for in each of {@link looks}. */
const rulesOf = {
  en: ['all', undefined, COLOUR_RULES, undefined],
  fr: [undefined, COLOUR_RULES, undefined, 'all'],
} as const

/** `WALK=all`: every page in each language with and without scripts; else in each of both once, in turn: a page in English with scripts is in French without. */
const isThorough = process.env.WALK === 'all'

/**
 * Walks the stops. Each page is loaded once, and then looked at in both colour schemes at 320 and 1,360 px. In each of these four: nothing sticks
 * out, is cut off, or covered. In one of them axe with all rules, in the one with the other scheme and width the rules of colour; in the other
 * language it is the other two. Of each page: its status, valid HTML, no error of the console, no request to another origin. With scripts also
 * right to left, at 320 px.
 *
 * What axe and the validator would see in the very same state a second time is not given to them again: same look, same elements, attributes, texts
 * and boxes; or the same HTML but for tokens and ids.
 *
 * @returns what is wrong, by page and look
 */
export async function walk(on: Walk): Promise<string[]> {
  if (on.pictures !== undefined) mkdirSync(on.pictures, { recursive: true })
  const defects: string[] = []
  for (const { kind, as, stops } of on.rounds) {
    const visited = await visit(on.browser, on.origin, {
      ...{ javaScriptEnabled: on.javaScriptEnabled, colorScheme: 'light', viewport: wide },
      ...(as !== undefined && { storageState: as }),
    })
    visited.page.setDefaultTimeout(15_000)
    await visited.page.goto(`${on.start}?lang=${on.language}`)
    for (const [index, stop] of stops.entries()) {
      if (!isThorough && (index % 2 === 0) !== ((on.language === 'en') === on.javaScriptEnabled)) continue
      const name = `${kind}-${String(index).padStart(2, '0')}-${on.language}${on.javaScriptEnabled ? '' : '-plain'}`
      const before = visited.troubles.length
      const looked = await lookAt(on, visited, stop, name).catch((error: Error) => [error.message])
      const found = [...looked, ...visited.troubles.slice(before)]
      defects.push(...found.map((one) => `${stop.path} ${name}: ${one}`))
    }
    await visited.close()
  }
  return defects
}

async function lookAt(on: Walk, { page }: Visit, stop: Stop, name: string): Promise<string[]> {
  const response = await arrive(page, stop)
  const found = [...(await wrongStatus(response, stop)), ...(await once(on, ...(await markupOf(response))))]
  for (const [index, look] of looks.entries()) {
    const { colorScheme, viewport } = look
    if (index > 0) await page.emulateMedia({ colorScheme })
    if (index > 0) await page.setViewportSize(viewport)
    const wrong = await layoutDefects(page)
    const rules = rulesOf[on.language][index]
    if (rules !== undefined) {
      const key = `${look.name} ${String(rules)} ${await page.evaluate<string>(shownState).then(digest)}`
      const axe = () => axeDefects(page, rules === 'all' ? undefined : rules, on.javaScriptEnabled)
      wrong.push(...(await once(on, key, axe)))
    }
    if (on.pictures !== undefined)
      await page.screenshot({ path: `${on.pictures}/${name}-${look.name}.png`, fullPage: true })
    found.push(...wrong.map((one) => `${look.name}: ${one}`))
  }
  if (on.javaScriptEnabled) {
    await page.evaluate(`document.documentElement.dir = 'rtl'`)
    found.push(...(await layoutDefects(page)).map((one) => `right to left: ${one}`))
  }
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize(wide)
  return found
}

/** Opens the page, and sends its form if the stop says so. */
async function arrive(page: Page, { path, send }: Stop): Promise<Response | null> {
  const opened = await page.goto(path)
  if (send === undefined) return opened
  const [sent] = await Promise.all([
    page.waitForResponse((one) => one.request().isNavigationRequest() && one.request().method() === 'POST'),
    page.evaluate(`(${sendForm})(${JSON.stringify(Object.entries(send))})`),
  ])
  await page.waitForLoadState('load')
  return sent
}

/** Runs in the page. Sends the form that posts to the address of the page, or the first one, with these values, whatever the browser thinks of them. */
const sendForm = `(values) => {
  const forms = [...document.querySelectorAll('main form[method=post]')]
  const form = forms.find((one) => new URL(one.action).pathname === location.pathname) ?? forms[0]
  for (const [name, value] of values) {
    const field = form.elements.namedItem(name)
    if (field instanceof HTMLElement && field.tagName !== 'BUTTON') field.value = value
    else form.append(Object.assign(document.createElement('input'), { type: 'hidden', name, value }))
  }
  HTMLFormElement.prototype.submit.call(form)
}`

async function wrongStatus(response: Response | null, { status = 200 }: Stop): Promise<string[]> {
  return response?.status() === status ? [] : [`the status is ${response?.status()} instead of ${status}`]
}

/** What the validator reads, without what differs each time. */
async function markupOf(response: Response | null): Promise<readonly [string, () => Promise<string[]>]> {
  const text = (await response?.text()) ?? ''
  const lasting = text.replaceAll(/(nonce|value)="[\w-]{20,}"|[0-9a-f]{8}-[0-9a-f-]{27}/g, '')
  return [digest(lasting), () => markupDefects(response)]
}

function once({ checked }: Walk, key: string, check: () => Promise<readonly string[]>): Promise<readonly string[]> {
  const known = checked.get(key) ?? check()
  checked.set(key, known)
  return known
}

/** Runs in the page: what is shown, where. Hidden fields, addresses and ids are left out. */
const shownState = `(() => {
  const parts = []
  for (const one of document.documentElement.querySelectorAll('body, body *')) {
    if (one.matches('input[type=hidden]')) continue
    const { x, y, width, height } = one.getBoundingClientRect()
    const own = [...one.childNodes].map((node) => (node.nodeType === 3 ? node.data : '')).join('')
    const attributes = [...one.attributes].map(({ name, value }) => name + '=' + (/^\\/|^https?:/.test(value) ? '/' : value))
    parts.push(one.tagName, ...attributes, own, x, y, width, height, one.value, one.checked, one.open)
  }
  return parts.join('|').replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '')
})()`

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64')
}
