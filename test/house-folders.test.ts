import assert from 'node:assert/strict'
import { posix } from 'node:path'
import { test } from 'node:test'
import { isForTests, sourcesIn } from './support/source.ts'
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
