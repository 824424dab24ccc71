import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { HtmlValidate } from 'html-validate'
import { type Browser, type BrowserContextOptions, chromium, type Page, type Response } from 'playwright-core'

/** A page of a browser profile of its own, and what must not happen in it. */
export type Visit = {
  readonly page: Page
  /** Errors of the console, uncaught errors and requests to foreign origins, so far. */
  readonly troubles: readonly string[]
  readonly close: () => Promise<void>
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/**
 * Parts of Chromium that are switched off: the pages behind the address bar, which every window loads and tells of
 * every navigation, though nobody sees them: half the CPU of a page. Chromium reads the last list only, so Playwright's
 * own stands here too (browser.test.ts).
 */
export const DISABLED_FEATURES = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'TcpPortRandomizationWin',
  'ThirdPartyStoragePartitioning',
]

/**
 * Starts Debian's Chromium without a window: its headless shell where that is installed, which shows the same pages for
 * a fifth less CPU.
 *
 * @param permits `everything`: for a test that permits a page to use a camera or to show messages, which the shell
 *   refuses: the whole browser
 * @param more Switches of its command line
 * @throws Error that says what to install, where the program is missing
 */
export async function openBrowser(
  permits: 'everything' | 'nothing' = 'nothing',
  more: readonly string[] = [],
): Promise<Browser> {
  if (spawnSync('chromium', ['--version']).error !== undefined) {
    throw new Error('these tests look at pages in a browser: install the package chromium')
  }
  const folders = (process.env.PATH ?? '').split(':')
  const programs = permits === 'everything' ? ['chromium'] : ['chromium-headless-shell', 'chromium']
  const paths = programs.flatMap((program) => folders.map((folder) => join(folder, program)))
  const executablePath = paths.find((path) => existsSync(path)) ?? ''
  // With profiles that take turns, the browser would end and begin the process that it keeps for the next page at every
  // page. Sites stay apart.
  const limit = '--renderer-process-limit=1'
  const without = `--disable-features=${DISABLED_FEATURES.join(',')}`
  return chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', limit, without, ...more],
  })
}

/** Opens an empty page in a profile of its own. @param origin The only origin that the page may reach. */
export async function visit(browser: Browser, origin: string, options: BrowserContextOptions = {}): Promise<Visit> {
  // While a view transition runs, its picture covers the page.
  const still = { reducedMotion: 'reduce', viewport: { width: 1360, height: 900 } } as const
  const context = await browser.newContext({ baseURL: origin, ...still, ...options })
  const page = await context.newPage()
  const troubles: string[] = []
  page.on('console', (line) => {
    // The browser reports every refused request here too; the tests look at the status themselves.
    if (['error', 'warning'].includes(line.type()) && !line.text().startsWith('Failed to load resource'))
      troubles.push(`console: ${line.text()}`)
  })
  page.on('pageerror', (error) => troubles.push(`uncaught: ${error.message}`))
  page.on('request', (request) => {
    if (!request.url().startsWith(`${origin}/`) && !request.url().startsWith('data:'))
      troubles.push(`foreign: ${request.url()}`)
  })
  return { page, troubles, close: () => context.close() }
}

/** Presses a link that downloads a file. @param name Of the link @returns the file */
export async function downloaded(page: Page, name: string): Promise<Buffer> {
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name }).click()])
  return readFileSync(await file.path())
}

/** Of a page without scripts: what is put off runs after what is running. */
const TIMERS =
  'globalThis.setTimeout = (work, _, ...given) => { Promise.resolve().then(() => work(...given)); return 0 }'

/**
 * What is wrong with the page as it is shown now, by axe: WCAG 2.2 AA and its best practice.
 *
 * @param rules These alone
 * @param hasScripts Whether the profile runs scripts
 */
export async function axeDefects(page: Page, rules?: readonly string[], hasScripts = true): Promise<string[]> {
  // Evaluated by the protocol of the browser, which the policy of the page does not concern.
  if (!(await page.evaluate<boolean>(`'axe' in globalThis`))) await page.evaluate(axeSource)
  const runOnly = rules === undefined ? { type: 'tag', values: tags } : { type: 'rule', values: rules }
  // WCAG 2.2.1, real-time events: without scripts a page that shows a live state loads itself again.
  const live = { 'meta-refresh': { enabled: false } }
  // Where scripts are off no timer runs, and axe asks for none that matters. It would load the style sheets for rules
  // that are not among these.
  return page.evaluate(
    `${hasScripts ? '' : TIMERS}; axe.run(document, { preload: false, resultTypes: ['violations'], runOnly: ${JSON.stringify(runOnly)}, rules: ${JSON.stringify(rules === undefined ? live : {})} }).then(({ violations }) =>
      violations.flatMap(({ id, help, nodes }) => nodes.map(({ html }) => 'axe ' + id + ': ' + help + ': ' + html.slice(0, 200))))`,
  )
}

/** What axe cannot see: content that sticks out of the window, that its box cuts off, or that something else covers. */
export function layoutDefects(page: Page): Promise<string[]> {
  return page.evaluate(shownWrong)
}

/**
 * Presses Tab through the page, at most `pressesMax` times: what is not reached, and what something else covers while
 * it has the focus. Of radio buttons of one name one is reached.
 */
export async function focusDefects(page: Page, pressesMax = 400): Promise<string[]> {
  let left = await page.evaluate<number>(watchFocus)
  // The page looks by itself at each stop, so it is asked once for as many presses as there are stops. Each press is
  // waited for: it scrolls.
  for (let presses = 0; left > 0 && presses < pressesMax; ) {
    const until = Math.min(presses + left, pressesMax)
    for (; presses < until; presses += 1) await page.keyboard.press('Tab')
    left = await page.evaluate<number>('globalThis.awaitsFocus.size')
  }
  const [covered, unreached] = await page.evaluate<[string[], string[]]>(foundByFocus)
  return [
    ...covered.map((one) => `has the focus behind something else: ${one}`),
    ...unreached.map((one) => `not reached by Tab: ${one}`),
  ]
}

