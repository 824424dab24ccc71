import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { printConfiguration } from '../scripts/print-configuration.ts'
import { printOpenApi } from '../scripts/print-openapi.ts'
import { root } from './support/source.ts'

for (const [path, text] of Object.entries({ 'docs/configuration.md': printConfiguration(), ...printOpenApi() })) {
  test(`${path} says what the code says`, () => {
    assert(readFileSync(join(root, path), 'utf8') === text, 'run npm run docs and commit what it prints')
  })
}
