import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { reachesDatabase, startsProgram } from './test-files.ts'
import { groupsOf, writeGroup } from './test-groups.ts'

const files = globSync(['src/**/*.test.ts', 'packages/*/src/**/*.test.ts', 'test/**/*.test.ts']).sort()

test('every test file is in one group, and a group has one room and at most 8 files', () => {
  const groups = groupsOf(files)
  assert.deepEqual(groups.flat().sort(), files)
  for (const group of groups) {
    assert(group.length <= 8)
    const rooms = new Set(group.filter(reachesDatabase).map((file) => file.split('/').slice(0, -1)[1] ?? ''))
    assert(rooms.size <= 1, group.join(', '))
  }
  assert(groups.length < files.length / 2)
})

test('a file that measures its process, hooks into the loading of modules or starts a browser is alone', () => {
  const alone = new Set(groupsOf(files).flatMap((group) => (group.length === 1 ? group : [])))
  const must = files.filter(
    (file) =>
      startsProgram(file, 'chromium') || /process\.(memory|cpu)Usage|registerHooks\(/.test(readFileSync(file, 'utf8')),
  )
  assert(must.length > 20)
  for (const file of must) assert(alone.has(file), file)
})

test('a group fails where a test, a module or what outlives a test fails, and runs the other files', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'chirograph-groups-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const run = (...bodies: readonly string[]) => {
    const group = bodies.map((body, place) => {
      const path = join(folder, `${place}.test.mjs`)
      writeFileSync(path, `import { test } from 'node:test'\n${body}`)
      return path
    })
    const { NODE_TEST_CONTEXT: _, ...env } = process.env
    const args = ['--test-reporter=tap', writeGroup(folder, group)]
    return spawnSync(process.execPath, args, { env, encoding: 'utf8' })
  }
  const good = "test('a good test', () => new Promise((resolve) => setTimeout(resolve, 100)))"
  const passed = run(good, good)
  assert.equal(passed.status, 0, passed.stdout)
  for (const bad of [
    "test('a bad test', () => { throw new Error('bad') })",
    "import './missing.mjs'",
    "test('a test', () => { setTimeout(() => { throw new Error('late') }, 20) })",
    "test('a test', () => { Promise.reject(new Error('late')) })",
  ]) {
    const { status, stdout } = run(bad, good)
    assert.equal(status, 1, `${bad}\n${stdout}`)
    assert.match(stdout, /^\s+ok \d - a good test/m)
  }
})
