import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { postgresUrl } from '../../../test/support/database.ts'
import { makeTemplate, openIssuance } from '../../../test/support/main-job.ts'
import { type Api, type Deployment, deploy } from '../../../test/support/server.ts'
import type { Caller } from '../../caller.ts'
import { record } from '../audit/record.ts'
import { aTenant, type Bench, openBench, recordEvent, until } from '../test-support/events-bench.ts'
import { openEventStream } from './event-stream.ts'
import { listEvents } from './list-events.ts'

const all = { types: null, subject: null }
let chirograph: Deployment
let school: Api
let bench: Bench
before(async () => {
  chirograph = await deploy()
  school = await chirograph.backend('acme')
  bench = await openBench()
})
after(async () => {
  await bench.close()
  await chirograph.stop()
})

/** A stream as a client reads it. */
async function listen(query = '', headers: Record<string, string> = {}) {
  const aborted = new AbortController()
  const answer = await fetch(`${chirograph.url}/creds/events${query}`, {
    headers: { authorization: `Bearer ${school.token}`, accept: 'text/event-stream', ...headers },
    signal: aborted.signal,
  })
  const heard = { text: '', isOver: false }
  const reading = (async () => {
    const decoder = new TextDecoder()
    for await (const chunk of answer.body ?? []) heard.text += decoder.decode(chunk)
  })()
  void reading.catch(() => undefined).finally(() => Object.assign(heard, { isOver: true }))
  return { answer, heard, leave: () => aborted.abort() }
}

function idsIn(text: string): string[] {
  return [...text.matchAll(/^id: (.*)$/gm)].map(([, id]) => id ?? '')
}

test('a stream tells what happens from now on, whichever server it happened on, within about a second', async () => {
  const { id: templateId } = await makeTemplate(school, 'stream')
  await openIssuance(school, templateId)
  const { answer, heard, leave } = await listen('?filter[type]=openid4vc.issuance.offered')
  assert.equal(answer.headers.get('content-type'), 'text/event-stream')
  assert.equal(answer.headers.get('cache-control'), 'no-store')
  await until(() => heard.text.startsWith('retry: '))
  const opened = [await openIssuance(school, templateId), await openIssuance(school, templateId)]
  await until(() => idsIn(heard.text).length === 2)
  const sent = [...heard.text.matchAll(/^data: (.*)$/gm)].map(([, text]) => JSON.parse(text ?? ''))
  assert.deepEqual(
    sent.map(({ subject }) => subject.id),
    opened.map(({ id }) => id),
  )
  leave()
  const resumed = await listen('', { 'last-event-id': sent[0].id })
  await until(() => idsIn(resumed.heard.text).includes(sent[1].id))
  assert.equal(idsIn(resumed.heard.text).includes(sent[0].id), false)
  resumed.leave()
})

for (const [what, query, headers, parameter] of [
  ['an id that no event has', '', { 'last-event-id': '01890000-0000-7000-8000-000000000000' }, 'Last-Event-ID'],
  ['an id that is none', '', { 'last-event-id': 'x' }, 'Last-Event-ID'],
  ['a page', '?page[size]=5', {}, 'page[size]'],
] as const) {
  test(`a stream that is asked for ${what} is refused`, async () => {
    const reply = await school.get(`/creds/events${query}`, { accept: 'text/event-stream', ...headers })
    assert.equal(reply.status, 400)
    assert.equal(reply.body.errors[0].source.parameter, parameter)
  })
}

// On PostgreSQL a front stands before the servers, and its end cuts the connection first.
test('a server that stops ends its streams', { skip: postgresUrl !== null }, async () => {
  const other = await deploy()
  const token = (await other.backend('acme')).token
  const answer = await fetch(`${other.url}/creds/events`, {
    headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' },
  })
  const text = answer.text()
  await new Promise((resolve) => setTimeout(resolve, 100))
  await other.stop()
  assert.match(await text, /^retry: /)
})

