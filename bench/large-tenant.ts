import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServer } from '../demo/server-process.ts'
import { API_CALLS_MAX } from '../test/support/page-budgets.ts'
import { startPostgres } from '../test/support/postgres.ts'
import { bootstrap } from '../test/support/server.ts'
import { type CallRecord, openCallRecord } from './call-record.ts'
import { fillLittle, fillMuch, peopleBeside, TEMPLATES } from './large-tenant-rows.ts'
import { failuresSoFar, rank, report } from './page-figures.ts'
import { read } from './page-server.ts'
import { backendOf, signIn } from './page-world.ts'

/** Of a page of the tenant, from the request to its last byte. */
const PAGE_MS = 60
const RUNS = 9

/** Pages of the console whose lists and figures grow with a tenant. `{id}`: of an issuance. */
export const consolePages = [
  '/console',
  '/console/figures',
  '/console/figures?by=day',
  '/console/search?q=student-1234',
  '/console/search?q=Molefe',
  '/console/credentials',
  '/console/credentials?state=revoked',
  '/console/credentials?state=suspended',
  '/console/credentials?state=expired',
  '/console/credentials?reference=student-77',
  '/console/credentials?reference=nobody',
  '/console/templates',
  '/console/issue',
  '/console/issue/table',
  '/console/batches',
  '/console/requests',
  '/console/verify',
  '/console/verifications',
  '/console/people',
  '/console/people?q=Molefe',
  '/console/people?q=nobody',
  '/console/people/person-7',
  '/console/applications',
  '/console/certificates',
  '/console/trusted',
  '/console/webhooks',
  '/console/settings',
  '/console/events',
  '/console/audit',
  '/console/credentials/{id}',
]

/**
 * Opens the pages of the console of a tenant with very much on PostgreSQL, and compares the median time of each with
 * its budget. Where a page is slower, its calls of the API are printed with their times. @returns whether no page is
 * over it by more than a quarter
 */
export async function benchLargeTenant(issuances: number): Promise<boolean> {
  const postgres = await startPostgres()
  const folder = mkdtempSync(join(tmpdir(), 'chirograph-bench-'))
  const file = join(folder, 'bootstrap.json')
  writeFileSync(file, JSON.stringify(bootstrap))
  const record = openCallRecord()
  const server = await startServer({
    DATABASE_URL: postgres.url,
    DATA_DIR: folder,
    BOOTSTRAP_FILE: file,
    LOG_LEVEL: 'error',
    ...record.settings,
  })
  try {
    const acme = await backendOf(server.url)
    const attributes = {
      family_name: { type: 'string', name: 'Family name' },
      degree: { type: 'string', name: 'Degree' },
    }
    await acme.post('/creds/templates/credentials', { name: 'Diploma', code: 'diploma', attributes })
    const { cookie } = await signIn(server.url, acme, 'naledi', ['owner'], '/console')
    const pageAt = (path: string, issuance: string): Page => {
      const address = server.url + path.replace('{id}', issuance)
      return { path, record, open: () => read(address, { cookie }) }
    }
    const one = await fillLittle(postgres.url)
    const few = new Map<string, number>()
    for (const path of consolePages) few.set(path, (await callsOf(pageAt(path, one))).length)
    const from = performance.now()
    const issuance = await fillMuch(postgres.url, issuances)
    console.log(
      `${cpus()[0]?.model}, ${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)}: ${issuances} issuances, ${peopleBeside(issuances)} people, ${TEMPLATES} templates, filled in ${((performance.now() - from) / 1000).toFixed(0)} s`,
    )
    for (const path of consolePages) await timePage(pageAt(path, issuance), few.get(path) ?? 0, server.url)
    console.log(`load at the end ${loadavg()[0]?.toFixed(1)}; ${failuresSoFar()} over budget by more than a quarter`)
    return failuresSoFar() === 0
  } finally {
    await server.stop()
    await postgres.stop()
    record.remove()
    rmSync(folder, { recursive: true, force: true })
  }
}

type Page = { readonly path: string; readonly record: CallRecord; readonly open: () => Promise<void> }

function callsOf({ record, open }: Page): Promise<readonly string[]> {
  return record.during(open)
}

/**
 * @param callsOfFew What the page called when there were ten rows of each kind; with a hundred on the page it may not
 *   call more.
 */
async function timePage(page: Page, callsOfFew: number, url: string): Promise<void> {
  const [median, least] = await timesOf(page.open)
  const calls = await callsOf(page)
  const isFast = report(`${page.path}, least ${least.toFixed(1)}`, median, PAGE_MS, 'ms')
  const isFew = report('      calls of the API', calls.length, Math.min(API_CALLS_MAX, callsOfFew), 'calls')
  if (!isFast || !isFew) await timeCalls(calls, url)
}

/**
 * Returns the median and the least time of some work, in ms. The first runs, which plan the statements, do not count.
 */
async function timesOf(work: () => Promise<void>): Promise<readonly [median: number, least: number]> {
  const times: number[] = []
  for (let run = 0; run < RUNS + 3; run += 1) {
    const from = performance.now()
    await work()
    if (run > 2) times.push(performance.now() - from)
  }
  return [rank(times, 0.5), Math.min(...times)]
}

/** Prints what each call takes by itself. */
async function timeCalls(calls: readonly string[], url: string): Promise<void> {
  const { token } = await backendOf(url)
  for (const call of calls) {
    if (!call.startsWith('GET ')) continue
    const [median] = await timesOf(() => read(url + call.slice(4), { authorization: `Bearer ${token}` }))
    console.log(`        ${decodeURIComponent(call).padEnd(72)}${median.toFixed(1).padStart(8)} ms`)
  }
}
