import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Whether a test file, or what it imports for tests, starts the program. */
export function startsProgram(file: string, program: string): boolean {
  const pattern = new RegExp(`(execFile|spawn)(Sync)?\\('${program}'`)
  return reachesSupport(file, (_path, text) => pattern.test(text))
}

/** Whether a test file, or what it imports for tests, opens a database. */
export function reachesDatabase(file: string): boolean {
  return reachesSupport(file, (path) => /^test\/support\/(database|postgres|embedded-[a-z]+)\.ts$/.test(path))
}

/** Whether a test file is about a whole server, its commands or its pages, or about what the engines do differently: the store and its leases. */
export function isStory(file: string): boolean {
  return /^(test\/|src\/(store|jobs|cli)\b)/.test(file) || startsProgram(file, 'chromium')
}

/** Whether a test file holds tests that only a PostgreSQL server can run, or tests of the store, which both databases must pass. */
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
