import { spawn, spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

// Runs all tests. Those that ask openssl for a second opinion are left out, and named, where it is not installed: nothing but Node is needed
// to run the tests. CI installs it, so there they always run.

const ALWAYS = ['--test', '--test-concurrency=2']

const files = globSync(['src/**/*.test.ts', 'test/**/*.test.ts']).sort()
const hasOpenSsl = spawnSync('openssl', ['version']).error === undefined
const leftOut = hasOpenSsl ? [] : files.filter((file) => asksOpenSsl(file, new Set()))
if (leftOut.length > 0)
  console.log(`openssl is not installed; left out:\n${leftOut.map((file) => `  ${file}`).join('\n')}`)

// What the files of this run share: a database to copy.
const folder = mkdtempSync(join(tmpdir(), 'chirograph-tests-'))
const run = spawn(process.execPath, [...ALWAYS, ...files.filter((file) => !leftOut.includes(file))], {
  stdio: 'inherit',
  env: { ...process.env, TEST_RUN_FOLDER: folder },
})
run.once('exit', (status) => {
  rmSync(folder, { recursive: true, force: true })
  process.exitCode = status ?? 1
})

/** Whether a file, or what it imports for tests, starts the program. */
function asksOpenSsl(file: string, seen: Set<string>): boolean {
  // Some tests quote imports of files that are not there.
  if (seen.has(file) || !existsSync(file)) return false
  seen.add(file)
  const text = readFileSync(file, 'utf8')
  if (/(execFile|spawn)(Sync)?\('openssl'/.test(text)) return true
  const imported = [...text.matchAll(/from '(\.[^']*\/(?:test-support|support)\/[^']+|\.\/[^']+)'/g)]
  return imported.some(([, target = '']) => asksOpenSsl(join(dirname(file), target), seen))
}
