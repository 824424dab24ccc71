// What does the main job cost, on PostgreSQL and on the embedded database? Run: npm run bench
// Options: --seconds 5 (a line), --on postgresql, --what issuance; --what pages, page-costs, phone or large-tenant: the
// pages alone Two servers on one PostgreSQL serve the requests in turn, so that the caches of one process help little;
// the embedded database has one. Servers, client and PostgreSQL are processes of their own. The servers have everything
// on: authentication, validation, audit, sealing, logs.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startServer } from '../demo/server-process.ts'
import { startPostgres } from '../test/support/postgres.ts'
import { printBudgets } from './budgets.ts'
import { cryptoFloorMs, flooredLoads, startFloorBeside } from './crypto-floor.ts'
import { benchLargeTenant } from './large-tenant.ts'
import { countersOf, type Figures, measure, openClient } from './measure.ts'
import { benchPageCosts, benchPages, benchPhonePages } from './pages.ts'
import { bootstrap } from './party.ts'
import { openPostgresFigures, type PostgresFigures } from './postgres-figures.ts'
import { questions } from './questions.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '5' },
    on: { type: 'string' },
    what: { type: 'string' },
    issuances: { type: 'string', default: '1000000' },
  },
})
/** Warm-up, while V8 is still compiling. */
const WARM_UP_SECONDS_MIN = 30
/**
 * For one measurement. A new server is warmed up for twice as long and no less than above, then each load for half of
 * it.
 */
const seconds = Number(values.seconds)
if (!(seconds > 0)) throw new Error('--seconds must be a number above 0')

/** The pages have a bench of their own. */
const isPages = ['pages', 'page-costs', 'phone', 'large-tenant'].includes(values.what ?? '')

console.log(`${cpus()[0]?.model}, ${cpus().length} cores, Node ${process.version}, ${seconds} s a line`)
if (!isPages && values.on !== 'embedded') {
  const postgres = await startPostgres({ durable: true })
  const figures = await openPostgresFigures(postgres.url)
  try {
    await benchOn('PostgreSQL', { DATABASE_URL: postgres.url }, figures)
  } finally {
    await figures.close()
    await postgres.stop()
  }
}
if (!isPages && values.on !== 'postgresql') await benchOn('embedded', {}, null)
if (values.what === 'pages' && !(await benchPages())) process.exitCode = 1
if (values.what === 'page-costs' && !(await benchPageCosts())) process.exitCode = 1
if (values.what === 'phone' && !(await benchPhonePages())) process.exitCode = 1
if (values.what === 'large-tenant' && !(await benchLargeTenant(Number(values.issuances)))) process.exitCode = 1
console.log(
  `\ncrypto floor of one issuance (1 key import, 1 verify, 1 sign, 12 hashes): ${cryptoFloorMs().toFixed(3)} ms`,
)
console.log('lowest: CPU ms of the cheapest 2 s of the line, when whatever else the machine runs disturbed least')
console.log('at start: 150 MB and 1 s at most')

async function benchOn(
  database: string,
  settings: Record<string, string>,
  postgres: PostgresFigures | null,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'chirograph-bench-'))
  const file = join(folder, 'bootstrap.json')
  writeFileSync(file, JSON.stringify(bootstrap))
  const all = { DATA_DIR: join(folder, 'data'), BOOTSTRAP_FILE: file, LOG_LEVEL: 'info', ...settings }
  const first = await startServer(all)
  await first.stop()
  // The second start finds its database.
  const server = await startServer(all)
  const second = postgres === null ? null : await startServer({ ...all, PUBLIC_URL: server.url })
  const client = openClient([server.url, ...(second === null ? [] : [second.url])], 32)
  try {
    const { residentBytes } = await countersOf(client)
    console.log(
      `\n${database}: ready after ${server.readyMs} ms (${first.readyMs} ms on a new database), ${megabytes(residentBytes)} resident then`,
    )
    console.log(
      row(['', 'at once', 'flows/s', 'CPU ms', 'lowest', 'SQL', 'trips', 'p50 ms', 'p95 ms', 'p99 ms', 'flows']),
    )
    let warmUpSeconds = Math.max(WARM_UP_SECONDS_MIN, 2 * seconds)
    for await (const { what, load } of questions(client, seconds)) {
      if (values.what !== undefined && values.what !== what) continue
      if (load.turnsMax === undefined) await measure(client, load, warmUpSeconds)
      warmUpSeconds = seconds / 2
      const kept = what === 'issuance' ? await postgres?.bytesKept() : undefined
      const before = await postgres?.counters()
      const floored = flooredLoads.find((one) => one === what)
      const beside = floored === undefined ? null : startFloorBeside(floored)
      const figures = await measure(client, load, seconds)
      console.log(row([what, String(load.atOnce), ...cells(figures)]))
      const floor = await beside?.stop()
      if (floor === undefined) continue
      console.log(
        `    crypto floor beside it: ${floor.median.toFixed(3)} ms of CPU, a tenth below ${floor.tenth.toFixed(3)}; the servers need ${(figures.cpuMs / floor.median).toFixed(1)} floors`,
      )
      if (postgres === null || before === undefined || kept === undefined) continue
      const after = await postgres.counters()
      const bytesKept = (await postgres.bytesKept()) - kept
      // One wallet at a time is no budget: the polling of idle servers is shared by few flows.
      if (!printBudgets({ ...figures, before, after, bytesKept, floorMs: floor.median }) && load.atOnce > 1)
        process.exitCode = 1
    }
    console.log(`resident at the end: ${megabytes((await countersOf(client)).residentBytes)}`)
  } finally {
    await client.close()
    await server.stop()
    await second?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

function cells({ flows, perSecond, cpuMs, cpuMsLowest, statements, roundTrips, p50, p95, p99 }: Figures): string[] {
  const exact = [cpuMs, cpuMsLowest, statements, roundTrips, p50, p95, p99].map((one) => one.toFixed(2))
  return [perSecond.toFixed(0), ...exact, String(flows)]
}

function row([what = '', ...figures]: readonly string[]): string {
  return `  ${what.padEnd(14)}${figures.map((one) => one.padStart(9)).join('')}`
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1_048_576)} MB`
}
