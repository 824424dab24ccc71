import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Type } from 'typebox'
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { forgetAnswers, keepAnswers } from '../../api/keep-answers.ts'
import { KeptAnswerQuota } from '../../api/kept-answer-quota.ts'
import type { AnswersKept } from '../../api/kept-answer-store.ts'
import type { TenantId } from '../../caller.ts'
import { Fault } from '../../fault.ts'
import { sealingWith } from '../../keys/sealing.ts'
import { Memory } from '../../memory/memory.ts'
import { type Store, sql } from '../../store/store.ts'
import { aCaller, aPlatform, aServer } from '../test-support/a-server.ts'
import { route } from '../test-support/route.ts'
import { idempotentRequestOf } from './idempotency.ts'
import { once } from './operation.ts'
import { answer, FileBody } from './route.ts'

const insertTenant = sql(
  'test.http.tenant',
  'insert into tenant (id, slug, name, created_at, updated_at) values ($1, $2, $2, now(), now())',
)
const listKept = sql('test.http.kept', `select encode(sealed_answer, 'escape') as text, expires_at from kept_answer`)
const tenants = ['a', 'b'].map((end) => `00000000-0000-7000-8000-00000000000${end}` as TenantId)
const crash = Symbol('the process is gone')

let db: TestDatabase
let time = Date.parse('2026-05-01T12:00:00.000Z')
before(async () => {
  db = await openTestDatabase()
  for (const id of tenants)
    await db.store.across('test set-up', (tx) => tx.rows(insertTenant, [id, `t${id.slice(-1)}`]))
})
after(() => db.close())

type What = { fail?: 'refused' | 'defect' | 'late defect'; pauseMs?: number; die?: 'before' | 'after' }

/** A table of things: nothing is in it twice. */
function things() {
  const made = new Map<string, { id: string; secret: string }>()
  return {
    made,
    find: async (id: string) => made.get(id) ?? Promise.reject(new Fault('resource.unknown')),
    make: async (id: string) => {
      if (made.has(id)) throw Object.assign(new Error('taken'), { code: '23505' })
      const thing = { id, secret: `secret ${made.size}` }
      made.set(id, thing)
      return thing
    },
  }
}

/**
 * A server whose one route makes things, and what it made. `die` leaves the attempt as a crash would: begun and never
 * ended.
 */
function aMaker(waitMs = 5000, store: Store = db.store, bounds?: AnswersKept) {
  const clock = { now: () => new Date(time) }
  const needs = {
    store,
    clock,
    log: aPlatform().log,
    sealing: sealingWith(Buffer.alloc(32, 7), db.store, clock.now),
    memory: new Memory(),
  }
  const kept = keepAnswers(needs, { waitMs, quota: new KeptAnswerQuota(needs, bounds) })
  const { made, find, make } = things()
  let runs = 0
  const next: What[] = []
  const making = (path: string) =>
    route({
      group: 'creds',
      method: 'POST',
      path,
      summary: 'Makes a thing.',
      scope: null,
      body: Type.Object(
        { name: Type.Optional(Type.String()), more: Type.Optional(Type.Unknown()) },
        { additionalProperties: false },
      ),
      status: 201,
      reply: Type.Object({ id: Type.String(), secret: Type.String() }),
      faults: [],
      handle: async ({ operation }) => {
        runs += 1
        const { fail, pauseMs, die } = next.shift() ?? {}
        if (pauseMs !== undefined) await new Promise((resolve) => setTimeout(resolve, pauseMs))
        if (fail === 'refused') throw new Fault('state.invalid')
        if (fail === 'defect') throw new Error('defect')
        if (die === 'before') throw crash
        const thing = await once(operation, find, make)
        if (fail === 'late defect') throw new Error('defect')
        if (die === 'after') throw crash
        return answer(thing, { headers: { location: `/things/${thing.id}` } })
      },
    })
  const server = aServer({
    routes: [making('/things'), making('/others')],
    authenticate: async ({ headers: { authorization = '' } }) => {
      const [name = '', tenant = '0'] = authorization.replace('Bearer ', '').split('@')
      return { ...aCaller(name), tenantId: tenants[Number(tenant)] ?? tenants[0] ?? aCaller(name).tenantId }
    },
    idempotency: {
      begin: async (caller, request) => {
        const begun = await kept.begin(caller, request)
        if ('kept' in begun) return begun
        return { ...begun, release: async (error) => (error === crash ? undefined : begun.release(error)) }
      },
    },
  })
  const post = async (body: string, key?: string, who = 'writer', path = '/creds/things') => {
    const headers = { authorization: `Bearer ${who}`, 'content-type': 'application/json' }
    const keyed = key === undefined ? headers : { ...headers, 'idempotency-key': key }
    const reply = await server.dispatch({ method: 'POST', path, headers: keyed, body })
    const { location, 'idempotency-replayed': replayed, 'retry-after': retryAfter } = reply.headers
    return { status: reply.status, location, replayed, retryAfter, body: JSON.parse(reply.body.toString()) }
  }
  return { post, next, made, runs: () => runs, clock, close: server.close }
}