test('a HEAD opens no stream, and a client that goes away leaves none open', async () => {
  const headers = { authorization: `Bearer ${school.token}`, accept: 'text/event-stream' }
  for (let n = 0; n < 50; n += 1) {
    const { status } = await fetch(`${chirograph.url}/creds/events`, { method: 'HEAD', headers })
    assert.equal(status, 200)
  }
  for (let n = 0; n < 50; n += 1) {
    const { answer, leave } = await listen()
    assert.equal(answer.status, 200)
    leave()
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
})

async function streamOf(caller: Caller, lastEventId?: string) {
  const stream = await openEventStream(bench.platform, caller, all, lastEventId)
  const heard = { text: '', isOver: false }
  stream.setEncoding('utf8')
  stream.on('data', (chunk: string) => {
    heard.text += chunk
  })
  stream.on('end', () => Object.assign(heard, { isOver: true }))
  return { heard, stream }
}

test('a resumed stream misses nothing, not even what ended late, and repeats nothing', async () => {
  const caller = await aTenant(bench)
  for (let n = 0; n < 130; n += 1) await recordEvent(bench, caller)
  const page = { size: 200, after: null, before: null, readDescending: false }
  const sort = { field: 'createdAt', descending: false }
  const known = async () => (await listEvents(bench.platform, caller, { ...page, sort }, all)).map(({ id }) => id)
  await until(async () => (await known()).length === 130)
  const ids = await known()
  const { heard, stream } = await streamOf(caller, ids[9])
  await until(() => idsIn(heard.text).length === 120)
  assert.deepEqual(idsIn(heard.text), ids.slice(10))
  stream.destroy()
})

test('what commits after a later event is streamed, and a stream from now on omits what was', {
  skip: postgresUrl === null,
}, async () => {
  const caller = await aTenant(bench)
  const before = await recordEvent(bench, caller)
  const { store, clock } = bench.platform
  const entry = { action: 'credential.revoked', subject: { kind: 'credential', id: 'slow' }, by: 'system' } as const
  let late = ''
  let stream = await store.inTenant(caller.tenantId, async (tx) => {
    await record(tx, entry, clock.now())
    const opened = await streamOf(caller)
    late = await recordEvent(bench, caller)
    await new Promise((resolve) => setTimeout(resolve, 700))
    assert.deepEqual(idsIn(opened.heard.text), [])
    return opened
  })
  await until(() => idsIn(stream.heard.text).length === 2)
  assert(stream.heard.text.includes('slow') && stream.heard.text.includes(late))
  assert(!stream.heard.text.includes(before))
  stream.stream.destroy()
  stream = await streamOf(caller)
  stream.stream.destroy()
})

test('a stream ends with its token', async () => {
  const caller = await aTenant(bench)
  const expiresAt = new Date(bench.platform.clock.now().getTime() + 300)
  const { heard } = await streamOf({ ...caller, expiresAt })
  await until(() => heard.isOver)
})

test('a tenant has at most 20 open streams, and those that ended do not count', async () => {
  const caller = await aTenant(bench)
  const open = []
  for (let n = 0; n < 20; n += 1) open.push(await streamOf(caller))
  await assert.rejects(streamOf(caller), { code: 'request.rate_limited' })
  await streamOf(await aTenant(bench)).then(({ stream }) => stream.destroy())
  for (const { stream } of open) stream.destroy()
  const { stream } = await streamOf(caller)
  stream.destroy()
})

test('who does not listen fills no memory', async () => {
  const caller = await aTenant(bench)
  const first = await recordEvent(bench, caller)
  await Promise.all(Array.from({ length: 600 }, () => recordEvent(bench, caller)))
  const start = (
    await listEvents(
      bench.platform,
      caller,
      { size: 1, after: null, before: null, readDescending: false, sort: { field: 'createdAt', descending: false } },
      { types: null, subject: first },
    )
  )[0]
  const stream = await openEventStream(bench.platform, caller, all, start?.id)
  stream.read(0)
  await new Promise((resolve) => setTimeout(resolve, 300))
  assert(stream.readableLength < 200_000, `${stream.readableLength} bytes wait`)
  stream.destroy()
})
