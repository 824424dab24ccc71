import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { test } from 'node:test'
import { filesIn, isForTests, root, type Source, sourcesIn } from './support/source.ts'
import { importsOf } from './support/source-shape.ts'

/**
 * Loaded by `bin/`, by the operating system, by browsers, and by the name of their package, so that no file of the
 * repository imports them.
 */
const entries = new Set([
  'src/main.ts',
  'src/cli.ts',
  // A worker, by its address in its package.
  'packages/print/src/print-worker.ts',
  ...sourcesIn('src/pages/browser').map(({ path }) => path),
  ...filesIn('packages', 'package.json').map((path) => {
    const { exports } = JSON.parse(readFileSync(join(root, path), 'utf8')) as { exports: string }
    return posix.join(posix.dirname(path), exports)
  }),
])
const EXPORT = /^export (?:declare |async |abstract )*(?:const|let|function\*?|class|type|interface) ([\w$]+)/gm

const src = ['src', 'packages'].flatMap(sourcesIn)
const product = src.filter(({ path }) => !isForTests(path))
const all = [...src, ...['test', 'bench', 'scripts', 'demo'].flatMap(sourcesIn)]

/** What a file imports from this repository, as `path#name`; `path#*` where the statement does not list names. */
function importedBy(source: Source): readonly string[] {
  return importsOf(source)
    .filter(({ target }) => target.startsWith('.'))
    .flatMap(({ statement, target }) => {
      const path = posix.join(posix.dirname(source.path), target)
      const names = /\{([^}]*)\}/.exec(statement)?.[1]?.split(',') ?? ['*']
      return names.map(
        (name) =>
          `${path}#${name
            .trim()
            .replace(/^type /, '')
            .replace(/ as .*/, '')}`,
      )
    })
}

test('every export of the product is imported by another file', () => {
  const imported = new Set(all.flatMap(importedBy))
  const unused = product.flatMap(({ path, code }) =>
    [...new Set([...code.matchAll(EXPORT)].map(([, name]) => `${path}#${name}`))].filter(
      (name) => !entries.has(path) && !imported.has(name) && !imported.has(`${path}#*`),
    ),
  )
  assert.deepEqual(unused, [])
})

test('every product file is imported by the product', () => {
  const imported = new Set(product.flatMap(importedBy).map((name) => name.replace(/#.*/, '')))
  assert.deepEqual(
    product.map(({ path }) => path).filter((path) => !imported.has(path) && !entries.has(path)),
    [],
  )
})
