// A holder asks for the whole wallet many times at once and reads nothing: the server has a small heap and serves
// others.
import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { makeTemplate } from '../support/main-job.ts'
import type { Api } from '../support/server.ts'
import { type ServerChild, serverChild } from '../support/server-child.ts'

/** The embedded database runs in the same process, outside of the heap. */
const HEAP_MIB = 192
const CARDS = 60
const CARD_CHARS = 250_000
const SOCKETS = 40

let child: ServerChild
let school: Api
let thandi: Api
before(async () => {
  child = await serverChild({ NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB}` })
  school = await child.backend()
  thandi = await child.wallet('thandi')
  const { id: credentialTemplateId } = await makeTemplate(school, 'large')
  for (let card = 0; card < CARDS; card += 1) {
    const attributes = { name: 'a'.repeat(CARD_CHARS), level: card }
    const issued = await school.post('/creds/credentials/issuance', { credentialTemplateId, attributes })
    assert.equal(issued.status, 200, JSON.stringify(issued.body).slice(0, 300))
    const taken = await thandi.post('/wallet/v2/credentials', { credentialOffer: issued.body.data.offerUri })
    assert.equal(taken.status, 201, JSON.stringify(taken.body).slice(0, 300))
  }
})
after(() => child.remove())

function unread(path: string): Socket {
  const { hostname, port } = new URL(child.url)
  const socket = connect(Number(port), hostname)
    .on('error', () => undefined)
    .pause()
  socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${thandi.token}\r\n\r\n`)
  return socket
}

test('the whole wallet is exported, newest first, without its text being in memory at once', async () => {
  const { status, headers, body } = await thandi.get('/wallet/v2/data')
  assert.equal(status, 200)
  assert.equal(headers.get('content-length'), null)
  const { credentials, history, hasOlderHistory, pushSubscriptions, exportedAt } = body.data
  assert.equal(credentials.length, CARDS)
  assert.equal(credentials[0].credential.claims.level, CARDS - 1)
  assert.ok(credentials.every((one: { issued: string }) => one.issued.length > CARD_CHARS))
  assert.equal(history.length, CARDS)
  assert.deepEqual([hasOlderHistory, pushSubscriptions], [false, []])
  assert.ok(Date.parse(exportedAt) > 0)
})

test('forty exports that their holder does not read neither end the server nor hold up another caller', async () => {
  const sockets = Array.from({ length: SOCKETS }, () => unread('/wallet/v2/data'))
  const start = performance.now()
  let slowest = 0
  while (performance.now() - start < 10_000) {
    const asked = performance.now()
    const { status } = await school.get('/creds/templates/credentials')
    assert.equal(status, 200)
    slowest = Math.max(slowest, performance.now() - asked)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  for (const one of sockets) one.destroy()
  assert.ok(slowest < 5_000, `${slowest} ms`)
  assert.equal((await school.get('/creds/templates/credentials')).status, 200)
})
