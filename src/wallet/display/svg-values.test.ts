import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isPlainCss } from './svg-values.ts'

for (const [css, isPlain] of [
  ['.a { fill: red } /* one */ .b { fill: rgb(1, 2, 3) } /* two */', true],
  ['/* url(https://evil.example/) */ .a { fill: red }', true],
  ['/*/ url(https://evil.example/) */ .a { fill: red }', true],
  ['.a { fill: url(https://evil.example/) } /* one */', false],
  ['.a { fill: red } /* without an end', false],
  ['.a { fill: red } /*/', false],
] as const) {
  test(`the style ${css} is ${isPlain ? '' : 'not '}plain`, () => assert.equal(isPlainCss(css), isPlain))
}

test('comments that begin and never end take linear time', () => {
  const start = process.cpuUsage()
  assert.equal(isPlainCss('/*'.repeat(200_000)), false)
  const { user } = process.cpuUsage(start)
  assert.ok(user < 200_000, `${user} µs`)
})
