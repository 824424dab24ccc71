import { spawn, spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

// Runs all tests. Those that ask another program, for a second opinion or for a token to sign in, are left out, and named, where it is not
// installed: nothing but Node is needed to run the tests. CI installs the programs, so there they always run.

const ALWAYS = ['--test', '--test-concurrency=2']

const files = globSync(['src/**/*.test.ts', 'test/**/*.test.ts']).sort()
const programs = [
  ['openssl', 'version'],
  ['softhsm2-util', '--version'],
] as const
const leftOut = new Set<string>()
for (const [program, flag] of programs) {
  if (spawnSync(program, [flag]).error === undefined) continue
  const without = files.filter((file) => asks(program, file, new Set()))
  for (const file of without) leftOut.add(file)
  if (without.length > 0)
    console.log(`${program} is not installed; left out:\n${without.map((file) => `  ${file}`).join('\n')}`)
}

// What the files of this run share: a database to copy, and modules that one of them has compiled.
const folder = mkdtempSync(join(tmpdir(), 'chirograph-tests-'))
const run = spawn(process.execPath, [...ALWAYS, ...files.filter((file) => !leftOut.has(file))], {
  stdio: 'inherit',
  env: { ...process.env, TEST_RUN_FOLDER: folder, NODE_COMPILE_CACHE: join(folder, 'compiled') },
})
run.once('exit', (status) => {
  rmSync(folder, { recursive: true, force: true })
  process.exitCode = status ?? 1
})

/** Whether a file, or what it imports for tests, starts the program. */
function asks(program: string, file: string, seen: Set<string>): boolean {
  // Some tests quote imports of files that are not there.
  if (seen.has(file) || !existsSync(file)) return false
  seen.add(file)
  const text = readFileSync(file, 'utf8')
  if (new RegExp(`(execFile|spawn)(Sync)?\\('${program}'`).test(text)) return true
  const imported = [...text.matchAll(/from '(\.[^']*\/(?:test-support|support)\/[^']+|\.\/[^']+)'/g)]
  return imported.some(([, target = '']) => asks(program, join(dirname(file), target), seen))
}
