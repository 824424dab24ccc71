import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { randomToken } from '../../crypto/random.ts'
import { makeBearerSecret, readBearerSecret } from '../../keys/bearer-secret.ts'
import { sql } from '../../store/store.ts'
import { makeCookie, readSignInCookie } from './cookies.ts'
import { endSession, findSession, listSessions, startSession } from './session.ts'
import { sweepSessions } from './sweep-sessions.ts'
import {
  aTenantWith,
  auditOf,
  aVisit,
  cookieHeader,
  disableUser,
  jobsOf,
  type Servers,
  twoServers,
} from './test-support/person.ts'
import { actorOf, type UserRef } from './visit.ts'

let servers: Servers
before(async () => {
  servers = await twoServers()
})
after(() => servers.db.close())

async function aPerson(): Promise<UserRef> {
  const { people } = await aTenantWith(servers.one, [{ username: 'thandi' }, { username: 'pieter' }])
  const [person] = people
  assert.ok(person)
  return person
}

async function start(person: UserRef, current: Parameters<typeof startSession>[4] = null) {
  const started = await startSession(servers.one, person, ['pwd'], aVisit('203.0.113.77'), current)
  assert.ok(started)
  return { ...started, header: cookieHeader(started.cookie) }
}

test('a session is found by its cookie in another process, with one statement, and only by the whole cookie', async () => {
  const person = await aPerson()
  const { session, header } = await start(person)
  await findSession(servers.two, header)
  const before = servers.one.store.counts.statements
  assert.deepEqual(await findSession(servers.two, `a=b; ${header}; c=d`), session)
  assert.equal(servers.one.store.counts.statements - before, 1)
  assert.match(header, /^__Host-chirograph=/)
  for (const wrong of [undefined, '', header.slice(0, -1), `${header}A`, header.replace('__Host-', ''), `x${header}`]) {
    assert.equal(await findSession(servers.one, wrong), null)
  }
  const other = makeBearerSecret(person.tenantId, session.sessionId).text
  assert.equal(await findSession(servers.one, `__Host-chirograph=${other}`), null, 'right row, wrong secret')
})

test('the secret of a tenant names no row of another tenant', async () => {
  const [mine, foreign] = [await aPerson(), await aPerson()]
  const { session } = await start(mine)
  const moved = makeBearerSecret(foreign.tenantId, session.sessionId).text
  assert.equal(await findSession(servers.one, `__Host-chirograph=${moved}`), null)
})

test('a bearer secret has one form only', () => {
  const { text, id, hash } = makeBearerSecret('00000000-0000-7000-8000-000000000001' as UserRef['tenantId'])
  assert.deepEqual(readBearerSecret(text), { tenantId: '00000000-0000-7000-8000-000000000001', id, hash })
  for (const wrong of ['', text.slice(1), `${text}=`, `${text.slice(0, -1)}+`, `${text}AA`, randomToken(63)]) {
    assert.equal(readBearerSecret(wrong), null)
  }
})

test('a cookie of a plain http origin has no prefix, and a Cookie header of more than 16,384 characters none', () => {
  const http = { urls: { ...servers.one.urls, publicUrl: 'http://localhost:8080' } }
  assert.equal(makeCookie(http, 'session', 'x', 5), 'chirograph=x; Path=/; Max-Age=5; HttpOnly; SameSite=Lax')
  assert.equal(
    makeCookie(servers.one, 'session', 'x', 5),
    '__Host-chirograph=x; Path=/; Max-Age=5; HttpOnly; SameSite=Lax; Secure',
  )
  assert.equal(readSignInCookie(http, 'session', `${'a'.repeat(16_384)}; chirograph=x`), null)
  assert.equal(readSignInCookie(http, 'session', `chirograph-device=y; chirograph=x`), 'x')
})

test('a session expires after 12 hours without use and after 30 days, and its use is written at most every 5 minutes', async () => {
  const person = await aPerson()
  const { session, header } = await start(person)
  const seen = async () => (await listSessions(servers.one, session))[0]?.lastSeenAt.getTime() ?? 0
  const started = await seen()
  try {
    servers.clock.shiftSeconds = 290
    await findSession(servers.one, header)
    assert.equal(await seen(), started)
    servers.clock.shiftSeconds = 310
    await findSession(servers.one, header)
    assert.ok((await seen()) > started)
    for (let hours = 11; hours < 30 * 24; hours += 11) {
      servers.clock.shiftSeconds = hours * 3600
      assert.ok(await findSession(servers.one, header), `${hours} h`)
    }
    servers.clock.shiftSeconds = 30 * 86_400 + 1
    assert.equal(await findSession(servers.one, header), null)
    servers.clock.shiftSeconds = 0
    const idle = await start(person)
    servers.clock.shiftSeconds = 12 * 3600 + 1
    assert.equal(await findSession(servers.one, idle.header), null)
    await sweepSessions(servers.one, new AbortController().signal)
    servers.clock.shiftSeconds = 0
    assert.equal(await findSession(servers.one, idle.header), null, 'swept')
  } finally {
    servers.clock.shiftSeconds = 0
  }
})

