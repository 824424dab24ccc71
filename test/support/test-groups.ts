import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { reachesDatabase, startsProgram } from './test-files.ts'

/** Test files that one process runs in turn, or the one that has a process of its own. */
export type TestGroup = readonly string[]

/**
 * Files of a process: loading and compiling the server costs a second of CPU, more than most files need for their
 * tests.
 */
const FILES_MAX = 8

/**
 * Divides test files into groups, those with a database of one room each, in the order in which they are given. The
 * database of each file is its own; what the process has, such as its memory, its CPU time and its environment, is
 * common to a group.
 */
export function groupsOf(files: readonly string[]): TestGroup[] {
  const groups: string[][] = []
  const open = new Map<string, string[]>()
  for (const file of files) {
    const room = reachesDatabase(file) ? file.split('/').slice(0, -1).slice(0, 2).join('/') : 'no database'
    let group = open.get(room)
    if (group === undefined || group.length === FILES_MAX || needsProcess(file)) {
      group = []
      groups.push(group)
      if (!needsProcess(file)) open.set(room, group)
    }
    group.push(file)
  }
  return groups
}

/**
 * Whether a test file measures its process or makes it the subject, hooks into the loading of modules, or starts a
 * browser, which costs more than what it would share.
 */
export function needsProcess(file: string): boolean {
  const ownProcess =
    /\bprocess\.(memoryUsage|cpuUsage|resourceUsage|chdir)\b|\bregisterHooks\b|\/(cpu-time|longest-piece)\.ts'/
  return ownProcess.test(readFileSync(file, 'utf8')) || startsProgram(file, 'chromium')
}

/**
 * Writes the module that runs the files of a group, each as a suite named by its path.
 *
 * @returns the path of the module; of a file alone, its own
 */
export function writeGroup(folder: string, group: TestGroup): string {
  const [first = '', second] = group
  if (second === undefined) return first
  mkdirSync(join(folder, 'groups'), { recursive: true })
  const path = join(folder, 'groups', `${first.replaceAll('/', '-').replace('.test.ts', '')}.test.mjs`)
  const suites = group.map(
    (file) => `suite(${JSON.stringify(file)}, () => import(${JSON.stringify(pathToFileURL(resolve(file)).href)}))\n`,
  )
  writeFileSync(path, `import { suite } from 'node:test'\n${suites.join('')}`)
  return path
}
