import { run } from 'node:test'
import { spec } from 'node:test/reporters'

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

/** Lines of an error that the summary repeats: enough to tell what was expected, while the end of a log shows every failure. */
const LINES_OF_ERROR = 12

/** Files that run at a time: as many as the cores of the smallest machine that must keep the time. */
const CONCURRENCY = 3

/**
 * What saves a process that lives for seconds: code of the embedded database that is compiled once, not once more for speed, fewer collections
 * of garbage, and no look at each of a thousand modules whether it is a link. A quarter of the CPU of such a file; one that works the database
 * for ten seconds takes 3 % more.
 */
const NODE_FLAGS = ['--liftoff-only', '--min-semi-space-size=32', '--preserve-symlinks', '--preserve-symlinks-main']

/** Runs test files, each in a process of its own, and reports on the standard output. */
export async function runFiles(database: TestRun['database'], files: readonly string[]): Promise<TestRun> {
  const skipped = new Map<string, string>()
  const ran = new Set<string>()
  const failed: string[] = []
  const durations: { file: string; ms: number }[] = []
  let last = { counts: '', isPassed: false, seconds: 0 }
  const events = run({ files: [...files], concurrency: CONCURRENCY, execArgv: NODE_FLAGS })
  events.on('test:pass', ({ name, file = '', skip }) => {
    const key = `${file.replace(`${process.cwd()}/`, '')}: ${name}`
    if (skip === undefined || skip === false) ran.add(key)
    else skipped.set(key, typeof skip === 'string' ? skip : 'no reason given')
  })
  events.on('test:fail', ({ name, file = '', line, details: { error } }) => {
    // A suite fails because of the tests in it, which are told themselves.
    if ('failureType' in error && error.failureType === 'subtestsFailed') return
    const text = String(error.cause ?? error).split('\n', LINES_OF_ERROR)
    failed.push([`${file.replace(`${process.cwd()}/`, '')}:${line}: ${name}`, ...text].join('\n    '))
  })
  events.on('test:summary', ({ file, counts, duration_ms: ms, success }) => {
    if (file !== undefined) durations.push({ file: file.replace(`${process.cwd()}/`, ''), ms })
    else {
      const { tests, passed, skipped, cancelled, todo } = counts
      const failed = tests - passed - skipped - cancelled - todo
      const numbers = { tests, passed, failed, skipped, cancelled, files: files.length }
      const texts = Object.entries(numbers).map(([what, number]) => `${number} ${what}`)
      last = { counts: texts.join(', '), isPassed: success, seconds: Math.round(ms / 1000) }
    }
  })
  for await (const text of events.compose(new spec())) process.stdout.write(text)
  return { database, ...last, skipped, ran, failed, slowest: durations.sort((one, other) => other.ms - one.ms) }
}
