import { spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { findPostgres, startPostgres } from '../test/support/postgres.ts'
import { makeRunFolder } from '../test/support/run-folder.ts'
import {
  isPostgresContract,
  partOf,
  placesOf,
  reachesDatabase,
  startsProgram,
  testParts,
  turnOf,
} from '../test/support/test-files.ts'
import { runFiles, type TestRun } from '../test/support/test-run.ts'

// Runs one part of the tests (`--part tests`, which is meant where nothing is said, `crashes`, `walks`, `all`), or
// those in the files that are named. Where PostgreSQL is installed, what depends on the database runs on a server of
// its own, and what the engines do differently also on the embedded database (test/support/test-files.ts); where it is
// not, everything runs embedded. TEST_DATABASE=embedded runs everything there, TEST_POSTGRES_URL on that server what
// depends on the database. Nothing but Node is needed to run the tests; what is left out for lack of a program is
// listed at the end. CI installs the programs and runs every part, so there everything runs.

/** How many of the slowest files are listed. */
const SLOWEST = 10

const programs = [
  ['openssl', 'version'],
  ['softhsm2-util', '--version'],
  ['chromium', '--version'],
  ['pgbouncer', '--version'],
] as const
const { values, positionals: given } = parseArgs({
  allowPositionals: true,
  options: { part: { type: 'string', default: 'tests' } },
})
const parts = values.part === 'all' ? testParts : testParts.filter((part) => part === values.part)
if (parts.length === 0) throw new Error(`--part ${values.part} is none of ${testParts.join(', ')}, all`)
const all = longestFirst(globSync(['src/**/*.test.ts', 'packages/*/src/**/*.test.ts', 'test/**/*.test.ts']).sort())
const leftOut: string[] = []
let files = given.length > 0 ? given : all.filter((file) => parts.includes(partOf(file)))
for (const [program, version] of programs) {
  if (spawnSync(program, [version]).error === undefined) continue
  const without = files.filter((file) => startsProgram(file, program))
  files = files.filter((file) => !without.includes(file))
  leftOut.push(...without.map((file) => `${file}: ${program} is not installed`))
}

// What the files of this run share: the seed of what is random, a database to copy, and modules that one of them has
// compiled.
const folder = makeRunFolder()
process.env.TEST_SEED ??= String(randomInt(2 ** 31))
process.env.TEST_RUN_FOLDER = folder
process.env.NODE_COMPILE_CACHE = join(folder, 'compiled')

const runs = await (process.env.TEST_POSTGRES_URL !== undefined
  ? runOnServer()
  : process.env.TEST_DATABASE === 'embedded' || findPostgres() === null
    ? runEmbedded()
    : runOnBoth())
summarize(runs)
process.exitCode = runs.every(({ isPassed }) => isPassed) ? 0 : 1

async function runEmbedded(): Promise<TestRun[]> {
  leftOut.push(
    ...files
      .filter(isPostgresContract)
      .map((file) => `${file}, on PostgreSQL: no server, install postgresql or unset TEST_DATABASE`),
  )
  return [await runFiles('embedded', files, folder)]
}

async function runOnBoth(): Promise<TestRun[]> {
  const [onEmbedded, onServer] = (['embedded', 'postgresql'] as const).map((place) =>
    files.filter((file) => placesOf(file).includes(place)),
  )
  const embedded = onEmbedded?.length === 0 ? [] : [await runFiles('embedded', onEmbedded ?? [], folder)]
  if (onServer === undefined || onServer.length === 0) return embedded
  const server = await startPostgres()
  process.env.TEST_POSTGRES_URL = server.url
  return [...embedded, await runFiles('postgresql', onServer, folder).finally(() => server.stop())]
}

async function runOnServer(): Promise<TestRun[]> {
  const dependent = files.filter(reachesDatabase)
  const others = files.length - dependent.length
  if (others > 0)
    leftOut.push(`${others} files that do not depend on the database: npm test without a server runs them`)
  return [await runFiles('postgresql', dependent, folder)]
}

function longestFirst(sorted: readonly string[]): string[] {
  const turns = new Map(sorted.map((file) => [file, turnOf(file)]))
  return sorted.toSorted((one, other) => (turns.get(one) ?? 0) - (turns.get(other) ?? 0))
}

function summarize(runs: readonly TestRun[]): void {
  // A test that one database skips and the other runs is not left out.
  const skipped = new Map(runs.flatMap((one) => [...one.skipped]))
  for (const [name, reason] of skipped) if (!runs.some(({ ran }) => ran.has(name))) leftOut.push(`${name}: ${reason}`)
  console.log('\n== summary')
  for (const { database, counts, seconds, slowest } of runs) {
    console.log(`${database}: ${counts}, ${seconds} s; the slowest files:`)
    for (const { file, ms } of slowest.slice(0, SLOWEST)) console.log(`  ${(ms / 1000).toFixed(1)} s ${file}`)
  }
  for (const { database, failed } of runs) for (const one of failed) console.log(`FAILED, ${database}: ${one}`)
  console.log(leftOut.length === 0 ? 'Nothing was left out.' : `LEFT OUT (${leftOut.length}):`)
  for (const one of leftOut) console.log(`  ${one}`)
  const otherParts = given.length > 0 ? [] : testParts.filter((part) => !parts.includes(part))
  for (const part of otherParts) {
    const count = all.filter((file) => partOf(file) === part).length
    console.log(`Not of this run: ${count} files, npm ${part === 'tests' ? 'test' : `run test:${part}`}`)
  }
  console.log(`Everything random can be repeated with TEST_SEED=${process.env.TEST_SEED}`)
}