test('a body is the same in any order of its members, with any blanks and escapes; an array has an order', async () => {
  const { post, runs, close } = aMaker()
  const digestOf = async (body: unknown) => (await idempotentRequestOf('k', 'POST', '/', body))?.digest.toString('hex')
  const first = await post('{"name":"Thandi","more":{"a":1,"b":[{"x":1,"y":2}]}}', 'order')
  const said = '{ "more": {"b": [ {"y": 2.0, "x":1} ],\n "a" :1e0}, "name": "\\u0054handi" }'
  assert.deepEqual(await post(said, 'order'), { ...first, replayed: 'true' })
  for (const other of [
    '{"name":"Thandi","more":{"a":1,"b":[{"x":2,"y":1}]}}',
    '{"name":"Thandi","more":{"a":1}}',
    '{"name":"Thandi","more":{"a":"1","b":[{"x":1,"y":2}]}}',
  ])
    assert.equal((await post(other, 'order')).body.errors[0].code, 'IDEMPOTENCY_MISMATCH')
  assert.equal(runs(), 1)
  assert.notEqual(await digestOf({ list: [1, 2] }), await digestOf({ list: [2, 1] }))
  const aFile = new FileBody('text/csv', 'utf-8', Buffer.from('a'))
  assert.notEqual(await digestOf({ ...aFile }), await digestOf(aFile))
  assert.notEqual(await digestOf(undefined), await digestOf({}))
  await close()
})

test('a repetition with the same key and body gets the first answer with its status and headers; the work is done once', async () => {
  const { post, runs, close } = aMaker()
  const first = await post('{}', 'again')
  assert.equal(first.status, 201)
  assert.equal(first.location, `/things/${first.body.data.id}`)
  assert.equal(first.replayed, undefined)
  assert.deepEqual(await post('{}', 'again'), { ...first, replayed: 'true' })
  assert.equal(runs(), 1)
  assert.notEqual((await post('{}', 'another')).body.data.id, first.body.data.id)
  assert.equal((await post('{}')).replayed, undefined)
  await close()
})

test('the same key with another body or path is refused; the keys of another caller or tenant are separate', async () => {
  const { post, runs, close } = aMaker()
  const { body } = await post('{}', 'k')
  for (const other of [await post('{"name":"x"}', 'k'), await post('{}', 'k', 'writer', '/creds/others')]) {
    assert.equal(other.status, 409)
    assert.equal(other.body.errors[0].code, 'IDEMPOTENCY_MISMATCH')
  }
  const others = [await post('{}', 'k', 'admin'), await post('{}', 'k', 'writer@1')]
  assert.equal(new Set([body.data.id, ...others.map((one) => one.body.data.id)]).size, 3)
  assert.equal(runs(), 3)
  await close()
})

