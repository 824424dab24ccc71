// SIGTERM in the middle of a load, to a server in a process of its own.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { makeTemplate, openIssuance } from '../support/main-job.ts'
import { type ServerChild, serverChild } from '../support/server-child.ts'

let server: ServerChild
before(async () => {
  server = await serverChild()
})
after(() => server.remove())

test('on SIGTERM the server answers every request that it carried out and exits with status 0', async () => {
  const school = await server.backend()
  const { id } = await makeTemplate(school, 'badge')
  const acknowledged: string[] = []
  const issueUntilItEnds = async () => {
    for (;;) {
      const opened = await openIssuance(school, id).catch((error: Error) => error)
      // Either the connection was refused, or the server said that it is stopping.
      if (opened instanceof Error) return assert.match(opened.message, /gone|UNAVAILABLE/)
      acknowledged.push(opened.id)
    }
  }
  const load = Array.from({ length: 8 }, issueUntilItEnds)
  await new Promise((resolve) => setTimeout(resolve, 800))
  assert.equal(await server.end('SIGTERM'), 0)
  await Promise.all(load)
  await server.start()
  assert.deepEqual(await allIssuances(server), acknowledged.sort())
})

const soon = (ms: number) => new Promise((done) => setTimeout(done, ms))

test('while it drains, the server says so, answers, closes connections, and ignores a second signal', async () => {
  const exit = server.end('SIGTERM')
  await soon(200)
  const again = server.end('SIGTERM')
  await soon(200)
  const ready = await fetch(`${server.url}/readyz`)
  assert.deepEqual([ready.status, ready.headers.get('connection')], [503, 'close'])
  assert.deepEqual(await ready.json(), { status: 'unavailable', failed: ['stopping'] })
  const answer = await fetch(`${server.url}/openapi.json`)
  assert.deepEqual([answer.status, answer.headers.get('connection')], [200, 'close'])
  assert.deepEqual(await Promise.all([exit, again]), [0, 0])
  await server.start()
})

test('a third signal ends the server at once', async () => {
  const signals = [server.end('SIGTERM')]
  for (let more = 0; more < 2; more += 1) {
    await soon(100)
    signals.push(server.end('SIGTERM'))
  }
  // One that drains ends with 0.
  assert.deepEqual(await Promise.all(signals), [143, 143, 143])
  await server.start()
})

async function allIssuances(from: ServerChild): Promise<string[]> {
  const school = await from.backend()
  const ids: string[] = []
  let path: string | undefined = '/creds/credentials?page[size]=100&sort=createdAt'
  while (path !== undefined) {
    const { body } = await school.get(path)
    ids.push(...body.data.map((one: { id: string }) => one.id))
    path = body.links.next
  }
  return ids.sort()
}
