import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cpuTimer } from '../../../test/support/cpu-time.ts'
import { fromPem, readPem, toPem } from './pem.ts'

const begin = '-----BEGIN CERTIFICATE-----'
const end = '-----END CERTIFICATE-----'

/** Of each the readers once needed time that grows with the square of its length, or might. */
const growing: readonly (readonly [what: string, text: (length: number) => string])[] = [
  ['spaces behind the first line', (length) => `${begin}\n${' '.repeat(length)}!`],
  ['line ends', (length) => `${begin}\n${'\n'.repeat(length)}${end}x`],
  ['base64 without an end', (length) => `${begin}\n${'AAAA\n'.repeat(length / 5)}`],
  ['first lines', (length) => begin.repeat(length / begin.length)],
  ['a label without an end', (length) => `-----BEGIN ${'A '.repeat(length / 2)}`],
]

for (const [what, text] of growing) {
  test(`a megabyte of ${what} is refused within a second`, () => {
    const spent = cpuTimer()
    for (const read of [readPem, (one: string) => fromPem('CERTIFICATE', one)]) {
      assert.throws(() => read(text(1_048_576)), { code: 'certificate.invalid' })
    }
    assert(spent() < 1000)
  })
}

test('a text has ten PEM blocks at most', () => {
  const block = toPem('CERTIFICATE', Buffer.from('3000', 'hex'))
  assert.equal(fromPem('CERTIFICATE', block.repeat(10)).length, 10)
  assert.throws(() => fromPem('CERTIFICATE', block.repeat(11)), { code: 'certificate.invalid' })
})