/**
 * Runs in the page: whether an element is in the window, and nothing but its label covers the middle of what is. At its
 * edge the next line begins.
 */
const focusSeen = `(one) => {
  const box = one.getClientRects()[0]
  if (box === undefined) return true
  const middle = (from, to, end) => (Math.max(from, 0) + Math.min(to, end)) / 2
  const top = document.elementFromPoint(middle(box.left, box.right, innerWidth), middle(box.top, box.bottom, innerHeight))
  return top !== null && (one.contains(top) || [...(one.labels ?? [])].some((label) => label.contains(top)))
}`

/**
 * Runs in the page. Keeps what Tab should reach, looks at it once it has the focus, and returns how much there is. The
 * key is let go after the focus has moved and the page has scrolled.
 */
const watchFocus = `(() => {
  const groups = new Set()
  globalThis.coveredFocus = []
  globalThis.awaitsFocus = new Set([...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex]')].filter((one) => {
    if (one.tabIndex < 0 || one.disabled || one.type === 'hidden' || !one.checkVisibility({ visibilityProperty: true })) return false
    if (one.type !== 'radio') return true
    if (groups.has(one.name) || ([...document.getElementsByName(one.name)].some((other) => other.checked) && !one.checked)) return false
    return groups.add(one.name)
  }))
  document.addEventListener('keyup', () => {
    const one = document.activeElement
    if (globalThis.awaitsFocus.delete(one) && !(${focusSeen})(one)) globalThis.coveredFocus.push(one.outerHTML.slice(0, 160))
  })
  return globalThis.awaitsFocus.size
})()`

const foundByFocus = `[globalThis.coveredFocus, [...globalThis.awaitsFocus].map((one) => one.outerHTML.slice(0, 160))]`

/** A page has one first heading, and no other heading says the same; a page about a refusal has a way from there. */
export async function headingDefects(page: Page, status: number): Promise<string[]> {
  const [firsts, others, ways] = await page.evaluate<[string[], string[], number]>(
    `[...['h1', 'main :is(h2, h3)'].map((which) => [...document.querySelectorAll(which)].map((one) => one.textContent.trim())),
      document.querySelectorAll('main :is(a[href], form)').length]`,
  )
  return [
    ...(firsts.length === 1 ? [] : [`${firsts.length} first headings`]),
    ...others.filter((one) => firsts.includes(one)).map((one) => `the heading is there twice: ${one}`),
    ...(status >= 400 && ways === 0 ? ['no way from a page about a refusal'] : []),
  ]
}

const validator = new HtmlValidate({
  extends: ['html-validate:recommended', 'html-validate:document'],
  // How the source looks is no matter of the standard; the rest is as recommended.
  rules: {
    'no-trailing-whitespace': 'off',
    'void-style': 'off',
    'doctype-style': 'off',
    'attribute-boolean-style': 'off',
    'meta-refresh': 'off',
    // Names of organisations are long. Files come from the own origin, and their addresses contain their digests.
    'long-title': ['error', { maxlength: 200 }],
    'require-sri': 'off',
  },
})

/** What is wrong with the HTML as the server sent it. */
export async function markupDefects(response: Response | null): Promise<string[]> {
  const text = (await response?.text()) ?? ''
  const report = await validator.validateString(text)
  return report.results.flatMap(({ messages }) =>
    messages.map((one) => `html ${one.ruleId}: ${one.message} (${one.line}:${one.column})`),
  )
}

/** Runs in the page. */
const shownWrong = `(() => {
  const found = []
  const name = (one) => one.outerHTML.slice(0, 120)
  const isOnTop = (one) => {
    const box = one.getClientRects()[0]
    const top = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2)
    return top !== null && (top === one || one.contains(top))
  }
  if (document.documentElement.scrollWidth > innerWidth) found.push('the page is wider than the window')
  const title = document.querySelector('h1')
  if (title !== null && title.getBoundingClientRect().bottom > innerHeight) found.push('the title is not in the first view')
  for (const one of document.body.querySelectorAll('*')) {
    const box = one.getBoundingClientRect()
    if (box.width === 0 || box.height === 0 || one.matches('.skip, svg *')) continue
    if (box.left < -1 || box.right > innerWidth + 1) found.push('sticks out: ' + name(one))
    const { overflowX, overflowY } = getComputedStyle(one)
    const clips = overflowX !== 'visible' || overflowY !== 'visible'
    if (clips && !one.matches('input, textarea') && (one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 1))
      found.push('cuts its content off: ' + name(one))
    if (one.matches('.rows-frame') && one.scrollWidth > one.clientWidth + 1) found.push('is wider than its frame: ' + name(one))
  }
  const asks = document.querySelectorAll('dialog[open]').length > 0 ? 'dialog a, dialog button' : 'a, button, input:not([type=hidden])'
  for (const one of document.querySelectorAll(asks)) {
    if (one.matches('.skip') || one.getClientRects().length === 0 || !one.checkVisibility()) continue
    // To scroll costs a layout: only to what is not seen where the page stands.
    if (!isOnTop(one)) one.scrollIntoView({ block: 'center' })
    if (!isOnTop(one)) found.push('is covered: ' + name(one))
    const box = one.getClientRects()[0]
    if (!one.closest('p, .hint') && box.height < 24) found.push('is less than 24 px high: ' + name(one))
  }
  scrollTo(0, 0)
  return found
})()`
