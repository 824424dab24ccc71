import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, before, test } from 'node:test'
import { anEndpoint, aTenant, type Bench, openBench, recordEvent, until } from '../test-support/events-bench.ts'
import { aReceiver } from '../test-support/receiver.ts'
import { startDispatcher } from './dispatcher.ts'

const MESSAGES = 300

let bench: Bench
before(async () => {
  bench = await openBench()
})
after(() => bench.close())

test('messages to one endpoint follow each other without a rest, each once', async () => {
  const receiver = await aReceiver()
  const caller = await aTenant(bench)
  await anEndpoint(bench, caller, receiver.url)
  const ids: string[] = []
  for (let n = 0; n < MESSAGES; n += 1) ids.push(await recordEvent(bench, caller))
  const dispatcher = startDispatcher(bench.platform)
  const begun = performance.now()
  await until(() => receiver.messages.length >= MESSAGES)
  const seconds = (performance.now() - begun) / 1000
  await dispatcher.stop()
  const received = receiver.messages.map(({ body }) => JSON.parse(body).data.subject.id)
  assert.deepEqual(received.toSorted(), ids.toSorted())
  assert.ok(seconds < MESSAGES / 60, `${MESSAGES} messages took ${seconds.toFixed(1)} s`)
  await receiver.close()
})

test('endpoints of four tenants that do not respond delay no message of a fifth', async () => {
  const held: ServerResponse[] = []
  const silent = await aReceiver((response) => held.push(response))
  const receiver = await aReceiver()
  for (let n = 0; n < 4; n += 1) {
    const hostile = await aTenant(bench)
    for (let endpoint = 0; endpoint < 5; endpoint += 1) await anEndpoint(bench, hostile, `${silent.url}?${endpoint}`)
    for (let event = 0; event < 20; event += 1) await recordEvent(bench, hostile)
  }
  const dispatcher = startDispatcher(bench.platform, { pollMs: 50 })
  await until(() => held.length >= 40)
  const calm = await aTenant(bench)
  await anEndpoint(bench, calm, receiver.url)
  const begun = performance.now()
  await recordEvent(bench, calm)
  await until(() => receiver.messages.length === 1)
  assert.ok(performance.now() - begun < 2000)
  for (const response of held) response.writeHead(204).end()
  await dispatcher.stop()
  await Promise.all([silent.close(), receiver.close()])
})
