import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, test } from 'node:test'
import { endpoint } from '../routes/endpoint.ts'
import { aServer } from '../test-support/a-server.ts'

const took = endpoint({
  ...{ tag: 'Tests', summary: 'For tests.', method: 'POST', path: '/issuers/{tenant}/credential', accepts: 'json' },
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

test('a body that is too large is refused with a response that the client receives', async () => {
  assert.match(await post(3_000_000), /^HTTP\/1\.1 413 /)
})
