import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { aServer } from '../test-support/a-server.ts'
import { boundIdleConnections } from './idle-connections.ts'

const open: Socket[] = []
after(() => {
  for (const one of open) one.destroy()
})

async function opened(port: number, localAddress = '127.0.0.1'): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress }).setEncoding('utf8')
  open.push(socket)
  await once(socket, 'connect')
  return socket
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`

/** A server that answers each path but `/slow`, with at most two idle connections. */
async function aBoundServer(): Promise<{ port: number; answerSlow: () => void }> {
  const slow = Promise.withResolvers<void>()
  const server = createServer(async ({ url }, response) => {
    if (url === '/slow') await slow.promise
    response.end(`answer to ${url}`)
  })
  boundIdleConnections(server, 2)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close())
  // The address of a server that listens at a port.
  return { port: (server.address() as AddressInfo).port, answerSlow: slow.resolve }
}

test('above the bound the oldest connection that sends nothing is closed, and a new one is served', async () => {
  const { port } = await aBoundServer()
  const [first, second] = [await opened(port), await opened(port)]
  const firstEnded = once(first, 'close')
  const third = await opened(port)
  await firstEnded
  third.write(get('/third'))
  assert.match(String(await once(third, 'data')), /answer to \/third/)
  assert.equal(second.readyState, 'open')
})

test('above the bound a connection of the network with most of them is closed, not the oldest of all', async () => {
  const { port } = await aBoundServer()
  const patient = await opened(port)
  const greedy = [await opened(port, '127.0.0.2')]
  for (let more = 0; more < 5; more += 1) {
    const ended = once(greedy[more] ?? patient, 'close')
    greedy.push(await opened(port, '127.0.0.2'))
    await ended
  }
  patient.write(get('/patient'))
  assert.match(String(await once(patient, 'data')), /answer to \/patient/)
})

test('a connection that is kept alive after its response counts as idle; one that waits for a response does not', async () => {
  const { port, answerSlow } = await aBoundServer()
  const waiting = await opened(port)
  waiting.write(get('/slow'))
  const kept = await opened(port)
  kept.write(get('/kept'))
  await once(kept, 'data')
  const keptEnded = once(kept, 'close')
  await opened(port)
  await opened(port)
  await keptEnded
  answerSlow()
  assert.match(String(await once(waiting, 'data')), /answer to \/slow/)
})

test('the server closes a connection that sends no complete header for ten seconds', async () => {
  const server = aServer({})
  const port = Number(new URL(await server.listen()).port)
  after(() => server.close(100))
  const [silent, halting] = [await opened(port), await opened(port)]
  halting.write('GET /healthz HTTP/1.1\r\nhost')
  const started = performance.now()
  await Promise.all([silent, halting].map((one) => once(one.resume(), 'close')))
  const seconds = (performance.now() - started) / 1000
  assert.ok(seconds > 9 && seconds < 15, `closed after ${seconds} s`)
})

test('a client that holds 2,000 silent connections keeps no other client out', async () => {
  const server = aServer({})
  const port = Number(new URL(await server.listen()).port)
  after(() => server.close(100))
  const oldest = await opened(port)
  const oldestEnded = once(oldest, 'close')
  for (let batch = 0; batch < 20; batch += 1) await Promise.all(Array.from({ length: 100 }, () => opened(port)))
  const other = await opened(port)
  other.write(get('/healthz'))
  assert.match(String(await once(other, 'data')), /^HTTP\/1\.1 200 /)
  await oldestEnded
})
