import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { test } from 'node:test'
import { filesIn, isForTests, root, sourcesIn } from './support/source.ts'
import { importsOf } from './support/source-shape.ts'

const FILES_MAX = 20

const product = sourcesIn('src').filter(({ path }) => !isForTests(path))
const edges = product.flatMap((source) =>
  importsOf(source)
    .filter(({ target }) => target.startsWith('.'))
    .map(({ target }) => ({ from: source.path, to: posix.join(posix.dirname(source.path), target) }))
    .filter(({ to }) => to.startsWith('src/')),
)

/** `src/config.ts` is a room of its own, as `src/issuance/offers/` is a folder. */
function folderOf(path: string): string {
  const folder = posix.dirname(path)
  return folder === 'src' ? path.replace(/\.ts$/, '') : folder
}

test('a folder has at most 20 product files', () => {
  const byFolder = Map.groupBy(product, ({ path }) => posix.dirname(path))
  const full = [...byFolder].filter(([, files]) => files.length > FILES_MAX)
  assert.deepEqual(
    full.map(([folder, files]) => `${folder}: ${files.length}`),
    [],
  )
})

/**
 * Folders below src that the table of rooms in ARCHITECTURE.md names: `a` (`b` `c`) `d` in the last column of a room.
 */
function namedFolders(): string[] {
  const table = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8').split('\n## ')[1] ?? ''
  return [...table.matchAll(/^\| (.+?) \|.*\| (.*?) ?\|$/gm)].flatMap(([, names = '', folders = '']) => {
    // The folders of `caller.ts`, `config.ts` and their kind stand in src itself.
    const room = /^`(\w+)\/`$/.exec(names)?.[1]
    const way = room === undefined ? [] : [room]
    const found = room === undefined ? [] : [room]
    for (const [, name, parenthesis] of folders.matchAll(/`([^`]+)`|([()])/g)) {
      if (name !== undefined) found.push([...way, name].join('/'))
      else if (parenthesis === ')') way.pop()
      else way.push(found.at(-1)?.split('/').at(-1) ?? '')
    }
    return found
  })
}

test('ARCHITECTURE.md names every folder of src once, and no other', () => {
  const folders = new Set<string>()
  // A folder of texts is one language (`pages/messages`).
  for (const path of filesIn('src').filter((one) => !isForTests(one) && !one.endsWith('.json'))) {
    const names = path.split('/').slice(1, -1)
    for (const at of names.keys()) folders.add(names.slice(0, at + 1).join('/'))
  }
  assert.deepEqual(namedFolders().sort(), [...folders].sort())
})

test('the title of a decision bears the number of its file', () => {
  const wrong = filesIn('docs/decisions', '.md').filter(
    (path) => !readFileSync(join(root, path), 'utf8').startsWith(`# ${posix.basename(path).slice(0, 4)} `),
  )
  assert.deepEqual(wrong, [])
})

test('folders do not import in a circle', () => {
  const next = new Map<string, Map<string, string>>()
  for (const { from, to } of edges) {
    const [a, b] = [folderOf(from), folderOf(to)]
    if (a === b) continue
    next.set(a, (next.get(a) ?? new Map()).set(b, `${from} -> ${to}`))
  }
  const done = new Set<string>()
  const circles: string[] = []
  const visit = (folder: string, way: readonly string[]) => {
    if (way.includes(folder)) {
      const circle = [...way.slice(way.indexOf(folder)), folder]
      circles.push(circle.map((one, at) => next.get(one)?.get(circle[at + 1] ?? '') ?? one).join('; '))
    } else if (!done.has(folder)) {
      for (const one of next.get(folder)?.keys() ?? []) visit(one, [...way, folder])
      done.add(folder)
    }
  }
  for (const folder of next.keys()) visit(folder, [])
  assert.deepEqual(circles, [])
})

test('a store file knows nothing of HTTP, of the API or of pages', () => {
  const findings = edges
    .filter(({ from, to }) => from.endsWith('-store.ts') && /^src\/(http|api|pages)\//.test(to))
    .map(({ from, to }) => `${from} -> ${to}`)
  assert.deepEqual(findings, [])
})
