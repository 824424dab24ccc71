import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { groupsOf, writeGroup } from './test-groups.ts'

/** What a run of test files came to. */
export type TestRun = {
  readonly database: 'embedded' | 'postgresql'
  readonly isPassed: boolean
  /** Numbers of tests, in words. */
  readonly counts: string
  readonly seconds: number
  /** Tests that were skipped, by file and name, with the reason that the test gives. */
  readonly skipped: ReadonlyMap<string, string>
  /** Tests that were not, by file and name. */
  readonly ran: ReadonlySet<string>
  /** What failed, in the order of failing: file, line and name, and the first lines of the error. */
  readonly failed: readonly string[]
  readonly slowest: readonly { readonly file: string; readonly ms: number }[]
}

/**
 * Lines of an error that the summary repeats: enough to tell what was expected, while the end of a log shows every
 * failure.
 */
const LINES_OF_ERROR = 12

/**
 * Longer than any test lasts: what a failed test leaves behind keeps its process alive, and must not hold up the run
 * for ever.
 */
const QUIET_MS_MAX = 30 * 60_000

/** Files that run at a time: as many as the cores of the smallest machine that must keep the time. */
const CONCURRENCY = 3

/**
 * What saves a process that lives for seconds: code of the embedded database that is compiled once, not once more for
 * speed, fewer collections of garbage, and no look at each of a thousand modules whether it is a link. A quarter of the
 * CPU of such a file; one that works the database for ten seconds takes 3 % more.
 */
const NODE_FLAGS = ['--liftoff-only', '--min-semi-space-size=32', '--preserve-symlinks', '--preserve-symlinks-main']

/**
 * Runs test files, several in a process, and reports on the standard output.
 *
 * @param folder Where the modules are written that run several files
 */
export async function runFiles(
  database: TestRun['database'],
  files: readonly string[],
  folder: string,
): Promise<TestRun> {
  const processes = groupsOf(files).map((group) => writeGroup(folder, group))
  const skipped = new Map<string, string>()
  const ran = new Set<string>()
  const failed: string[] = []
  const durations: { file: string; ms: number }[] = []
  let last = { counts: '', isPassed: false, seconds: 0 }
  const hung = new AbortController()
  const events = run({ files: processes, concurrency: CONCURRENCY, execArgv: NODE_FLAGS, signal: hung.signal })
  const watchdog = setTimeout(() => hung.abort(new Error('no test began or ended')), QUIET_MS_MAX)
  events.on('data', () => watchdog.refresh())
  /** Takes the duration of a file that shares its process: there it is a suite named by the path of the file. */
  const isFile = (name: string, path: string, ms: number): boolean => {
    if (name === path || !files.includes(name) || !processes.includes(path)) return false
    durations.push({ file: name, ms })
    return true
  }
  events.on('test:pass', ({ name, file = '', skip, details }) => {
    if (isFile(name, file, details.duration_ms)) return
    const key = `${file.replace(`${process.cwd()}/`, '')}: ${name}`
    if (skip === undefined || skip === false) ran.add(key)
    else skipped.set(key, typeof skip === 'string' ? skip : 'no reason given')
  })
  events.on('test:fail', ({ name, file = '', line, details: { error, duration_ms } }) => {
    isFile(name, file, duration_ms)
    // A suite fails because of the tests in it, which are told themselves.
    if ('failureType' in error && error.failureType === 'subtestsFailed') return
    const text = String(error.cause ?? error).split('\n', LINES_OF_ERROR)
    failed.push([`${file.replace(`${process.cwd()}/`, '')}:${line}: ${name}`, ...text].join('\n    '))
  })
  // An error that comes when its test is over fails the process, not a test.
  events.on('test:diagnostic', ({ message }) => {
    if (message.includes('generated asynchronous activity')) failed.push(message)
  })
  events.on('test:summary', ({ file, counts, duration_ms: ms, success }) => {
    const path = file?.replace(`${process.cwd()}/`, '')
    if (path !== undefined && files.includes(path)) durations.push({ file: path, ms })
    if (file === undefined) {
      const { tests, passed, skipped, cancelled, todo } = counts
      const failed = tests - passed - skipped - cancelled - todo
      const numbers = { tests, passed, failed, skipped, cancelled, files: files.length }
      const texts = Object.entries(numbers).map(([what, number]) => `${number} ${what}`)
      last = { counts: texts.join(', '), isPassed: success, seconds: Math.round(ms / 1000) }
    }
  })
  for await (const text of events.compose(new spec())) process.stdout.write(text)
  clearTimeout(watchdog)
  return { database, ...last, skipped, ran, failed, slowest: durations.sort((one, other) => other.ms - one.ms) }
}
