import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isForeignAddress, isMailAddress } from './mail-address.ts'

for (const [text, isMailed, isForeign] of [
  ['thandi@example.org', true, true],
  ["o'neill+cards@mail.example.org", true, true],
  [`${'a'.repeat(64)}@example.org`, true, true],
  [`${'a'.repeat(65)}@example.org`, false, true],
  [`${'a'.repeat(256)}@example.org`, false, false],
  ['anna@intranet', false, true],
  ['zoë@example.org', false, true],
  ['.anna@example.org', false, true],
  ['anna@-example.org', false, true],
  ['anna@example.org\0', false, false],
  ['anna bell@example.org', false, false],
  ['anna@example@org', false, false],
  ['anna@example.org\r\nBcc: x@example.org', false, false],
  ['anna', false, false],
] as const) {
  test(`${JSON.stringify(text.slice(-40))} is ${isMailed ? 'mailed' : isForeign ? 'held by other systems' : 'no address'}`, () => {
    assert.deepEqual([isMailAddress(text), isForeignAddress(text)], [isMailed, isForeign])
  })
}
