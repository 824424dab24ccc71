import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import type { TenantId } from '../../caller.ts'
import { readConfig } from '../../config.ts'
import { Memory } from '../../memory/memory.ts'
import type { OutboundRequest } from '../../platform.ts'
import { type OutboundParts, openOutbound } from './outbound.ts'

const tenant = (name: string) => name as TenantId
const plain = { accept: [], bytesMax: 1000 } satisfies OutboundRequest
const config = { ...readConfig({}), isDevelopment: true }
const inside: OutboundParts['inside'] = () => Promise.reject(new Error('not called'))

/** The outbound client of one test. */
function aClient(context: TestContext) {
  const out = openOutbound({ config, memory: new Memory(), inside })
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

/** Keeps answering until `ended`. */
async function answering(servers: readonly { readonly answerAll: () => void }[], ended: Promise<unknown>) {
  const answers = setInterval(() => {
    for (const { answerAll } of servers) answerAll()
  }, 20)
  await ended.finally(() => clearInterval(answers))
}

test('a slow host gets six tenths of the calls of a tenant; those to another host do not wait', async (context) => {
  const [slow, other] = [await aSlowServer(context), await aSlowServer(context)]
  const out = aClient(context)
  const busy = Array.from({ length: 60 }, () => out.fetch(tenant('busy'), slow.url, plain))
  await holding(37, [slow])
  const beside = out.fetch(tenant('busy'), other.url, plain)
  await holding(38, [slow, other])
  await answering([slow, other], Promise.all([...busy, beside]))
})

test('four tenants that call all that they may do not delay the call of a fifth to the same host', async (context) => {
  const servers = await Promise.all(Array.from({ length: 4 }, () => aSlowServer(context)))
  const [shared] = servers
  assert(shared)
  const out = aClient(context)
  const calls = ['a', 'b', 'c', 'd'].flatMap((name) =>
    servers.flatMap(({ url }) => Array.from({ length: 15 }, () => out.fetch(tenant(name), url, plain))),
  )
  // The first one holds 60 of 128 places, and each later one what is free for it; an eighth stays free.
  await holding(109, servers)
  const calm = out.fetch(tenant('calm'), shared.url, plain)
  await holding(110, servers)
  await answering(servers, Promise.all([...calls, calm]))
})

test('a call that waits too long is upstream.timeout, and so is one beyond 128 waiting calls', async (context) => {
  const slow = await aSlowServer(context)
  const out = aClient(context)
  const calls = Array.from({ length: 37 + 128 }, () =>
    out.fetch(tenant('busy'), slow.url, { ...plain, timeoutMs: 600 }),
  )
  const ended = Promise.allSettled(calls)
  let isOver = false
  void ended.then(() => {
    isOver = true
  })
  await soon(100)
  await assert.rejects(out.fetch(tenant('busy'), slow.url, plain), { code: 'upstream.timeout' })
  assert.ok(!isOver, 'it waited like those before it')
  for (const one of await ended) {
    assert.equal(one.status, 'rejected')
    assert.equal(one.status === 'rejected' && one.reason.code, 'upstream.timeout')
  }
})