test('of parallel repetitions one does the work and all get its answer', async () => {
  const { post, next, runs, close } = aMaker()
  next.push({ pauseMs: 60 })
  const all = await Promise.all(Array.from({ length: 20 }, () => post('{}', 'crowd')))
  assert.equal(runs(), 1)
  assert.equal(new Set(all.map((one) => `${one.status} ${one.body.data.id}`)).size, 1)
  assert.equal(all.filter((one) => one.replayed === undefined).length, 1)
  await close()
})

test('a repetition long before the first request completes is refused with Retry-After', async () => {
  const { post, next, runs, close } = aMaker(50)
  next.push({ pauseMs: 400 })
  const first = post('{}', 'slow')
  await new Promise((resolve) => setTimeout(resolve, 100))
  const early = await post('{}', 'slow')
  assert.deepEqual([early.status, early.body.errors[0].code, early.retryAfter], [409, 'CONFLICT', '1'])
  assert.equal((await first).status, 201)
  assert.equal((await post('{}', 'slow')).replayed, 'true')
  assert.equal(runs(), 1)
  await close()
})

test('a refused attempt does not use the key up, not even for another body', async () => {
  const { post, next, close } = aMaker()
  next.push({ fail: 'refused' })
  assert.equal((await post('{}', 'r')).status, 409)
  assert.equal((await post('{"name":"corrected"}', 'r')).status, 201)
  await close()
})

for (const fail of ['defect', 'late defect'] as const) {
  test(`after a ${fail} the outcome is unknown, so a repetition creates it under the same id, once`, async () => {
    const { post, next, made, close } = aMaker()
    next.push({ fail })
    assert.equal((await post('{}', fail.replace(' ', '-'))).status, 500)
    assert.equal((await post('{"name":"other"}', fail.replace(' ', '-'))).status, 409)
    assert.equal((await post('{}', fail.replace(' ', '-'))).status, 201)
    assert.equal(made.size, 1)
    await close()
  })
}

/** A store whose connection breaks once, after the database has done a statement and before it has said so. */
function losing(answerTo: string): Store {
  let isLost = false
  return {
    ...db.store,
    single: async (tenantId, work) => {
      let done = ''
      const found = await db.store.single(tenantId, (tx) => {
        const rows: typeof tx.rows = (statement, values, then) => {
          done = statement.name
          return tx.rows(statement, values, then)
        }
        return work({ ...tx, rows })
      })
      if (isLost || done !== answerTo) return found
      isLost = true
      throw Object.assign(new Error('the connection broke'), { code: 'ECONNRESET' })
    },
  }
}

test('when the response to the claim of a key is lost, the next repetition does the work', async () => {
  const { post, made, close } = aMaker(100, losing('api.take_kept_key'))
  assert((await post('{}', 'lost-take')).status >= 500)
  assert.equal((await post('{}', 'lost-take')).status, 201)
  assert.equal(made.size, 1)
  await close()
})

test('after a crash a repetition waits no longer than for a running request', async () => {
  const { post, next, made, close } = aMaker()
  next.push({ die: 'after' })
  await post('{}', 'crash-short')
  time += 4_100
  assert.equal((await post('{}', 'crash-short')).status, 201)
  assert.equal(made.size, 1)
  await close()
})

for (const die of ['before', 'after'] as const) {
  test(`when the process dies ${die} the work is done, a repetition waits for the lease and creates it once`, async () => {
    const { post, next, made, close } = aMaker(50)
    next.push({ die })
    await post('{}', `crash-${die}`)
    assert.equal((await post('{}', `crash-${die}`)).status, 409)
    time += 16_000
    assert.equal((await post('{"name":"other"}', `crash-${die}`)).body.errors[0].code, 'IDEMPOTENCY_MISMATCH')
    const repeated = await post('{}', `crash-${die}`)
    assert.equal(repeated.status, 201)
    assert.equal(made.size, 1)
    assert.deepEqual(await post('{}', `crash-${die}`), { ...repeated, replayed: 'true' })
    await close()
  })
}

