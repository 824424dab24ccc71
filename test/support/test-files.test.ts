import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { namedFiles, partOf, placesOf, reachesDatabase, testParts } from './test-files.ts'

const files = globSync(['src/**/*.test.ts', 'packages/*/src/**/*.test.ts', 'test/**/*.test.ts']).sort()

test('every row about where tests run names a file that opens a database', () => {
  for (const pattern of namedFiles)
    assert(
      files.some((file) => pattern.test(file) && reachesDatabase(file)),
      `${pattern}`,
    )
})

test('what is skipped on one database runs on the other', () => {
  // Some skips are whole files, some are tests: what skips on a server runs embedded, and what skips where there is
  // none runs on one.
  const skips = [
    [/postgresUrl === null \? false|\bskip[:=( ]+[^,\n]*postgresUrl !== null/, 'embedded'],
    [/postgresUrl === null \? '|\bskip[:= ]+postgresUrl === null( &&|,|\n)/, 'postgresql'],
  ] as const
  let found = 0
  for (const file of files.filter(reachesDatabase))
    for (const [pattern, place] of skips) {
      if (file === 'test/support/test-files.test.ts' || !pattern.test(readFileSync(file, 'utf8'))) continue
      assert(placesOf(file).includes(place), `${file} needs ${place}`)
      found += 1
    }
  assert(found > 10)
})

test('what opens no database runs once, a test of a room on a server', () => {
  assert.deepEqual(placesOf('src/pages/html.test.ts'), ['embedded'])
  assert.deepEqual(placesOf('src/directory/scim/scim.test.ts'), ['postgresql'])
  assert.deepEqual(placesOf('test/e2e/main-job.test.ts'), ['embedded', 'postgresql'])
})

test('every part of the tests has files, and CI runs each part', () => {
  assert.equal(partOf('src/directory/scim/scim.test.ts'), 'tests')
  assert.equal(partOf('test/e2e/crash.test.ts'), 'crashes')
  assert.equal(partOf('src/console/walk.test.ts'), 'walks')
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
  const ci = readFileSync('.ci/run', 'utf8')
  for (const part of testParts) {
    assert(
      files.some((file) => partOf(file) === part),
      part,
    )
    const [name, flag] = part === 'tests' ? ['test', ''] : [`test:${part}`, ` --part ${part}`]
    assert.equal(scripts[name], `node scripts/run-tests.ts${flag}`)
    assert.match(ci, new RegExp(`\\bnpm (run -s )?${name}\\b(?!:)`))
  }
})
