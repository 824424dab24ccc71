import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServer } from '../demo/server-process.ts'
import { API_CALLS_MAX, apiCallsOf } from '../test/support/page-budgets.ts'
import { startPostgres } from '../test/support/postgres.ts'
import { type Api, bootstrap } from '../test/support/server.ts'
import { fillLittle, fillMuch, PEOPLE, TEMPLATES } from './large-tenant-rows.ts'
import { backendOf, signIn } from './page-world.ts'

/** Of a page of the tenant, from the request to its last byte. */
const PAGE_MS = 60
const RUNS = 9

const paths = [
  ...[
    '/console',
    '/console/figures',
    '/console/figures?by=day',
    '/console/search?q=student-1234',
    '/console/search?q=Molefe',
  ],
  ...['/console/credentials', '/console/credentials?state=revoked', '/console/credentials?state=suspended'],
  ...[
    '/console/credentials?state=expired',
    '/console/credentials?reference=student-77',
    '/console/credentials?reference=nobody',
  ],
  ...[
    '/console/templates',
    '/console/issue',
    '/console/issue/table',
    '/console/batches',
    '/console/requests',
    '/console/verify',
  ],
  ...[
    '/console/verifications',
    '/console/people',
    '/console/people?q=Molefe',
    '/console/people?q=nobody',
    '/console/people/person-77',
  ],
  ...['/console/applications', '/console/certificates', '/console/trusted', '/console/webhooks', '/console/settings'],
  ...['/console/events', '/console/audit', '/console/credentials/{id}'],
]

/**
 * Opens the pages of the console of a tenant with very much on PostgreSQL, and compares the median time of each with its budget. Where a page is
 * slower, its calls of the API are printed with their times. @returns whether all are within
 */
export async function benchLargeTenant(issuances: number): Promise<boolean> {
  const postgres = await startPostgres()
  const folder = mkdtempSync(join(tmpdir(), 'chirograph-bench-'))
  const file = join(folder, 'bootstrap.json')
  writeFileSync(file, JSON.stringify(bootstrap))
  const server = await startServer({
    DATABASE_URL: postgres.url,
    DATA_DIR: folder,
    BOOTSTRAP_FILE: file,
    LOG_LEVEL: 'error',
  })
  try {
    const acme = await backendOf(server.url)
    const attributes = {
      family_name: { type: 'string', name: 'Family name' },
      degree: { type: 'string', name: 'Degree' },
    }
    await acme.post('/creds/templates/credentials', { name: 'Diploma', code: 'diploma', attributes })
    const { cookie } = await signIn(server.url, acme, 'naledi', ['owner'], '/console')
    await fillLittle(postgres.url)
    const few = new Map<string, number>()
    for (const path of paths) few.set(path, (await apiCallsOf(server.url, path, cookie)).length)
    const issuance = await fillMuch(postgres.url, issuances)
    console.log(
      `${cpus()[0]?.model}, ${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)}: ${issuances} issuances, ${PEOPLE} people, ${TEMPLATES} templates`,
    )
    let isGood = true
    for (const path of paths) {
      const page = { url: server.url, path: path.replace('{id}', issuance), cookie }
      const isWithin = await timePage(page, few.get(path) ?? 0, await backendOf(server.url))
      isGood &&= isWithin
    }
    console.log(`load at the end ${loadavg()[0]?.toFixed(1)}`)
    return isGood
  } finally {
    await server.stop()
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

type OfPage = { readonly url: string; readonly path: string; readonly cookie: string }

/** @param callsOfFew What the page called when there were ten rows of each kind; with a hundred on the page it may not call more. */
async function timePage({ url, path, cookie }: OfPage, callsOfFew: number, acme: Api): Promise<boolean> {
  const times: number[] = []
  for (let run = 0; run < RUNS + 3; run += 1) {
    const from = performance.now()
    const shown = await fetch(url + path, { headers: { cookie } })
    await shown.arrayBuffer()
    // The first runs plan the statements.
    if (run > 2) times.push(performance.now() - from)
    if (shown.status !== 200) throw new Error(`${path}: ${shown.status}`)
  }
  const calls = await apiCallsOf(url, path, cookie)
  const sorted = times.toSorted((a, b) => a - b)
  const [least = 0, median = 0] = [sorted[0], sorted[Math.floor(RUNS / 2)]]
  const isWithin = median <= PAGE_MS && calls.length <= Math.min(API_CALLS_MAX, callsOfFew)
  console.log(
    `  ${isWithin ? 'pass' : 'FAIL'}  ${path.padEnd(52)}${median.toFixed(1).padStart(8)} ms of ${PAGE_MS}, least ${least.toFixed(1)}, ${calls.length} calls, of ten rows ${callsOfFew}`,
  )
  if (!isWithin) await timeCalls(calls, acme)
  return isWithin
}

/** Prints what each call takes by itself, without its filters. */
async function timeCalls(calls: readonly string[], acme: Api): Promise<void> {
  for (const call of calls) {
    const [method, route = ''] = call.split(' ')
    if (method !== 'GET' || route.includes('{')) continue
    for (let run = 0; run < 3; run += 1) await acme.get(route)
    const from = performance.now()
    const { status } = await acme.get(route)
    console.log(`        ${call.padEnd(52)}${(performance.now() - from).toFixed(1).padStart(8)} ms (${status})`)
  }
}
