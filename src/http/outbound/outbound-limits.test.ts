import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { readConfig } from '../../config.ts'
import type { OutboundRequest } from '../../platform.ts'
import { onBehalfOf } from '../routes/tenant-of-work.ts'
import { type OutboundParts, openOutbound } from './outbound.ts'

const plain = { accept: [], bytesMax: 1000 } satisfies OutboundRequest
const config = { ...readConfig({}), isDevelopment: true }
const inside: OutboundParts['inside'] = () => Promise.reject(new Error('not called'))

/** The outbound client of one test. */
function aClient(context: TestContext) {
  const out = openOutbound({ config, inside })
  context.after(() => out.close())
  return out
}

/** A server that answers nothing before `answerAll`. Counts the requests that it holds. */
async function aSlowServer(context: TestContext) {
  const held = new Set<() => void>()
  let most = 0
  const server = createServer((_, response) => {
    held.add(() => response.end())
    most = Math.max(most, held.size)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const answerAll = () => {
    for (const end of held) end()
    held.clear()
  }
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  context.after(() => {
    answerAll()
    server.close()
  })
  return { url, held, most: () => most, answerAll }
}

/** Waits until that many requests are held, and a while longer for those that must not come. */
async function holding(count: number, servers: readonly { readonly held: ReadonlySet<unknown> }[]) {
  const now = () => servers.reduce((sum, { held }) => sum + held.size, 0)
  for (let turn = 0; turn < 200 && now() < count; turn += 1) await soon(20)
  await soon(100)
  assert.equal(now(), count)
}

const soon = (ms: number) => new Promise((done) => setTimeout(done, ms))

test('one tenant has at most 8 concurrent calls to a host, and the call of another tenant does not wait', async (context) => {
  const slow = await aSlowServer(context)
  const out = aClient(context)
  const busy = Array.from({ length: 20 }, () => onBehalfOf('busy', () => out.fetch(slow.url, plain)))
  await holding(8, [slow])
  const calm = onBehalfOf('calm', () => out.fetch(slow.url, plain))
  await holding(9, [slow])
  const answering = setInterval(slow.answerAll, 20)
  for (const { status } of await Promise.all([...busy, calm])) assert.equal(status, 200)
  clearInterval(answering)
  assert.ok(slow.most() <= 9)
})

test('one tenant has at most 32 concurrent calls to all hosts', async (context) => {
  const servers = await Promise.all(Array.from({ length: 6 }, () => aSlowServer(context)))
  const out = aClient(context)
  const calls = servers.flatMap(({ url }) =>
    Array.from({ length: 8 }, () => onBehalfOf('busy', () => out.fetch(url, plain))),
  )
  await holding(32, servers)
  const answering = setInterval(() => {
    for (const { answerAll } of servers) answerAll()
  }, 20)
  await Promise.all(calls)
  clearInterval(answering)
})

test('a call that waits too long is upstream.timeout, and so is one beyond 128 waiting calls', async (context) => {
  const slow = await aSlowServer(context)
  const out = aClient(context)
  const calls = Array.from({ length: 8 + 128 }, () =>
    onBehalfOf('busy', () => out.fetch(slow.url, { ...plain, timeoutMs: 600 })),
  )
  const ended = Promise.allSettled(calls)
  let isOver = false
  void ended.then(() => {
    isOver = true
  })
  await soon(100)
  await assert.rejects(
    onBehalfOf('busy', () => out.fetch(slow.url, plain)),
    { code: 'upstream.timeout' },
  )
  assert.ok(!isOver, 'it waited like those before it')
  for (const one of await ended) {
    assert.equal(one.status, 'rejected')
    assert.equal(one.status === 'rejected' && one.reason.code, 'upstream.timeout')
  }
})