test('signing in again keeps the session under a new secret; another user gets another session', async () => {
  const { people } = await aTenantWith(servers.one, [{ username: 'thandi' }, { username: 'pieter' }])
  const [thandi, pieter] = people
  assert.ok(thandi && pieter)
  const first = await start(thandi)
  servers.clock.shiftSeconds = 5
  const again = await start(thandi, first.session)
  servers.clock.shiftSeconds = 0
  assert.equal(again.session.sessionId, first.session.sessionId)
  assert.ok(again.session.authenticatedAt > first.session.authenticatedAt)
  assert.equal(await findSession(servers.one, first.header), null, 'the secret from before is worth nothing')
  const other = await start(pieter, again.session)
  assert.notEqual(other.session.sessionId, again.session.sessionId)
  assert.equal(await findSession(servers.one, again.header), null)
  assert.ok(await findSession(servers.one, other.header))
})

test('a disabled user has no session, and gets none', async () => {
  const person = await aPerson()
  const { header } = await start(person)
  await disableUser(servers.one, person)
  assert.equal(await findSession(servers.one, header), null)
  assert.equal(await startSession(servers.one, person, ['pwd'], aVisit()), null)
})

test('a user has at most 20 sessions: the least recently used ends', async () => {
  const person = await aPerson()
  const first = await start(person)
  for (let n = 0; n < 20; n += 1) await start(person)
  assert.equal((await listSessions(servers.one, first.session)).length, 20)
  assert.equal(await findSession(servers.one, first.header), null)
})

test('ending a session happens once in two processes, and enqueues what ends the tokens of its clients', async () => {
  const person = await aPerson()
  const { session, header } = await start(person)
  const by = actorOf(person.userId, aVisit())
  const ended = await Promise.all([servers.one, servers.two].map((one) => endSession(one, session, by)))
  assert.deepEqual(ended.toSorted(), [false, true])
  assert.equal(await findSession(servers.one, header), null)
  const { tenantId, userId } = person
  const payload = { tenantId, userId, sessionId: session.sessionId }
  assert.deepEqual(await jobsOf(servers.one, tenantId), [{ name: 'authorization.session-ended', payload }])
  assert.deepEqual(
    (await auditOf(servers.one, tenantId)).map(({ action }) => action).filter((one) => !one.endsWith('created')),
    ['user.authenticated', 'session.ended'],
  )
})

test('a user ends only their own sessions, and the list says which is the current one', async () => {
  const { people } = await aTenantWith(servers.one, [{ username: 'thandi' }, { username: 'pieter' }])
  const [thandi, pieter] = people
  assert.ok(thandi && pieter)
  const [mine, other] = [await start(thandi), await start(thandi)]
  const by = actorOf(pieter.userId, aVisit())
  assert.equal(await endSession(servers.one, { ...pieter, sessionId: mine.session.sessionId }, by), false)
  assert.equal(await endSession(servers.one, { ...pieter, sessionId: 'not an id' }, by), false)
  const list = await listSessions(servers.one, other.session)
  assert.deepEqual(
    list.map(({ sessionId, isCurrent, network }) => [sessionId, isCurrent, network]),
    [
      [other.session.sessionId, true, '203.0.113.0'],
      [mine.session.sessionId, false, '203.0.113.0'],
    ],
  )
})

test('more sessions than fit into a turn are swept, of every tenant, and nothing is enqueued for those without clients', async () => {
  const [one, other] = [await aPerson(), await aPerson()]
  const { header } = await start(one)
  const insert = sql(
    'test.many_sessions',
    `insert into sign_in_session (tenant_id, id, token_hash, user_id, created_at, last_seen_at, authenticated_at, expires_at, methods, user_agent, network)
     select $1, gen_random_uuid(), decode(repeat('00', 32), 'hex'), $2, $3, $3, $3, $4, '{pwd}', '', '' from generate_series(1, 250)`,
  )
  const now = servers.clock.now()
  const ago = (hours: number) => new Date(now.getTime() - hours * 3_600_000)
  for (const { tenantId, userId } of [one, other]) {
    const rows = (used: Date, expires: Date) => [tenantId, userId, used, expires]
    await servers.one.store.single(tenantId, (tx) => tx.rows(insert, rows(ago(1), ago(0))))
    await servers.one.store.single(tenantId, (tx) => tx.rows(insert, rows(ago(13), ago(-100))))
  }
  const before = servers.one.store.counts.transactions
  await sweepSessions(servers.one, new AbortController().signal)
  assert.ok(servers.one.store.counts.transactions - before >= 6)
  const count = sql('test.count_sessions', 'select count(*)::int as count from sign_in_session where tenant_id = $1')
  for (const [{ tenantId }, left] of [
    [one, 1],
    [other, 0],
  ] as const) {
    const [row] = await servers.one.store.single(tenantId, (tx) => tx.rows<{ count: number }>(count, [tenantId]))
    assert.equal(row?.count, left)
    assert.deepEqual(await jobsOf(servers.one, tenantId), [])
  }
  assert.ok(await findSession(servers.one, header))
})
