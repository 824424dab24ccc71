// Do the pages hold their budgets?
// Run: npm run bench -- --what pages; only holder and visitor on the slow phone: --what phone; only what needs
// no browser: --what page-costs Sizes after gzip; calls of the API; CPU of the server; times in Debian's Chromium,
// slowed down by its own protocol: CPU 4 times slower, 1.6 Mbit/s, 150 ms, five fresh profiles, medians. A figure over
// its budget by a quarter is a failure.
import { cpus, loadavg } from 'node:os'
import type { Browser } from 'playwright-core'
import { openBrowser } from '../test/support/browser.ts'
import { bootstrap } from '../test/support/server.ts'
import { serverChildren } from '../test/support/server-children.ts'
import { openCallRecord } from './call-record.ts'
import { failuresSoFar } from './page-figures.ts'
import { benchPhone } from './page-phone.ts'
import { benchServer, benchSizes } from './page-server.ts'
import { benchFirstPage, benchStart } from './page-start.ts'
import { benchDesk, benchTable } from './page-work.ts'
import { openWorld, type World } from './page-world.ts'

/** Measures the pages of holder and visitor on the slow phone, nothing else. @returns whether all budgets are held */
export function benchPhonePages(): Promise<boolean> {
  return held('pages on a slow phone', async () => {
    const server = await serverChildren(bootstrap)
    try {
      const world = await openWorld(server.url)
      await inBrowser('LCP, INP, CLS', (browser) =>
        benchPhone(browser, { ...world, pages: { ...world.pages, console: [] } }),
      )
    } finally {
      await server.stop()
    }
  })
}

/**
 * Measures what pages cost the server: start, first page, bytes, calls of the API, CPU.
 *
 * @returns whether all budgets are held
 */
export function benchPageCosts(): Promise<boolean> {
  return held('cost of pages', () => withCosts(async () => undefined))
}

/** Measures every budget of the pages but those of a large tenant. @returns whether all are held */
export function benchPages(): Promise<boolean> {
  const measure = (world: World) =>
    inBrowser('LCP, INP, CLS, the desk, a table of 1,000 rows', async (browser) => {
      await benchDesk(browser, world)
      await benchTable(browser, world)
      await benchPhone(browser, world)
    })
  return held('pages', () => withCosts(measure))
}

async function withCosts(more: (world: World) => Promise<void>): Promise<void> {
  benchStart()
  await benchFirstPage()
  const record = openCallRecord()
  const server = await serverChildren(bootstrap, record.settings)
  try {
    const world = await openWorld(server.url)
    await benchSizes(world)
    await benchServer(world, record)
    await more(world)
  } finally {
    await server.stop()
    record.remove()
  }
}

async function held(what: string, measure: () => Promise<void>): Promise<boolean> {
  console.log(`\n${what}: ${cpus()[0]?.model}, ${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)}`)
  await measure()
  console.log(`  load at the end ${loadavg()[0]?.toFixed(1)}; ${failuresSoFar()} over budget by more than a quarter`)
  return failuresSoFar() === 0
}

async function inBrowser(what: string, measure: (browser: Browser) => Promise<void>): Promise<void> {
  const browser = await openBrowser().catch((error: Error) => error)
  if (browser instanceof Error) {
    console.log(`  left out without the package chromium: ${what}`)
    return
  }
  try {
    await measure(browser)
  } finally {
    await browser.close()
  }
}
