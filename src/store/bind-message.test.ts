import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { serialize } from 'pg-protocol'
import { bindMessage } from './bind-message.ts'

test('the message is the one that the library makes', () => {
  const text = fc.string({ unit: 'binary' }).filter((one) => one.isWellFormed())
  const bytes = fc.uint8Array({ maxLength: 2000 }).map((one) => Buffer.from(one))
  const value = fc.oneof(text, bytes, fc.constant(null))
  fc.assert(
    fc.property(text, fc.array(value, { maxLength: 20 }), (statement, values) => {
      const name = statement.replaceAll('\0', '')
      assert.deepEqual(bindMessage(name, values), serialize.bind({ statement: name, values }))
    }),
  )
})
