import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fault } from '../../fault.ts'
import { readJson } from '../server/body.ts'
import { checkTexts } from './check-texts.ts'

function pointersIn(written: string): (string | undefined)[] {
  const bytes = Buffer.from(written)
  try {
    checkTexts(readJson(bytes), bytes)
    return []
  } catch (error) {
    assert.ok(error instanceof Fault)
    assert.equal(error.code, 'request.invalid')
    return (error.violations ?? []).map((one) => one.pointer)
  }
}

for (const [what, written, pointers] of [
  ['Unicode of every kind', '{"é\\u0001":["\\ud83d\\ude00","😀","\\\\u0000"]}', []],
  ['NUL in a text', '{"a":[1,{"b":"x\\u0000"}]}', ['/a/1/b']],
  ['NUL in a name', '{"a/\\u0000":1}', ['/a~1\0']],
  ['half of a pair', '{"a":"\\uD800","b":"\\udc00x"}', ['/a', '/b']],
  ['a text alone', '"\\u0000"', ['']],
] as const) {
  test(`[RFC 7493 2.1] a body with ${what} is ${pointers.length === 0 ? 'accepted' : 'refused at its pointers'}`, () => {
    assert.deepEqual(pointersIn(written), pointers)
  })
}