test('an attempt that completes after it was assumed dead creates nothing twice', async () => {
  const { post, next, made, close } = aMaker()
  next.push({ pauseMs: 200 })
  const slow = post('{}', 'zombie')
  await new Promise((resolve) => setTimeout(resolve, 80))
  time += 16_000
  const [first, second] = await Promise.all([slow, post('{}', 'zombie')])
  assert.deepEqual([first.status, second.status], [201, 201])
  assert.equal(first.body.data.id, second.body.data.id)
  assert.equal(made.size, 1)
  await close()
})

test('answers are sealed at rest, kept for a day and then forgotten', async () => {
  const { post, clock, close } = aMaker()
  const { body } = await post('{}', 'sealed')
  const read = () =>
    db.store.single(tenants[0] as TenantId, (tx) => tx.rows<{ text: string | null; expires_at: Date }>(listKept))
  for (const { text } of await read()) assert.doesNotMatch(text ?? '', /secret|things/)
  assert.equal(Math.max(...(await read()).map((row) => row.expires_at.getTime())), time + 86_400_000)
  time += 86_399_000
  assert.equal((await post('{}', 'sealed')).replayed, 'true')
  time += 1000
  const later = await post('{}', 'sealed')
  assert.equal(later.replayed, undefined)
  assert.notEqual(later.body.data.id, body.data.id)
  time += 86_400_000
  await forgetAnswers({ store: db.store, clock }, new AbortController().signal)
  assert.deepEqual(await read(), [])
  await close()
})

for (const [what, bounds] of [
  ['keys', { keys: 3, bytes: 1e9 }],
  ['bytes', { keys: 1000, bytes: 400 }],
] as const) {
  test(`a tenant with too many ${what} kept is refused new ones; repetitions, other tenants and requests without a key are served`, async () => {
    time += 200_000_000
    await forgetAnswers({ store: db.store, clock: { now: () => new Date(time) } }, new AbortController().signal)
    const { post, close } = aMaker(5000, db.store, bounds)
    const statuses: number[] = []
    for (let n = 0; n < 30; n += 1) statuses.push((await post('{}', `many ${what} ${n}`.replaceAll(' ', '-'))).status)
    const taken = statuses.indexOf(429)
    assert(taken >= 1 && taken < 20, `refused first as number ${taken}`)
    assert.deepEqual(new Set(statuses.slice(taken)), new Set([429]))
    assert.equal((await post('{}', `many-${what}-0`)).replayed, 'true')
    assert.equal((await post('{}', 'elsewhere', 'writer@1')).status, 201)
    assert.equal((await post('{}')).status, 201)
    const { status, retryAfter } = await post('{}', `many-${what}-99`)
    assert.deepEqual([status, retryAfter], [429, '600'])
    time += 86_400_000
    await forgetAnswers({ store: db.store, clock: { now: () => new Date(time) } }, new AbortController().signal)
    await post('{}', 'counts-again')
    await new Promise((resolve) => setTimeout(resolve, 100))
    assert.equal((await post('{}', 'room-again')).status, 201)
    await close()
  })
}

test('a request without a key needs no statement', async () => {
  const statements: string[] = []
  // Its own store: the requests of other tests may still be counted in the one of the database.
  const store = { ...db.store, single: refused, inTenant: refused, across: refused }
  function refused(): never {
    statements.push('a statement')
    throw new Error('a statement was sent')
  }
  const { post, close } = aMaker(5000, store)
  assert.equal((await post('{}')).status, 201)
  assert.deepEqual(statements, [])
  await close()
})

test('a key that is too long or not printable is refused; other methods ignore it', async () => {
  const { post, close } = aMaker()
  for (const key of ['x'.repeat(256), 'a b', 'ü', '']) {
    const { status, body } = await post('{}', key)
    assert.equal(status, 400)
    assert.equal(body.errors[0].source.parameter, 'Idempotency-Key')
  }
  assert.equal(await idempotentRequestOf('k', 'PUT', '/', undefined), null)
  await close()
})
