import { createHash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import type { Browser, BrowserContextOptions, Page, Response } from 'playwright-core'
import type { Language } from '../../src/contract/languages.ts'
import { axeDefects, focusDefects, headingDefects, layoutDefects, markupDefects, type Visit, visit } from './browser.ts'

/** A window and a colour scheme. */
type Look = {
  readonly name: string
  readonly colorScheme: 'light' | 'dark'
  readonly viewport: { readonly width: number; readonly height: number }
}

const wide = { width: 1360, height: 900 } as const
const narrow = { width: 320, height: 640 } as const
const [light, dark] = ['light', 'dark'] as const
const wideLight: Look = { name: 'wide-light', colorScheme: light, viewport: wide }
const wideDark: Look = { name: 'wide-dark', colorScheme: dark, viewport: wide }
const narrowDark: Look = { name: 'narrow-dark', colorScheme: dark, viewport: narrow }
const narrowLight: Look = { name: 'narrow-light', colorScheme: light, viewport: narrow }
/**
 * Of a page one language is seen in the looks of one pair, the other language in those of the other. Each pair has both
 * schemes and both widths.
 */
const pairs = [
  [wideLight, narrowDark],
  [narrowLight, wideDark],
] as const

/** Windows between those of the looks, in which the layout is looked at besides: one in each language. */
const between: Readonly<Record<Language, Look['viewport']>> = {
  en: { width: 1280, height: 800 },
  fr: { width: 360, height: 640 },
  de: { width: 1024, height: 768 },
}

/**
 * A page of the walk. `send`: the form of the page is sent with these values, and the answer is looked at. `status`: of
 * the answer, 200 by default.
 */
export type Stop = {
  readonly path: string
  readonly send?: Readonly<Record<string, string>>
  readonly status?: number
}

/**
 * The stops of one person. `kind` names them in defects and pictures. `isAlike`: many are the same page; of those one
 * is looked at, and the status of all.
 */
export type Round = {
  readonly kind: string
  readonly isAlike?: boolean
  readonly as: BrowserContextOptions['storageState']
  readonly stops: readonly Stop[]
}

/** A walk in one language, with scripts or without. `start` takes the language. */
export type Walk = {
  readonly browser: Browser
  readonly origin: string
  readonly language: Language
  readonly javaScriptEnabled: boolean
  readonly start: string
  /** Tab is pressed through each page once. */
  readonly hasKeyboard?: boolean
  readonly rounds: readonly Round[]
  /** Folder for a picture of every page; none are made without it. */
  readonly pictures: string | undefined
  /** What the walks so far have checked of each page: what one of them has checked, the others need not check again. */
  readonly checked: Set<string>
}

/** Of these rules of axe the result depends on the colour scheme. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block']

/**
 * `WALK=all`: every page in each language with and without scripts, in all looks, and every check in each; else in each
 * of both once, in turn: a page in English with scripts is in French without, and what is the same in both is given to
 * axe and the validator once.
 */
const isThorough = process.env.WALK === 'all'

/**
 * Walks the stops. Each page is loaded once in each language, and then looked at, over all languages, in both colour
 * schemes at 320 and 1,360 px, and at 360, 1,024 and 1,280 px. In each of these: nothing sticks out, is cut off, or
 * covered, and the title is in the first view (no size depends on the scheme: a test of the style sheets). Of each
 * page: its status, headings, a way from a refusal, valid HTML, no error of the console, no request to another origin.
 * With scripts also right to left, at 320 px. In one look axe with all rules, in the one with the other scheme and
 * width the rules of colour; not again in the other language where elements, attributes and styles are the very same
 * and only texts differ.
 *
 * @returns what is wrong, by page and look
 */
export async function walk(on: Walk): Promise<string[]> {
  if (on.pictures !== undefined) mkdirSync(on.pictures, { recursive: true })
  const defects: string[] = []
  for (const { kind, as, stops, isAlike = false } of on.rounds) {
    const visited = await visit(on.browser, on.origin, {
      javaScriptEnabled: on.javaScriptEnabled,
      colorScheme: 'light',
      viewport: wide,
      ...(as !== undefined && { storageState: as }),
    })
    visited.page.setDefaultTimeout(15_000)
    await visited.page.goto(`${on.start}?lang=${on.language}`)
    for (const [index, stop] of stops.entries()) {
      if (!isThorough && (index % 2 === 0) !== ((on.language === 'en') === on.javaScriptEnabled)) continue
      const name = `${kind}-${String(index).padStart(2, '0')}-${on.language}${on.javaScriptEnabled ? '' : '-plain'}`
      const looks = isThorough ? pairs.flat() : pairs[(Math.floor(index / 2) + (on.language === 'en' ? 0 : 1)) % 2]
      const before = visited.troubles.length
      const looked = await (isAlike && !isThorough ? isKnown(on, visited.page, stop) : Promise.resolve(false))
        .then((known) => (known ? [] : lookAt(on, visited, { stop, name, looks: looks ?? [] })))
        .catch((error: Error) => [error.message])
      const found = [...looked, ...visited.troubles.slice(before)]
      defects.push(...found.map((one) => `${stop.path} ${name}: ${one}`))
    }
    await visited.close()
  }
  return defects
}

/** Whether a page is, but for ids, one that was looked at in this language, with scripts or without. */
async function isKnown(on: Walk, page: Page, { path, status = 200 }: Stop): Promise<boolean> {
  const answer = await page.request.get(path, { headers: { accept: 'text/html' } })
  if (answer.status() !== status) throw new Error(`the status is ${answer.status()} instead of ${status}`)
  return !isNew(on, `${on.language} ${on.javaScriptEnabled} ${lasting(await answer.text())}`)
}

type Sight = { readonly stop: Stop; readonly name: string; readonly looks: readonly Look[] }

async function lookAt(on: Walk, { page }: Visit, { stop, name, looks }: Sight): Promise<string[]> {
  const response = await arrive(page, stop)
  const found = [...(await wrongStatus(response, stop))]
  const id = `${stop.path} ${JSON.stringify(stop.send)}`
  if (isNew(on, `${id} html ${outlineOf((await response?.text()) ?? '')}`))
    found.push(...(await markupDefects(response)))
  const hasAxe = isNew(on, `${id} ${await page.evaluate<string>(outlineShown)}`)
  found.push(...(await headingDefects(page, response?.status() ?? 0)))
  for (const [index, { name: look, colorScheme, viewport }] of looks.entries()) {
    await page.emulateMedia({ colorScheme })
    if (page.viewportSize()?.width !== viewport.width) await page.setViewportSize(viewport)
    const wrong = await layoutDefects(page)
    const rules = index % 2 === 0 ? undefined : COLOUR_RULES
    if (hasAxe) wrong.push(...(await axeDefects(page, rules, on.javaScriptEnabled)))
    // A page that is small has the most to cover; what Tab reaches depends neither on the language nor on the scheme.
    if (on.hasKeyboard && on.javaScriptEnabled && viewport === narrow && isNew(on, `${id} keyboard`))
      wrong.push(...(await focusDefects(page)))
    if (on.pictures !== undefined) await page.screenshot({ path: `${on.pictures}/${name}-${look}.png`, fullPage: true })
    if (on.javaScriptEnabled && viewport === narrow) {
      await page.evaluate(`document.documentElement.dir = 'rtl'`)
      wrong.push(...(await layoutDefects(page)).map((one) => `right to left: ${one}`))
      await page.evaluate(`document.documentElement.removeAttribute('dir')`)
    }
    found.push(...wrong.map((one) => `${look}: ${one}`))
  }
  for (const viewport of isThorough ? Object.values(between) : [between[on.language]]) {
    await page.setViewportSize(viewport)
    found.push(...(await layoutDefects(page)).map((one) => `${viewport.width} px: ${one}`))
  }
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

/**
 * Runs in the page. Sends the form that posts to the address of the page, or the first one, with these values, whatever
 * the browser thinks of them.
 */
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

/** HTML without what differs each time. */
function lasting(html: string): string {
  return html.replaceAll(/(nonce|value)="[\w-]{20,}"|[0-9a-f]{8}-[0-9a-f-]{27}/g, '')
}

/**
 * HTML in which every text is the same: what two languages of a page have in common. Characters that HTML escapes stay.
 */
function outlineOf(html: string): string {
  return lasting(html)
    .replaceAll(/<(a|span)[^>]* lang="\w\w"[^>]*>[^<]*<\/\1>/g, '')
    .replaceAll(/ (lang|hreflang|title|alt|content|placeholder|aria-label|value)="[^"]+"/g, ' $1="t"')
    .replaceAll(/lang=\w\w/g, '')
    .replaceAll(/>([^<]*\S[^<]*)</g, (_, text: string) => `>${text.replaceAll(/[^&"']+/g, 't')}<`)
}

/** Whether this walk is the first to check it; true in a thorough one. */
function isNew({ checked }: Walk, what: string): boolean {
  const key = createHash('sha256').update(what).digest('base64')
  if (checked.has(key)) return isThorough
  checked.add(key)
  return true
}

/**
 * Runs in the page: its elements and their attributes, whether each has a text, and the colour of the organisation.
 * Hidden fields, addresses, ids and the words themselves are left out.
 */
const outlineShown = `(() => {
  const words = ['lang', 'hreflang', 'title', 'alt', 'placeholder', 'aria-label', 'value', 'content']
  const parts = [getComputedStyle(document.documentElement).getPropertyValue('--accent')]
  for (const one of document.documentElement.querySelectorAll('body, body *')) {
    if (one.matches('input[type=hidden], [lang]')) continue
    const has = [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '')
    const attributes = [...one.attributes].map(({ name, value }) =>
      name + '=' + (/^\\/|^https?:/.test(value) ? '/' : words.includes(name) ? value.trim() !== '' : value))
    parts.push(one.tagName, ...attributes, has, one.checked, one.open)
  }
  return parts.join('|').replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}|lang=\\w\\w/g, '')
})()`
