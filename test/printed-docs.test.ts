import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { printActing } from '../scripts/print-acting.ts'
import { printCodes } from '../scripts/print-codes.ts'
import { printConfiguration } from '../scripts/print-configuration.ts'
import { printLimits } from '../scripts/print-limits.ts'
import { printOpenApi } from '../scripts/print-openapi.ts'
import { printVocabulary } from '../scripts/print-vocabulary.ts'
import { routes } from '../src/contributions.ts'
import { root } from './support/source.ts'

const printed = {
  'docs/configuration.md': printConfiguration(),
  'docs/codes.md': printCodes(),
  'docs/acting.md': printActing(),
  'docs/limits.md': printLimits(),
  'docs/vocabulary.md': printVocabulary(),
  ...printOpenApi(),
}

for (const [path, text] of Object.entries(printed)) {
  test(`${path} says what the code says`, () => {
    assert(readFileSync(join(root, path), 'utf8') === text, 'run npm run docs and commit what it prints')
  })
}

test('README.md names operations of the API that exist', () => {
  const paths = new Set(routes.map(({ method, group, path }) => `${method} /${group}${path}`))
  const rows = readFileSync(join(root, 'README.md'), 'utf8').matchAll(/^\| `(\/(?:creds|wallet|onboarding))` \|.*$/gm)
  const named = [...rows].flatMap(([row, group]) =>
    [...row.matchAll(/`([A-Z]+) (\/[^`]+)`/g)].map(([, method, path]) => `${method} ${group}${path}`),
  )
  assert.ok(named.length > 20)
  assert.deepEqual(
    named.filter((one) => !paths.has(one)),
    [],
  )
})
