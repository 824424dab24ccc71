import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { readFile } from 'node:fs/promises'
import { type TestContext, test } from 'node:test'
import { readConfig } from '../../config.ts'
import { Memory } from '../../memory/memory.ts'
import { platformTenantId } from '../../store/store.ts'
import { openOutbound } from './outbound.ts'
import { nameResolver } from './resolve-name.ts'

/** A name server for one test. Counts the queries; answers that no name exists, or does not answer. */
async function aNameServer(context: TestContext, isSilent: boolean) {
  const socket = createSocket('udp4')
  let queries = 0
  socket.on('message', (query, { port, address }) => {
    queries += 1
    if (isSilent) return
    const response = Buffer.from(query)
    // RFC 1035 4.1.1: a response, recursion available, code 3 (name error)
    response.writeUInt16BE(0x8183, 2)
    socket.send(response, port, address)
  })
  await new Promise<void>((done) => socket.bind(0, '127.0.0.1', done))
  context.after(() => socket.close())
  return { resolve: nameResolver([`127.0.0.1:${socket.address().port}`]), queries: () => queries }
}

test('a name server that does not respond blocks neither files nor other calls, and a failed look-up is cached', async (context) => {
  const { resolve, queries } = await aNameServer(context, true)
  const inside = () => Promise.reject(new Error('not called'))
  const out = openOutbound({
    config: { ...readConfig({}), isDevelopment: false },
    memory: new Memory(),
    inside,
    resolve,
  })
  context.after(() => out.close())
  const from = performance.now()
  const calls = Array.from({ length: 16 }, (_, n) =>
    out.fetch(platformTenantId, `https://n${n}.example/`, { accept: [], bytesMax: 1000 }),
  )
  const ended = Promise.allSettled(calls)
  let isOver = false
  void Promise.race(calls).catch(() => {
    isOver = true
  })
  await readFile(import.meta.filename)
  assert.ok(!isOver, 'a file was read only after a look-up had ended')
  for (const one of await ended) assert.equal(one.status, 'rejected')
  assert.ok(performance.now() - from < 5000)
  // One query per address family, without a retry.
  assert.equal(queries(), 32)
  await assert.rejects(resolve('n1.example'))
  assert.equal(queries(), 32)
})

test('concurrent look-ups of one name share their queries and fail within seconds', {
  timeout: 15_000,
}, async (context) => {
  const { resolve, queries } = await aNameServer(context, true)
  const from = performance.now()
  const ended = await Promise.allSettled(Array.from({ length: 20 }, () => resolve('slow.example')))
  assert.ok(performance.now() - from < 4000)
  assert.deepEqual(new Set(ended.map(({ status }) => status)), new Set(['rejected']))
  assert.equal(queries(), 2)
})

test('a thousand failed look-ups are cached, and then the oldest is evicted', async (context) => {
  const { resolve, queries } = await aNameServer(context, false)
  const look = (n: number) => assert.rejects(resolve(`n${n}.example`), { code: 'ENOTFOUND' })
  for (let n = 0; n <= 1000; n += 1) await look(n)
  assert.equal(queries(), 2002)
  for (const n of [1, 2, 500, 1000]) await look(n)
  assert.equal(queries(), 2002)
  await look(0)
  assert.equal(queries(), 2004)
})

test('localhost is loopback, for every name server [RFC 6761, 6.3]', async () => {
  const resolve = nameResolver(['127.0.0.1:9'])
  for (const name of ['localhost', 'a.localhost']) {
    assert.deepEqual(
      (await resolve(name)).map(({ address }) => address),
      ['127.0.0.1', '::1'],
    )
  }
})
