import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { after, test } from 'node:test'
import { Type } from 'typebox'
import { until } from '../../../test/support/until.ts'
import { answer, rawAnswer } from '../routes/route.ts'
import type { Server } from '../server/server.ts'
import { aServer, type Lines } from '../test-support/a-server.ts'
import { route } from '../test-support/route.ts'
import { type TimeLimits, timeLimits } from './time-limits.ts'

const common = { group: 'creds', summary: 'For tests.', scope: null, status: 200, faults: [] } as const
const Body = Type.Object({ name: Type.String() }, { additionalProperties: false })
const LARGE = 64_000_000

const routes = [
  route({ ...common, method: 'POST', path: '/things', body: Body, reply: Body, handle: ({ body }) => answer(body) }),
  route({ ...common, method: 'DELETE', path: '/things', status: 204, handle: () => answer(undefined) }),
  // Ends at a drain of the client's connection only.
  route({
    ...common,
    method: 'GET',
    path: '/never',
    reply: Body,
    handle: () => new Promise<never>(() => undefined),
  }),
  route({
    ...common,
    method: 'GET',
    path: '/large',
    produces: ['text/plain'],
    handle: () => rawAnswer('text/plain', Buffer.alloc(LARGE)),
  }),
  route({
    ...common,
    method: 'GET',
    path: '/endless',
    produces: ['text/plain'],
    handle: () => {
      const piece = Buffer.alloc(65_536)
      return rawAnswer(
        'text/plain',
        new Readable({
          read: function () {
            this.push(piece)
          },
        }),
      )
    },
  }),
]

/** A server that listens. */
async function started(limits: Partial<TimeLimits>): Promise<{ server: Server; port: number; lines: Lines }> {
  const lines: Lines = []
  const server = aServer({ routes, lines, timeLimits: { ...timeLimits, ...limits } })
  const port = Number(new URL(await server.listen()).port)
  after(() => server.close(100))
  return { server, port, lines }
}

function sent(port: number, head: string, ...more: string[]): Socket {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined)
  const token = 'authorization: Bearer writer'
  socket.write([`${head} HTTP/1.1`, 'host: x', token, ...more, '', ''].join('\r\n'))
  return socket
}

const requestLines = (lines: Lines) =>
  lines.filter(([, , message]) => message === 'request').map(([, { status, fault }]) => [status, fault])

test('a request that is not answered in time loses its connection, and the log has one line of it', async () => {
  const { port, lines } = await started({ 'http.answer': { ms: 200 } })
  const socket = sent(port, 'GET /creds/never').resume()
  await once(socket, 'close')
  await until(() => lines.length > 0)
  assert.deepEqual(requestLines(lines), [[408, 'request.timeout']])
})

test('a client that disconnects before its answer leaves a line of the log', async () => {
  const { port, lines } = await started({})
  const socket = sent(port, 'GET /creds/never')
  await once(socket, 'connect')
  setTimeout(() => socket.destroy(), 50)
  await until(() => lines.length > 0)
  assert.deepEqual(requestLines(lines), [[499, undefined]])
})

for (const path of ['large', 'endless']) {
  test(`a client that reads nothing of an answer (${path}) is cut off`, async () => {
    const { port, lines } = await started({ 'http.unread_answer': { ms: 300 } })
    const socket = sent(port, `GET /creds/${path}`, 'accept: text/plain').pause()
    await until(() => requestLines(lines).length > 0)
    assert.deepEqual(requestLines(lines), [[200, 'request.timeout']])
    socket.destroy()
  })
}

test('a streamed answer has a deadline too, however its client reads', async () => {
  const { port, lines } = await started({ 'http.streamed_answer': { ms: 300 } })
  await once(sent(port, 'GET /creds/endless', 'accept: text/plain').resume(), 'close')
  assert.deepEqual(requestLines(lines), [[200, 'request.timeout']])
})

test('a stop waits for no request that does not arrive, and for no silent connection', async () => {
  const { server, port } = await started({ 'http.unfinished_at_stop': { ms: 300 } })
  const half = sent(port, 'POST /creds/things', 'content-type: application/json', 'content-length: 20')
  const halting = connect(port, '127.0.0.1').on('error', () => undefined)
  halting.write('GET / HTTP/1.1\r\nhost')
  const silent = connect(port, '127.0.0.1').on('error', () => undefined)
  await Promise.all([half, halting, silent].map((one) => once(one, 'connect')))
  await new Promise((resolve) => setTimeout(resolve, 50))
  const start = performance.now()
  await server.close(20_000)
  assert.ok(performance.now() - start < 3000)
  for (const one of [half, halting, silent]) one.destroy()
})
