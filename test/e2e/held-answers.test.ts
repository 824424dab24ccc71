// Long polling: an answer is held until there is a change, whichever server makes the change.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { makeEverything, makeTemplate, type Objects, openIssuance } from '../support/main-job.ts'
import { type Api, type Deployment, deploy, type Reply } from '../support/server.ts'
import { serverChild } from '../support/server-child.ts'

let chirograph: Deployment
let objects: Objects
let school: Api
before(async () => {
  chirograph = await deploy()
  objects = await makeEverything(chirograph)
  school = await chirograph.backend('acme')
})
after(() => chirograph.stop())

async function anIssuance(): Promise<string> {
  const { id } = await openIssuance(school, objects['/creds/templates/credentials'] ?? '')
  return `/creds/credentials/${id}`
}

async function timed(work: Promise<Reply>): Promise<Reply & { ms: number }> {
  const start = performance.now()
  const reply = await work
  return { ...reply, ms: performance.now() - start }
}

const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

test('a GET has an ETag; If-None-Match gets 304 and no body until the resource changes', async () => {
  const path = await anIssuance()
  const etag = (await school.get(path)).headers.get('etag') ?? ''
  assert.match(etag, /^"[\w-]{22}"$/)
  for (const known of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
    const same = await school.get(path, { 'if-none-match': known })
    assert.deepEqual([same.status, same.body, same.headers.get('etag')], [304, '', etag])
  }
  assert.equal((await school.get(path, { 'if-none-match': '"x"' })).status, 200)
  await school.delete(path)
  const news = await school.get(path, { 'if-none-match': etag })
  assert.equal(news.status, 200)
  assert.notEqual(news.headers.get('etag'), etag)
})

test('with Prefer: wait the answer comes when something changes', async () => {
  const path = await anIssuance()
  const etag = (await school.get(path)).headers.get('etag') ?? ''
  const held = [
    timed(school.get(path, { prefer: 'respond-async, wait=20' })),
    timed(school.get(path, { prefer: 'wait=20', 'if-none-match': etag })),
    timed(school.get(path.replace('/creds/credentials/', '/creds/credentials/issuance/'), { prefer: 'wait=90' })),
  ]
  await later(700)
  const before = performance.now()
  await school.delete(path)
  for (const reply of await Promise.all(held)) {
    assert.deepEqual([reply.status, reply.body.data.status], [200, 'canceled'])
    assert(reply.ms >= 650, `answered after ${reply.ms} ms, before anything changed`)
    assert.match(reply.headers.get('preference-applied') ?? '', /^wait=(20|30)$/)
  }
  assert(performance.now() - before < 15_000, `news took ${performance.now() - before} ms`)
})

test('a waiting verifier receives the answer of the holder', async () => {
  const request = `/creds/presentations/${objects['/creds/presentations']}`
  const held = school.get(request, { prefer: 'wait=20' })
  await later(200)
  const thandi = await chirograph.wallet('acme', 'thandi')
  const presentation = objects['/wallet/v2/presentations']
  const answered = await thandi.patch(`/wallet/v2/presentations/${presentation}`, { status: 'answered' })
  assert.equal(answered.status, 200, JSON.stringify(answered.body))
  assert.equal((await held).body.data.status, 'verified')
})

test('a wait without a change ends after its time: 304 with If-None-Match, the resource without', async () => {
  const path = await anIssuance()
  const etag = (await school.get(path)).headers.get('etag') ?? ''
  const [same, plain] = await Promise.all([
    timed(school.get(path, { prefer: 'wait=1', 'if-none-match': etag })),
    timed(school.get(path, { prefer: 'wait=1' })),
  ])
  assert.deepEqual([same.status, plain.status, plain.body.data.status], [304, 200, 'offered'])
  for (const { ms, headers } of [same, plain]) {
    assert(ms >= 950 && ms < 5000, `${ms} ms`)
    assert.equal(headers.get('preference-applied'), 'wait=1')
  }
})

test('a final state or a change since the ETag is answered at once; a malformed wait is refused', async () => {
  const path = await anIssuance()
  await school.delete(path)
  for (const more of [{}, { 'if-none-match': '"old"' }]) {
    const reply = await timed(school.get(path, { prefer: 'wait=20', ...more }))
    assert.deepEqual([reply.status, reply.headers.get('preference-applied')], [200, null])
    assert(reply.ms < 5000, `${reply.ms} ms`)
  }
  for (const prefer of ['wait=soon', 'wait=-1', 'wait=1.5']) {
    const reply = await school.get(path, { prefer })
    assert.deepEqual([reply.status, reply.body.errors[0].source.parameter], [400, 'Prefer'])
  }
  assert.equal((await school.get(path, { prefer: 'wait=0' })).status, 200)
  assert.equal(
    (await school.get('/creds/credentials/01890000-0000-7000-8000-000000000000', { prefer: 'wait=20' })).status,
    404,
  )
})

test('a stopping server ends all waits', async () => {
  const server = await serverChild()
  const backend = await server.backend()
  const { id } = await openIssuance(backend, (await makeTemplate(backend, 'held')).id)
  const held = timed(backend.get(`/creds/credentials/${id}`, { prefer: 'wait=30' }))
  await later(500)
  const [reply, status] = await Promise.all([held, server.end('SIGTERM')])
  assert.deepEqual([reply.status, status], [200, 0])
  assert(reply.ms < 8000, `${reply.ms} ms`)
  await server.remove()
})
