// Do the pages hold their budgets? Run: npm run bench -- --what pages; only holder and visitor on the slow phone: --what phone
// Sizes after gzip; calls of the API; CPU of the server; times in Debian's Chromium, slowed down by its own protocol: CPU 4 times slower, 1.6 Mbit/s,
// 150 ms, five fresh profiles, medians. A figure over its budget by a quarter is a failure.
import { spawnSync } from 'node:child_process'
import { cpus, loadavg } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Browser } from 'playwright-core'
import { openBrowser } from '../test/support/browser.ts'
import { bootstrap } from '../test/support/server.ts'
import { serverChildren } from '../test/support/server-children.ts'
import { failuresSoFar, rank, report } from './page-figures.ts'
import { benchPhone } from './page-phone.ts'
import { benchServer, benchSizes, read } from './page-server.ts'
import { benchDesk, benchTable } from './page-work.ts'
import { openWorld } from './page-world.ts'

const STARTS = 5

/** What the pages add to the start: CPU of loading their modules, after those that the API needs, with the cache of compiled modules as in a real start. */
function benchStart(): void {
  const source = (path: string) => JSON.stringify(fileURLToPath(new URL(`../src/${path}`, import.meta.url)))
  const script = `process.removeAllListeners('warning'); (await import('node:module')).default.enableCompileCache()
    await import(${source('http/server/server.ts')}); await import(${source('authorization/sign-in/pages/public-endpoints.ts')})
    const from = process.cpuUsage()
    for (const path of [${['console', 'holder', 'visitor'].map((room) => source(`${room}/public-endpoints.ts`)).join()}]) await import(path)
    const { user, system } = process.cpuUsage(from)
    console.log((user + system) / 1000)`
  const [, ...times] = Array.from({ length: STARTS + 1 }, () => {
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })
    if (stdout === '') throw new Error(stderr)
    return Number(stdout)
  })
  report('start of the server: CPU of the pages', rank(times, 0.5), 30, 'ms')
}

/** Measures the pages of holder and visitor on the slow phone, nothing else. @returns whether all budgets are held */
export async function benchPhonePages(): Promise<boolean> {
  console.log(`\npages on a slow phone: ${cpus()[0]?.model}, ${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)}`)
  const server = await serverChildren(bootstrap)
  try {
    const world = await openWorld(server.url)
    await inBrowser('LCP, INP, CLS', (browser) =>
      benchPhone(browser, { ...world, pages: { ...world.pages, console: [] } }),
    )
  } finally {
    await server.stop()
  }
  console.log(`  load at the end ${loadavg()[0]?.toFixed(1)}; ${failuresSoFar()} over budget by more than a quarter`)
  return failuresSoFar() === 0
}

/** Measures every budget of the pages but those of a large tenant. @returns whether all are held */
export async function benchPages(): Promise<boolean> {
  console.log(`\npages: ${cpus()[0]?.model}, ${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)}`)
  benchStart()
  const server = await serverChildren(bootstrap)
  try {
    const from = performance.now()
    await read(`${server.url}/sign-in`, {})
    report('first page of a new process', performance.now() - from, 100, 'ms')
    const world = await openWorld(server.url)
    await benchSizes(world)
    await benchServer(world)
    await inBrowser('LCP, INP, CLS, the desk, a table of 1,000 rows', async (browser) => {
      await benchDesk(browser, world)
      await benchTable(browser, world)
      await benchPhone(browser, world)
    })
  } finally {
    await server.stop()
  }
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
