import assert from 'node:assert/strict'
import { test } from 'node:test'
import { blank } from './source.ts'
import { functionsOf, importsOf } from './source-shape.ts'

test('strings, comments, templates and regular expressions are no code; what a template computes is', () => {
  // @ stands for a dollar sign.
  const text = ["const a = 'x // y' // any", 'const b = /[/"]any/g', 'const c = `any @{d + `@{any}`} any`', 'e / f / g']
    .join('\n')
    .replaceAll('@', '$')
  const { code, uncommented } = blank(text)
  assert.equal(code.length, text.length)
  assert.deepEqual(code.match(/\w+/g), ['const', 'a', 'const', 'b', 'const', 'c', 'd', 'any', 'e', 'f', 'g'])
  assert(uncommented.includes("'x // y'") && !uncommented.includes('// any'))
})

for (const [what, code, lines] of [
  ['a function', 'export async function a<T extends { b: 1 }>(c: T): Promise<{ d: T }> {\n\n}', [3]],
  ['a function that answers an object type', 'function a(): { b: string } | null {\n}', [2]],
  ['a type guard', 'function a(b: unknown): b is { c: 1 } {\n}', [2]],
  ['an arrow function', 'const a = async (b: () => void): Promise<void> => {\n\n\n}', [4]],
  ['a method', 'const a = {\n  b(c: number): number {\n    return c\n  },\n}', [3]],
  ['a function in a function', 'function a() {\n  b(() => {\n  })\n}', [4, 2]],
  ['control flow', 'if (a) {\n}\nfor (const b of c) {\n}', []],
  ['a condition', 'const a = b(c) ? d(e) : { f: 1 }', []],
  ['a type', 'type A = { readonly b: (c: string) => { d: 1 } }', [1]],
] as const) {
  test(`the lines of ${what} are counted`, () => {
    assert.deepEqual(
      functionsOf({ code }).map((found) => found.lines),
      lines,
    )
  })
}

test('imports are found in each of their forms', () => {
  const text = [
    "import type { A } from './a.ts'",
    "import {\n  b,\n} from 'b'",
    "import 'c'",
    "export { d } from './d.ts'",
    "const e = await import('./e.ts')",
    "// import 'f'",
  ].join('\n')
  assert.deepEqual(
    importsOf({ path: '', text, ...blank(text) }).map(({ target, reExports }) => [target, reExports]),
    [
      ['./a.ts', false],
      ['b', false],
      ['c', false],
      ['./d.ts', true],
      ['./e.ts', false],
    ],
  )
})
