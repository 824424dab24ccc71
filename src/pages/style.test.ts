// What the style sheets and the markup promise each other.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { filesIn, isForTests, root, sourcesIn } from '../../test/support/source.ts'

const sheets = filesIn('src/pages/style', '.css').map((path) => ({
  path,
  text: readFileSync(join(root, path), 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|url\('[^']*'\)/g, ''),
}))
/** The rooms that write markup. */
const markup = ['pages', 'console', 'holder', 'visitor', 'authorization/sign-in']
  .flatMap((room) => sourcesIn(`src/${room}`))
  .filter(({ path }) => !isForTests(path))
/** Classes that say what an element is; the look is that of the element without them. */
const WITHOUT_RULE = ['note', 'outcome']

const selected = new Set(
  sheets.flatMap(({ text }) =>
    [...text.matchAll(/([^{};]+)\{/g)].flatMap(([, selector = '']) =>
      [...selector.matchAll(/\.([a-zA-Z][\w-]*)/g)].map(([, name = '']) => name),
    ),
  ),
)
/**
 * The class attributes of the markup: what stands in them, and what is put into them by the code between the quotes.
 */
const attributes = markup.flatMap(({ uncommented }) =>
  [...uncommented.matchAll(/class="([^"]*)"/g)].map(([, value = '']) => value),
)
/** Texts in the code that may be class names: those of tones, looks and surfaces are put in by name. */
const texts = markup.flatMap(({ uncommented }) =>
  [...uncommented.matchAll(/'([a-z][a-z -]*)'/g)].flatMap(([, value = '']) => value.split(' ')),
)

test('every class with a rule is written by a page', () => {
  const written = new Set([...attributes.flatMap((value) => value.match(/[\w-]+/g) ?? []), ...texts])
  assert(selected.size > 50)
  assert.deepEqual([...selected].filter((name) => !written.has(name)).sort(), [])
})

test('every class that a page writes has a rule', () => {
  const plain = attributes.flatMap((value) => value.replaceAll(/[\w-]*\$\{[^}]*\}[\w-]*/g, '').split(/\s+/))
  const missing = new Set(plain.filter((name) => name !== '' && !selected.has(name)))
  assert.deepEqual([...missing].sort(), WITHOUT_RULE)
})

test('colours are written once, as tokens', () => {
  for (const { path, text } of sheets) {
    if (path.endsWith('/tokens.css')) continue
    assert.deepEqual(text.match(/(?<!url\()#[0-9a-f]{3,8}\b|\brgb\(|\bhsl\(/g) ?? [], [], path)
  }
})
