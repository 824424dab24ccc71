import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from 'typebox'
import { Fault } from '../fault.ts'
import type { Idempotency, KeptAnswer } from './idempotency.ts'
import { answer, route } from './route.ts'
import { aServer } from './test-support/a-server.ts'

/** The edge of this room: what the roof plugs in keeps its answers in the database. */
function inMemory(): Idempotency {
  const kept = new Map<string, { digest: string; answer: KeptAnswer | null }>()
  return {
    begin: async (caller, { key, digest }) => {
      const found = kept.get(caller.actor.id + key)
      if (found !== undefined && found.digest !== digest) throw new Fault('state.conflict')
      if (found?.answer === null) throw new Fault('state.conflict')
      if (found === undefined) kept.set(caller.actor.id + key, { digest, answer: null })
      return found?.answer ?? null
    },
    finish: async (caller, { key, digest }, first) => void kept.set(caller.actor.id + key, { digest, answer: first }),
    release: async (caller, { key }) => void kept.delete(caller.actor.id + key),
  }
}

function aCounting() {
  let runs = 0
  const counted = route({
    group: 'creds',
    method: 'POST',
    path: '/things',
    says: 'Counts.',
    needs: null,
    body: Type.Object({ fail: Type.Optional(Type.Boolean()) }, { additionalProperties: false }),
    status: 201,
    reply: Type.Object({ runs: Type.Integer() }),
    faults: [],
    handle: ({ body }) => {
      runs += 1
      if (body.fail && runs === 1) throw new Fault('state.invalid')
      return answer({ runs }, { headers: { location: `/things/${runs}` } })
    },
  })
  const server = aServer({ routes: [counted], idempotency: inMemory() })
  const post = async (body: string, key?: string, who = 'writer') => {
    const headers = { authorization: `Bearer ${who}`, 'content-type': 'application/json' }
    const keyed = key === undefined ? headers : { ...headers, 'idempotency-key': key }
    const {
      status,
      headers: got,
      body: bytes,
    } = await server.dispatch({ method: 'POST', path: '/creds/things', headers: keyed, body })
    return { status, location: got.location, replayed: got['idempotency-replayed'], text: bytes.toString() }
  }
  return { post, close: server.close }
}

test('the same key and body get the first answer again, headers and all; the work is done once', async () => {
  const { post, close } = aCounting()
  const first = await post('{}', 'k')
  assert.deepEqual(first, { status: 201, location: '/things/1', replayed: undefined, text: '{"data":{"runs":1}}' })
  assert.deepEqual(await post('{}', 'k'), { ...first, replayed: 'true' })
  assert.equal((await post('{}', 'other')).text, '{"data":{"runs":2}}')
  assert.equal((await post('{}')).text, '{"data":{"runs":3}}')
  await close()
})

test('the same key with another body is refused, and with another caller is another key', async () => {
  const { post, close } = aCounting()
  await post('{}', 'k')
  assert.equal((await post('{"fail":false}', 'k')).status, 409)
  assert.equal((await post('{}', 'k', 'admin')).text, '{"data":{"runs":2}}')
  await close()
})

test('a refused attempt does not use the key up', async () => {
  const { post, close } = aCounting()
  assert.equal((await post('{"fail":true}', 'k')).status, 409)
  assert.equal((await post('{"fail":true}', 'k')).status, 201)
  await close()
})

test('a key that is too long or not printable is refused by name', async () => {
  const { post, close } = aCounting()
  for (const key of ['x'.repeat(256), 'a b', 'ü']) {
    const { status, text } = await post('{}', key)
    assert.equal(status, 400)
    assert.match(text, /"source":\{"parameter":"Idempotency-Key"\}/)
  }
  await close()
})
