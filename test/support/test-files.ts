import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Tests that run on both databases where there is a server, each with what the engines do differently there: the
 * embedded one has one session in the process and answers in other types, a server has many sessions, two servers of
 * ours on it, and connections that break. What stands nowhere in these tables runs on the server alone: the statements,
 * migrations and policies are the same.
 */
const onBoth: readonly (readonly [files: RegExp, reason: string])[] = [
  [/^src\/(store|jobs)\//, 'the store itself, and its leases'],
  [/^test\/sweeps/, 'rights of every statement that no request makes'],
  [/^test\/support\/lossy-database/, 'losses are made in another way in each'],
  [/^test\/e2e\/(every-route|every-list|main-job)/, 'the statements of every route, every list, the main job'],
  [/^test\/e2e\/access-of-every-route/, 'the tenant of a session is set in another way in each'],
  [/^test\/e2e\/(|batch-|delivery-|wallet-)crash/, 'what a process that is killed leaves behind'],
  [
    /^test\/e2e\/(restored-backup|object-store|stop)/,
    'files of one engine, a copy of the database of the other; how they close',
  ],
  [
    /^test\/e2e\/(races-of-grants|repeated-requests|held-answers)/,
    'requests at once share one session, or have one each',
  ],
  [/^test\/(two-servers|e2e\/two-houses)/, 'two servers on one store, and one each'],
  [/^test\/e2e\/(batch|deliveries|revocation|webhooks)\.test/, 'work in the background beside requests'],
  [/^src\/events\/stream\/event-stream/, 'one server that stops; two of which each tells the changes of the other'],
]

/** Tests that run on the embedded database alone, with the reason why a server adds nothing. */
const onEmbedded: readonly (readonly [files: RegExp, reason: string])[] = [
  [/^src\/(console\/strangers|(console|holder)\/walk)\.test/, 'how pages look does not depend on the database'],
  [/^src\/console\/designers\.test/, 'what pages do with their forms does not depend on the database'],
  [/^test\/e2e\/package/, 'the package brings its own database'],
  [/^test\/e2e\/odd-requests/, 'a front of several servers would read the requests before ours do'],
]

/** Where a test file runs when there is a server: what opens no database, on none. */
export function placesOf(file: string): readonly ('embedded' | 'postgresql')[] {
  if (!reachesDatabase(file) || onEmbedded.some(([files]) => files.test(file))) return ['embedded']
  return onBoth.some(([files]) => files.test(file)) ? ['embedded', 'postgresql'] : ['postgresql']
}

/** The patterns of both tables. */
export const namedFiles: readonly RegExp[] = [...onBoth, ...onEmbedded].map(([files]) => files)

/** Whether a test file, or what it imports for tests, starts the program. */
export function startsProgram(file: string, program: string): boolean {
  const pattern = new RegExp(`(execFile|spawn)(Sync)?\\('${program}'`)
  return reachesSupport(file, (_path, text) => pattern.test(text))
}

/** The runs into which all test files are divided: `npm test`, `npm run test:crashes`, `npm run test:walks`. */
export const testParts = ['tests', 'crashes', 'walks'] as const

/** One of them. */
export type TestPart = (typeof testParts)[number]

/**
 * The run that a test file belongs to: a walk starts a browser; what starts servers as processes of their own, to end
 * them or to have several, is one of the crashes; all else is for everyone who changes a line.
 */
export function partOf(file: string): TestPart {
  if (startsProgram(file, 'chromium')) return 'walks'
  return reachesSupport(file, (path) => /^test\/support\/server-child(ren)?\.ts$/.test(path)) ? 'crashes' : 'tests'
}

/** Whether a test file, or what it imports for tests, opens a database. */
export function reachesDatabase(file: string): boolean {
  return reachesSupport(file, (path) => /^test\/support\/(database|postgres|embedded-[a-z]+)\.ts$/.test(path))
}

/** How late a file should begin: what lasts longest begins first, and does not keep the end waiting. */
export function turnOf(file: string): number {
  if (/\/(walk|whole-jobs|jobs|visitor)\.test\.ts$/.test(file)) return 0
  return startsProgram(file, 'chromium') ? 1 : /^(test\/e2e|src\/(store|jobs|cli)\b)/.test(file) ? 2 : 3
}
/**
 * Whether a test file holds tests that only a PostgreSQL server can run, or tests of the store, which both databases
 * must pass.
 */
export function isPostgresContract(file: string): boolean {
  if (file.startsWith('src/store/')) return reachesDatabase(file)
  const text = readFileSync(file, 'utf8')
  return /\bskip\b/.test(text) && /\b(postgresUrl === null|TEST_POSTGRES_URL === undefined)/.test(text)
}

function reachesSupport(
  file: string,
  isSought: (path: string, text: string) => boolean,
  seen = new Set<string>(),
): boolean {
  // Some tests quote imports of files that do not exist.
  if (seen.has(file) || !existsSync(file)) return false
  seen.add(file)
  const text = readFileSync(file, 'utf8')
  if (isSought(file, text)) return true
  const imported = [...text.matchAll(/from '(\.[^']*\/(?:test-support|support)\/[^']+|\.\/[^']+)'/g)]
  return imported.some(([, target = '']) => reachesSupport(join(file, '..', target), isSought, seen))
}
