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

test('asked to stop, the server answers everything that it did and ends with status 0', async () => {
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
