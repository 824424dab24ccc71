import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { suite, test } from 'node:test'
import { IntlMessageFormat } from 'intl-messageformat'
import { allLanguages, languages } from '../../contract/languages.ts'

const root = join(import.meta.dirname, '../../..')
const folder = import.meta.dirname

/** A text of a file by the path of its name, e.g. `needs.failedBatches.text`. */
type Flat = ReadonlyMap<string, string>

function flat(entry: unknown, path: readonly string[] = []): [string, string][] {
  if (typeof entry === 'string') return [[path.join('.'), entry]]
  assert.ok(typeof entry === 'object' && entry !== null, `${path.join('.')} is no text`)
  return Object.entries(entry).flatMap(([name, one]) => flat(one, [...path, name]))
}

function fileOf(language: string, path: string): Flat {
  return new Map(flat(JSON.parse(readFileSync(join(folder, language, `${path}.json`), 'utf8'))))
}

/** A call of `catalogue` in the code: the file that it reads, and the values of its sentences. */
type Use = {
  readonly source: string
  readonly path: string
  readonly sentences: ReadonlyMap<string, readonly string[]>
}

const sources = globSync('src/**/*.ts', { cwd: root }).filter((one) => !/\.test\.ts$|\/test-support\//.test(one))
const textOf = new Map(sources.map((one) => [one, readFileSync(join(root, one), 'utf8')]))

const uses: readonly Use[] = [...textOf].flatMap(([source, text]) => {
  const [, path, literal = '{}'] = /= catalogue\('([^']+)', en(?:, (\{.*?\}))?\)\n/s.exec(text) ?? []
  if (path === undefined) return []
  // An object literal of names: the code of this repository.
  const declared: unknown = new Function(`return ${literal}`)()
  return [{ source, path, sentences: namesOf(declared) }]
})

function namesOf(declared: unknown, path: readonly string[] = []): Map<string, readonly string[]> {
  if (Array.isArray(declared)) return new Map([[path.join('.'), declared]])
  return new Map(Object.entries(declared as object).flatMap(([name, one]) => [...namesOf(one, [...path, name])]))
}

/** The values that a message shows or chooses by. */
function valuesIn(message: string, language: string): Set<string> {
  const found = new Set<string>()
  const walk = (element: unknown): void => {
    if (Array.isArray(element)) element.forEach(walk)
    else if (typeof element === 'object' && element !== null) {
      const { type, value, options } = element as { type: number; value?: unknown; options?: object }
      // Literals and the number sign of a plural name no value (MessageFormat elements 0 and 7).
      if (type !== 0 && type !== 7 && typeof value === 'string') found.add(value)
      for (const option of Object.values(options ?? {})) walk((option as { value: unknown }).value)
    }
  }
  walk(new IntlMessageFormat(message, language, undefined, { ignoreTag: true }).getAst())
  return found
}

test('every file of texts is read by one place of the code, under its own path', () => {
  const files = globSync('**/*.json', { cwd: join(folder, 'en') }).map((one) => one.slice(0, -'.json'.length))
  assert.deepEqual(uses.map(({ path }) => path).sort(), files.sort())
  for (const { source, path } of uses) {
    const imported = /^import en from '([^']+)'/m.exec(textOf.get(source) ?? '')?.[1]
    assert.equal(join(root, dirname(source), imported ?? ''), join(folder, 'en', `${path}.json`), source)
  }
})

for (const language of allLanguages) {
  suite(`the texts of ${languages[language]}`, () => {
    test('are in the files of the English ones, and no others', () => {
      const of = (one: string) => globSync('**/*.json', { cwd: join(folder, one) }).sort()
      assert.deepEqual(of(language), of('en'))
    })

    for (const { path, sentences } of uses) {
      test(`${path}: has every name and no other, and in each sentence the values that the code gives`, () => {
        const texts = fileOf(language, path)
        assert.deepEqual([...texts.keys()].sort(), [...fileOf('en', path).keys()].sort())
        for (const [name, text] of texts) {
          if (fileOf('en', path).get(name) !== '') assert.notEqual(text.trim(), '', name)
          const given = sentences.get(name)
          if (given === undefined) assert.doesNotMatch(text, /\{\w+[,}]/, `${name} is not declared as a sentence`)
          else assert.deepEqual([...valuesIn(text, language)].sort(), [...given].sort(), name)
        }
        assert.deepEqual(
          [...sentences.keys()].filter((name) => !texts.has(name)),
          [],
        )
      })
    }
  })
}

test('the script for other people’s pages has its two words in every language', () => {
  const [, table = ''] = /const texts = \{\n(.*?)\n\}/s.exec(textOf.get('src/pages/browser/embed.ts') ?? '') ?? []
  assert.deepEqual(
    [...table.matchAll(/^ {2}(\w+): \{ title: '[^']+', open: '[^']+' \},$/gm)].map(([, name]) => name),
    allLanguages,
  )
})

/** Ends of names that the parts of the pages add to that of a member: `nameHint`, `removeTitle`. */
const ENDS = /(Hint|Title|Text|Of|Address)$/

test('every text is used', () => {
  const unused = uses.flatMap(({ source, path }) => {
    // All rooms use the texts of the kit. The members of the API that have words stand in its contract.
    const room = path === 'pages' ? 'src/' : `${source.split('/').slice(0, 2).join('/')}/`
    const code = [...textOf]
      .filter(([file]) => file.startsWith(room) || file.startsWith('src/contract/') || file.startsWith('src/tables/'))
      .map(([, text]) => text.replace(/= catalogue\(.*?\}?\)\n/s, ''))
      .join('\n')
    const words = new Set(code.match(/[\w$]+/g))
    // A table whose name no member follows is looked up by a value, or shown whole.
    const tables = new Set(code.match(/[\w$]+(?=[^\w$.:])/g))
    const isWord = (name: string) =>
      words.has(name) ||
      name
        .replace(ENDS, '')
        .split('-')
        .every((one) => words.has(one))
    return [...fileOf('en', path).keys()].filter((name) => {
      const [first = '', ...rest] = name.split('.')
      const above = [first, ...rest].slice(0, -1)
      return !isWord(first) || !(isWord(rest.at(-1) ?? first) || above.some((one) => tables.has(one)))
    })
  })
  assert.deepEqual(unused, [])
})
