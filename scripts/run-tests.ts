import { spawn, spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

// Runs all tests. Tests that need another program (openssl, SoftHSM) are skipped, and listed, where it is not installed, so that Node alone
// suffices. CI installs the programs.

const ALWAYS = ['--test', '--test-concurrency=2']

const files = globSync(['src/**/*.test.ts', 'test/**/*.test.ts']).sort()
const programs = [
  ['openssl', 'version'],
  ['softhsm2-util', '--version'],
] as const
const skipped = new Set<string>()
for (const [program, flag] of programs) {
  if (spawnSync(program, [flag]).error === undefined) continue
  const without = files.filter((file) => needs(program, file, new Set()))
  for (const file of without) skipped.add(file)
  if (without.length > 0)
    console.log(`${program} is not installed; skipped:\n${without.map((file) => `  ${file}`).join('\n')}`)
}

// The files of this run share a database template and a compile cache.
const folder = mkdtempSync(join(tmpdir(), 'chirograph-tests-'))
const run = spawn(process.execPath, [...ALWAYS, ...files.filter((file) => !skipped.has(file))], {
  stdio: 'inherit',
  env: { ...process.env, TEST_RUN_FOLDER: folder, NODE_COMPILE_CACHE: join(folder, 'compiled') },
})
run.once('exit', (status) => {
  rmSync(folder, { recursive: true, force: true })
  process.exitCode = status ?? 1
})

/** Whether a file, or its test support, runs the program. */
function needs(program: string, file: string, seen: Set<string>): boolean {
  // Some tests quote imports of files that do not exist.
  if (seen.has(file) || !existsSync(file)) return false
  seen.add(file)
  const text = readFileSync(file, 'utf8')
  if (new RegExp(`(execFile|spawn)(Sync)?\\('${program}'`).test(text)) return true
  const imported = [...text.matchAll(/from '(\.[^']*\/(?:test-support|support)\/[^']+|\.\/[^']+)'/g)]
  return imported.some(([, target = '']) => needs(program, join(dirname(file), target), seen))
}
