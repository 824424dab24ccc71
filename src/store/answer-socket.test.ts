import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { streamFor } from './answer-socket.ts'

function aMessage(contentBytes: number): Buffer {
  const message = randomBytes(5 + contentBytes)
  message.writeUInt32BE(message.length - 1, 1)
  return message
}

test('what was read stays as it was when more is read, whole and in order, and the end is heard', async () => {
  const sent = Array.from({ length: 40 }, (_, at) => aMessage(at * 5_000))
  const server = createServer(async (peer) => {
    for (const piece of sent) {
      peer.write(piece)
      await setImmediate()
    }
    peer.end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = streamFor()
  const kept: Buffer[] = []
  socket.on('data', (piece: Buffer) => kept.push(piece))
  socket.connect((server.address() as AddressInfo).port, '127.0.0.1')
  await once(socket, 'end')
  socket.destroy()
  server.close()
  assert.equal(kept.length, sent.length)
  for (const [at, message] of sent.entries()) assert.ok(kept[at]?.equals(message), `message ${at}`)
})
