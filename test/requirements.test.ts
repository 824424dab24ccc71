import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { filesIn, root } from './support/source.ts'

const id = '[A-Z][A-Z0-9]*-[A-Z]*\\d+[a-z]?'
const citation = new RegExp(`\\[(${id}(?:, ${id})*)\\]`, 'g')
const documented = [...readFileSync(join(root, 'docs/requirements.md'), 'utf8').matchAll(rowOf())].map(
  ([, name = '', sentence = '', source = '']) => ({ name, sentence, source }),
)
const cited = new Map<string, string>()
const proved = new Set<string>()
for (const folder of ['src', 'test', 'bench', 'scripts', 'demo', 'docs']) {
  for (const path of filesIn(folder).filter((one) => /\.(ts|sql|md)$/.test(one) && one !== 'docs/requirements.md')) {
    for (const [, ids = ''] of readFileSync(join(root, path), 'utf8').matchAll(citation)) {
      for (const one of ids.split(', ')) {
        cited.set(one, path)
        if (path === 'docs/divergences.md' || isTest(path)) proved.add(one)
      }
    }
  }
}

function isTest(path: string): boolean {
  return path.endsWith('.test.ts') || path.startsWith('test/')
}

function rowOf(): RegExp {
  return new RegExp(`^\\| (${id}) \\| ([^|]+) \\| ([^|]+) \\|$`, 'gm')
}

test('every clause id that is cited is defined in docs/requirements.md', () => {
  const names = new Set(documented.map(({ name }) => name))
  const unknown = [...cited].filter(([name]) => !names.has(name))
  assert.deepEqual(unknown, [])
})

test('docs/requirements.md defines each id once, with a sentence and a source, and none that nothing cites', () => {
  assert.ok(documented.length > 200)
  const findings = documented
    .filter(
      ({ name, sentence, source }, index) =>
        !cited.has(name) ||
        !sentence.trim().endsWith('.') ||
        source.trim() === '' ||
        documented.findIndex((one) => one.name === name) !== index,
    )
    .map(({ name }) => name)
  assert.deepEqual(findings, [])
})

test('each id of docs/requirements.md is cited by a test, or by docs/divergences.md', () => {
  assert.deepEqual(
    documented.map(({ name }) => name).filter((name) => !proved.has(name)),
    [],
  )
})
