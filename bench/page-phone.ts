import type { Browser, Page } from 'playwright-core'
import { rank, report } from './page-figures.ts'
import { type Step, shortly, type Visitor, type World } from './page-world.ts'

const PROFILES = 5
const [HOLDER_LCP_MAX, CONSOLE_LCP_MAX, INP_MS_MAX, CLS_MAX] = [1.2, 1.8, 200, 0.05]
/** Twenty seconds. */
const PAINT_TRIES = 400
/** Bytes a second: 1.6 Mbit/s. */
const RATE = 200_000

/** Collects what the browser measures of a page from its start. */
const observers = `globalThis.seen = { lcp: 0, cls: 0, inp: 0 }
new PerformanceObserver((list) => { for (const one of list.getEntries()) seen.lcp = one.startTime }).observe({ type: 'largest-contentful-paint', buffered: true })
new PerformanceObserver((list) => { for (const one of list.getEntries()) if (!one.hadRecentInput) seen.cls += one.value }).observe({ type: 'layout-shift', buffered: true })
new PerformanceObserver((list) => { for (const one of list.getEntries()) if (one.interactionId) seen.inp = Math.max(seen.inp, one.duration) }).observe({ type: 'event', durationThreshold: 16, buffered: true })`

type Seen = { readonly lcp: number; readonly cls: number; readonly inp: number }

/** What a person sees on a slow phone: five fresh profiles, medians. */
export async function benchPhone(browser: Browser, { url, pages, steps, owner, holder }: World): Promise<void> {
  for (const path of pages.console)
    await benchOne(browser, url, { name: shortly(path), path, by: owner }, CONSOLE_LCP_MAX)
  const others = [
    ...pages.holder.map((path) => ({ name: shortly(path), path, by: holder })),
    ...pages.visitor.map((path) => ({ name: shortly(path), path, by: nobody })),
  ]
  for (const step of [...others, ...steps]) await benchOne(browser, url, step, HOLDER_LCP_MAX)
}

const nobody: Visitor = { cookies: new Map() }

async function benchOne(browser: Browser, url: string, { name, path, by }: Step, lcpMax: number): Promise<void> {
  const seen: Seen[] = []
  for (let n = 0; n < PROFILES; n += 1) seen.push(await onPhone(browser, url, path, by))
  const median = (figure: keyof Seen) =>
    rank(
      seen.map((one) => one[figure]),
      0.5,
    )
  report(`${name}: LCP`, median('lcp') / 1000, lcpMax, 's')
  report(`${name}: INP`, median('inp'), INP_MS_MAX, 'ms')
  report(`${name}: CLS`, median('cls'), CLS_MAX, '')
}

/** Opens a page in a fresh profile of a browser. */
export async function openPage(browser: Browser, url: string, by: Visitor, isSmall = false): Promise<Page> {
  const viewport = isSmall ? { width: 390, height: 844 } : { width: 1360, height: 900 }
  const context = await browser.newContext({ baseURL: url, viewport })
  await context.addCookies([...by.cookies].map(([name, value]) => ({ name, value, url })))
  return context.newPage()
}

/** Opens a page on the slow phone, and uses it. */
async function onPhone(browser: Browser, url: string, path: string, by: Visitor): Promise<Seen> {
  const page = await openPage(browser, url, by, true)
  try {
    await page.addInitScript(observers)
    const session = await page.context().newCDPSession(page)
    const line = { offline: false, latency: 150, downloadThroughput: RATE, uploadThroughput: RATE }
    await session.send('Network.enable')
    await session.send('Network.emulateNetworkConditions', line)
    await session.send('Emulation.setCPUThrottlingRate', { rate: 4 })
    const answer = await page.goto(path)
    if (answer?.status() !== 200) throw new Error(`${path}: ${answer?.status()}`)
    // A paint is reported with the frame after it. The policy of the pages forbids the polling of the browser's own
    // driver.
    for (let tries = 0; tries < PAINT_TRIES && !(await page.evaluate<boolean>('seen.lcp > 0')); tries += 1)
      await page.waitForTimeout(50)
    await use(page)
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
    return await page.evaluate<Seen>('seen')
  } finally {
    await page.context().close()
  }
}

/** Types into the first field, or opens and closes what can be opened. */
async function use(page: Page): Promise<void> {
  const field = page.locator('main input[type=text]:visible, main textarea:visible').first()
  if ((await field.count()) > 0) return field.pressSequentially('Example')
  const summary = page.locator('summary:visible').first()
  if ((await summary.count()) > 0) for (const _ of [1, 2]) await summary.click()
  else await page.locator('h1').click()
}
