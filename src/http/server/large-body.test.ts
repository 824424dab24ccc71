import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { endpoint } from '../routes/endpoint.ts'
import { aServer } from '../test-support/a-server.ts'

const took = endpoint({
  tag: 'Tests',
  summary: 'For tests.',
  method: 'POST',
  path: '/issuers/{tenant}/credential',
  accepts: 'json',
  handle: () => ({ status: 204 }),
})
const server = aServer({ endpoints: [took] })
let at = ''
before(async () => {
  at = await server.listen()
})
after(() => server.close(0))

/** Sends a whole body before it reads the response, as many clients do. @returns the first line of the response */
function post(bytes: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(at)
    const socket = connect(Number(port), hostname)
    socket.once('error', reject)
    socket.pause()
    const head = `POST /issuers/acme/credential HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${bytes}\r\n\r\n`
    socket.write(head)
    setTimeout(() => {
      socket.write(Buffer.alloc(bytes, ' '), () => {
        socket.once('data', (data) => {
          socket.destroy()
          resolve(data.toString('latin1').split('\r\n', 1)[0] ?? '')
        })
        socket.resume()
      })
    }, 50)
  })
}

/**
 * Sends a body in chunks, continues after the refusal, and reads the response last.
 *
 * @returns its first line, or the error of the connection, and how many bytes of the body the server took at most
 */
async function postInChunks(path: string, bytes: number): Promise<{ found: string; taken: number }> {
  const { hostname, port } = new URL(at)
  const socket = connect(Number(port), hostname)
  const failed = new Promise<string>((resolve) => socket.once('error', ({ message }) => resolve(message)))
  const chunk = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(0x10000, ' '), Buffer.from('\r\n')])
  let taken = 0
  const send = (end: number) => {
    for (let sent = 0; sent < end; sent += 0x10000)
      socket.write(chunk, (error) => {
        if (error == null) taken += chunk.length
      })
  }
  socket.pause()
  socket.write(
    `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`,
  )
  send(2_000_000)
  await sleep(100)
  send(bytes - 2_000_000)
  socket.write('0\r\n\r\n')
  await sleep(100)
  const answered = once(socket, 'data').then(([data]) => String(data).split('\r\n', 1)[0] ?? '')
  socket.resume()
  const found = await Promise.race([failed, answered.catch(() => failed)])
  socket.destroy()
  return { found, taken }
}

test('a body of unknown length that is too large is refused with a response that the client receives', async () => {
  assert.match((await postInChunks('/issuers/acme/credential', 3_000_000)).found, /^HTTP\/1\.1 413 /)
})

test('a body of unknown length is not read without end', async () => {
  const { found, taken } = await postInChunks('/issuers/acme/credential', 40_000_000)
  assert.match(found, /ECONNRESET|EPIPE|^HTTP\/1\.1 413 /)
  // What lies in the buffers of the connection counts as taken.
  assert.ok(taken < 20_000_000, `${taken} bytes`)
})

test('a body that is too large is refused with a response that the client receives', async () => {
  assert.match(await post(3_000_000), /^HTTP\/1\.1 413 /)
})

for (const [path, method, status] of [
  ['/issuers/acme/nothing', 'POST', 404],
  ['/issuers/acme/credential', 'PUT', 405],
  ['/issuers/acme/credential', 'OPTIONS', 405],
] as const) {
  test(`the body of a request without a route is not read: ${method} ${path} is ${status}`, async () => {
    for (const headers of [{}, { 'content-encoding': 'br' }]) {
      const response = await fetch(at + path, { method, headers, body: Buffer.alloc(3_000_000, ' ') })
      assert.equal(response.status, status)
    }
  })
}

/** Sends a header that expects 100, and the body at once, as axios and requests do. @returns the status lines */
async function postExpecting(bytes: number): Promise<string[]> {
  const { hostname, port } = new URL(at)
  const socket = connect(Number(port), hostname)
  const lines = ['POST /issuers/acme/credential HTTP/1.1', 'host: x', 'content-type: application/json']
  const more = ['expect: 100-continue', 'connection: close', `content-length: ${bytes}`, '', '']
  socket.write([...lines, ...more].join('\r\n'))
  socket.write(Buffer.alloc(bytes, ' '))
  let text = ''
  socket.on('data', (data) => {
    text += data
  })
  await once(socket, 'close')
  return text.match(/^HTTP\/1\.1 \d+/gm) ?? []
}

// A refusal in place of 100 ends the connection with what the client is sending, which then loses the refusal.
test('a client that expects 100 and does not wait for it receives the refusal', async () => {
  for (let of = 0; of < 5; of += 1) assert.deepEqual(await postExpecting(3_000_000), ['HTTP/1.1 100', 'HTTP/1.1 413'])
})
