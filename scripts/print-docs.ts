import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { printActing } from './print-acting.ts'
import { printCodes } from './print-codes.ts'
import { printConfiguration } from './print-configuration.ts'
import { printLimits } from './print-limits.ts'
import { printOpenApi } from './print-openapi.ts'
import { printVocabulary } from './print-vocabulary.ts'

/**
 * Prints the documents that the code tells: `docs/acting.md`, `docs/configuration.md`, `docs/codes.md`,
 * `docs/limits.md`, `docs/vocabulary.md` and `docs/openapi/*.json`. With `--check` nothing is written, and a document
 * that differs from the code is an error.
 */
const printed = {
  'docs/configuration.md': printConfiguration(),
  'docs/acting.md': printActing(),
  'docs/codes.md': printCodes(),
  'docs/limits.md': printLimits(),
  'docs/vocabulary.md': printVocabulary(),
  ...printOpenApi(),
}
const stale = Object.entries(printed).filter(([path, text]) => !existsSync(path) || readFileSync(path, 'utf8') !== text)

if (process.argv.includes('--check')) {
  for (const [path] of stale) console.error(`${path} is stale: run npm run docs and commit it`)
  process.exitCode = stale.length === 0 ? 0 : 1
} else {
  for (const [path, text] of stale) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
    console.log(`printed ${path}`)
  }
}
