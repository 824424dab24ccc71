import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Answers } from './answers.ts'

const ROW = 0x44
const READY = 0x5a

function messageOf(code: number, content: Uint8Array): Buffer {
  const head = Buffer.alloc(5)
  head[0] = code
  head.writeUInt32BE(content.length + 4, 1)
  return Buffer.concat([head, content])
}

test('messages are whole and in order, however they are cut, in memory that is used again', () => {
  const message = fc.tuple(fc.constantFrom(ROW, 0x43, 0x4e, 0x53), fc.uint8Array({ maxLength: 300 }))
  const cuts = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1 })
  fc.assert(
    fc.property(fc.array(message), cuts, (sent, sizes) => {
      const heard: Buffer[] = []
      const answers = new Answers((one) => heard.push(one))
      answers.reader = {
        read: (code, bytes, from) => {
          if (code !== ROW) return false
          heard.push(Buffer.from(bytes.subarray(from - 5, from - 4 + bytes.readUInt32BE(from - 4))))
          return true
        },
      }
      const messages = sent.map(([code, content]) => messageOf(code, content))
      const stream = Buffer.concat(messages)
      const memory = Buffer.alloc(400)
      for (let at = 0, n = 0; at < stream.length; n += 1) {
        const size = Math.min(sizes[n % sizes.length] ?? 1, stream.length - at)
        stream.copy(memory, 0, at, at + size)
        answers.take(memory.subarray(0, size))
        at += size
      }
      assert.deepEqual(heard, messages)
    }),
  )
})

test('a reader reads until the server is ready for the next statement, and what that one sets counts', () => {
  const passed: number[] = []
  const read: number[] = []
  const reader = { read: (code: number) => code === ROW && read.push(code) > 0 }
  const answers: Answers = new Answers((message) => {
    passed.push(message[0] ?? 0)
    // the library starts the next statement while it hears that it may
    if (message[0] === READY && read.length === 1) answers.reader = reader
  })
  const row = messageOf(ROW, Buffer.of(0, 0))
  const ready = messageOf(READY, Buffer.from('I'))
  answers.take(row)
  answers.reader = reader
  answers.take(Buffer.concat([row, ready, row, ready, row]))
  assert.deepEqual(read, [ROW, ROW])
  assert.deepEqual(passed, [ROW, READY, READY, ROW])
})
