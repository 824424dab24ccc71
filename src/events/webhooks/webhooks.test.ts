import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { after, before, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { postgresUrl } from '../../../test/support/database.ts'
import type { Caller } from '../../caller.ts'
import { openStore } from '../../store/opening/open-store.ts'
import { sql } from '../../store/store.ts'
import { record } from '../audit/record.ts'
import { listEvents } from '../stream/list-events.ts'
import { anEndpoint, aTenant, type Bench, openBench, recordEvent, until } from '../test-support/events-bench.ts'
import { aReceiver, type Message } from '../test-support/receiver.ts'
import { listWebhookDeliveries, redeliverWebhook } from './deliveries.ts'
import { getWebhookEndpoint } from './webhook-endpoint-store.ts'
import { rotateWebhookSecret, updateWebhookEndpoint } from './webhook-endpoints.ts'

const newestFirst = {
  size: 100,
  after: null,
  before: null,
  readDescending: true,
  sort: { field: 'createdAt', descending: true },
}
const everything = {}

let bench: Bench
before(async () => {
  bench = await openBench()
  bench.dispatch()
})
after(() => bench.close())

function endpointOf(caller: Caller, id: string) {
  return bench.platform.store.single(caller.tenantId, (tx) => getWebhookEndpoint(tx, id))
}

function deliveriesOf(caller: Caller, endpointId: string) {
  return listWebhookDeliveries(bench.platform, caller, endpointId, newestFirst, everything)
}

/**
 * Waits until the first attempt is written: if time passed before that, its lease would be over and the message be sent
 * again.
 */
function untilTried(caller: Caller, endpointId: string): Promise<void> {
  return until(async () => (await deliveriesOf(caller, endpointId))[0]?.attempts.length === 1)
}

const nextDue = sql(
  'test.next-due',
  `select extract(epoch from min(due_at))::float8 as due from webhook_delivery
   where endpoint_id = $1 and status = 'pending' having bool_and(claim is null)`,
)

/** Lets the time pass until something is due, if nothing is being sent. @returns how many hours that were. */
async function passToNext(caller: Caller, endpointId: string): Promise<number> {
  const [next] = await bench.platform.store.single(caller.tenantId, (tx) =>
    tx.rows<{ due: number }>(nextDue, [endpointId]),
  )
  const seconds = (next?.due ?? 0) - bench.platform.clock.now().getTime() / 1000
  if (seconds <= 0) return 0
  bench.pass(seconds)
  return seconds / 3600
}

function subjectsOf(messages: readonly Message[]): string[] {
  return messages.map(({ body }) => JSON.parse(body).data.subject.id)
}

/** What the signature library of others says; it looks at the wall clock, which is not ours. */
function accepts(secret: string, { headers, body }: Message): boolean {
  const wall = Date.now
  Date.now = () => bench.platform.clock.now().getTime()
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>)
    return true
  } catch {
    return false
  } finally {
    Date.now = wall
  }
}

test('[SEC-79] an event arrives signed as Standard Webhooks says, with ids and no claims', async () => {
  const caller = await aTenant(bench)
  const receiver = await aReceiver()
  const { secret } = await anEndpoint(bench, caller, receiver.url)
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  const subject = await recordEvent(bench, caller)
  await until(() => receiver.messages.length === 1)
  const [message] = receiver.messages
  assert(message !== undefined)
  const [event] = await listEvents(bench.platform, caller, newestFirst, { types: null, subject: null })
  assert.deepEqual(JSON.parse(message.body), {
    type: 'credential.revoked',
    timestamp: '2026-05-01T12:00:00.000Z',
    data: { id: event?.id, subject: { kind: 'credential', id: subject }, detail: {} },
  })
  assert.equal(message.headers['content-type'], 'application/json')
  assert.equal(message.headers['webhook-id'], event?.id)
  assert(accepts(secret, message))
  assert(!accepts(`whsec_${Buffer.alloc(32).toString('base64')}`, message))
  assert(!accepts(secret, { ...message, body: message.body.replace('revoked', 'accepted') }))
  const signed = `${message.headers['webhook-id']}.${message.headers['webhook-timestamp']}.${message.body}`
  const key = Buffer.from(secret.slice(6), 'base64')
  const wanted = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
  assert.equal(message.headers['webhook-signature'], wanted)
  await receiver.close()
})

test('after a rotation both secrets sign until the overlap is over, and only two ever', async () => {
  const caller = await aTenant(bench)
  const receiver = await aReceiver()
  const { endpoint, secret: first } = await anEndpoint(bench, caller, receiver.url)
  const { secret: second } = await rotateWebhookSecret(bench.platform, caller, endpoint.id)
  const { secret: third } = await rotateWebhookSecret(bench.platform, caller, endpoint.id, 60)
  await recordEvent(bench, caller)
  await untilTried(caller, endpoint.id)
  bench.pass(61)
  await recordEvent(bench, caller)
  await until(() => receiver.messages.length === 2)
  const taken = receiver.messages.map((message) => [first, second, third].map((one) => accepts(one, message)))
  assert.deepEqual(taken[1], [false, false, true])
  // The clock has moved on, so the older message is judged by its parts.
  assert.equal(receiver.messages[0]?.headers['webhook-signature']?.toString().split(' ').length, 2)
  assert.equal(receiver.messages[1]?.headers['webhook-signature']?.toString().split(' ').length, 1)
  await receiver.close()
})

test('a receiver that answers 500 ten times and then 200 gets each event', async () => {
  const caller = await aTenant(bench)
  const refusals = new Map<string, number>()
  const receiver = await aReceiver((response, { headers }) => {
    const id = String(headers['webhook-id'])
    const count = refusals.get(id) ?? 0
    refusals.set(id, count + 1)
    response.writeHead(count < 10 ? 500 : 200).end('what the receiver says is not for others')
  })
  const { endpoint } = await anEndpoint(bench, caller, receiver.url)
  const subjects = new Set([
    await recordEvent(bench, caller),
    await recordEvent(bench, caller),
    await recordEvent(bench, caller),
  ])
  let hours = 0
  await until(async () => {
    const deliveries = await deliveriesOf(caller, endpoint.id)
    if (deliveries.length === 3 && deliveries.every((one) => one.status === 'delivered')) return true
    hours += await passToNext(caller, endpoint.id)
    return false
  })
  assert(hours < 72, `it took ${hours} hours`)
  assert.deepEqual(new Set(subjectsOf(receiver.messages)), subjects)
  const deliveries = await deliveriesOf(caller, endpoint.id)
  for (const { attempts } of deliveries) {
    const codes = [...Array(10).fill(500), 200]
    assert.deepEqual(
      attempts.map(({ statusCode }) => statusCode),
      codes,
    )
  }
  assert(!JSON.stringify(deliveries).includes('not for others'))
  assert.equal((await endpointOf(caller, endpoint.id)).failingSince, null)
  await receiver.close()
})

test('an event that cannot be delivered is dead after three days; the endpoint is disabled, and is sent all once it is enabled again', async () => {
  const caller = await aTenant(bench)
  let isWell = false
  const receiver = await aReceiver((response) => response.writeHead(isWell ? 200 : 503).end())
  const { endpoint } = await anEndpoint(bench, caller, receiver.url)
  const lost = await recordEvent(bench, caller)
  await untilTried(caller, endpoint.id)
  bench.pass(60)
  const late = await recordEvent(bench, caller)
  const start = bench.platform.clock.now()
  await until(async () => {
    await passToNext(caller, endpoint.id)
    return (await endpointOf(caller, endpoint.id)).status === 'disabled'
  })
  const days = (bench.platform.clock.now().getTime() - start.getTime()) / 86_400_000
  assert(days > 2.9, `it was switched off after ${days} days`)
  const { disabledReason, disabledAt, failingSince } = await endpointOf(caller, endpoint.id)
  assert.equal(disabledReason, 'failing')
  assert(disabledAt !== null && failingSince !== null)
  const [line] = await bench.platform.store.single(caller.tenantId, (tx) =>
    tx.rows(sql('test.off', `select detail from audit_entry where action = 'webhook_endpoint.disabled'`)),
  )
  assert.deepEqual(line, { detail: { reason: 'failing' } })
  const before = receiver.messages.length
  const missed = await recordEvent(bench, caller)
  isWell = true
  const dead = (await deliveriesOf(caller, endpoint.id)).find(({ status }) => status === 'dead')
  await assert.rejects(redeliverWebhook(bench.platform, caller, endpoint.id, dead?.id ?? ''), { code: 'state.invalid' })
  await updateWebhookEndpoint(bench.platform, caller, endpoint.id, { status: 'active' })
  await until(() => subjectsOf(receiver.messages.slice(before)).includes(missed))
  await redeliverWebhook(bench.platform, caller, endpoint.id, dead?.id ?? '')
  await until(async () => (await deliveriesOf(caller, endpoint.id)).every(({ status }) => status === 'delivered'))
  assert.deepEqual(new Set(subjectsOf(receiver.messages.slice(before))), new Set([lost, late, missed]))
  await receiver.close()
})

test('a receiver that is gone (410) gets no retry', async () => {
  const caller = await aTenant(bench)
  const receiver = await aReceiver((response) => response.writeHead(410).end())
  const { endpoint } = await anEndpoint(bench, caller, receiver.url)
  await recordEvent(bench, caller)
  await until(async () => (await endpointOf(caller, endpoint.id)).disabledReason === 'gone')
  await receiver.close()
})

test('a receiver that dies in the middle of its answer gets the event again, with the same id', async () => {
  const caller = await aTenant(bench)
  const receiver = await aReceiver((response, _message, n) => {
    if (n === 1) response.writeHead(200, { 'content-length': '100' }).write('half', () => response.destroy())
    else response.writeHead(200).end()
  })
  const { endpoint } = await anEndpoint(bench, caller, receiver.url)
  await recordEvent(bench, caller)
  await untilTried(caller, endpoint.id)
  bench.pass(7)
  await until(async () => (await deliveriesOf(caller, endpoint.id))[0]?.status === 'delivered')
  assert.equal(new Set(receiver.messages.map(({ headers }) => headers['webhook-id'])).size, 1)
  await receiver.close()
})

test('an endpoint gets the types that it subscribed to, and nothing of another tenant', async () => {
  const [caller, stranger] = [await aTenant(bench), await aTenant(bench)]
  const receiver = await aReceiver()
  await anEndpoint(bench, caller, receiver.url, ['user.created', 'credential.accepted'])
  await recordEvent(bench, stranger, 'user.created')
  await recordEvent(bench, caller, 'credential.revoked')
  const wanted = await recordEvent(bench, caller, 'credential.accepted')
  await until(() => receiver.messages.length > 0)
  assert.deepEqual(subjectsOf(receiver.messages), [wanted])
  await receiver.close()
})

test('a receiver that redirects is not followed', async () => {
  const caller = await aTenant(bench)
  const elsewhere = await aReceiver()
  const receiver = await aReceiver((response) => response.writeHead(307, { location: elsewhere.url }).end())
  const { endpoint } = await anEndpoint(bench, caller, receiver.url)
  await recordEvent(bench, caller)
  await until(async () => (await deliveriesOf(caller, endpoint.id))[0]?.attempts[0]?.statusCode === 307)
  assert.equal(elsewhere.messages.length, 0)
  await receiver.close()
  await elsewhere.close()
})

test('[SEC-79] a name that leads into a private network is not called, and the delivery says why', async () => {
  const caller = await aTenant(bench)
  const { endpoint } = await anEndpoint(bench, caller, 'https://inner.example/hook')
  await recordEvent(bench, caller)
  await untilTried(caller, endpoint.id)
  const [attempt] = (await deliveriesOf(caller, endpoint.id))[0]?.attempts ?? []
  assert.partialDeepStrictEqual(attempt, { statusCode: null, error: 'upstream.refused' })
})

test('a server that died while it sent is taken over when its lease is over', async () => {
  const caller = await aTenant(bench)
  const receiver = await aReceiver()
  const { endpoint } = await anEndpoint(bench, caller, receiver.url)
  const dying = sql(
    'test.dying',
    `update webhook_delivery set status = 'pending', ended_at = null, claim = $2, lease_until = $3 where endpoint_id = $1 returning id`,
  )
  await recordEvent(bench, caller)
  await until(async () => (await deliveriesOf(caller, endpoint.id))[0]?.status === 'delivered')
  const lease = new Date(bench.platform.clock.now().getTime() + 20_000)
  await bench.platform.store.single(caller.tenantId, (tx) => tx.rows(dying, [endpoint.id, endpoint.id, lease]))
  await new Promise((resolve) => setTimeout(resolve, 200))
  assert.equal(receiver.messages.length, 1)
  bench.pass(61)
  await until(() => receiver.messages.length === 2)
  await receiver.close()
})

test('many servers send each event once, and never to one receiver twice at a time', async () => {
  const caller = await aTenant(bench)
  const busy = new Set<string>()
  const receiver = await aReceiver((response, { headers }) => {
    const id = String(headers['webhook-id'])
    assert(!busy.has(id), 'two servers send the same event')
    busy.add(id)
    setTimeout(() => {
      busy.delete(id)
      response.writeHead(200).end()
    }, 5)
  })
  const { endpoint } = await anEndpoint(bench, caller, receiver.url)
  const stores = await Promise.all(
    [1, 2, 3].map(() =>
      postgresUrl === null || bench.db.url === null
        ? bench.db.store
        : openStore({ databaseUrl: bench.db.url, dataDir: null, poolMax: 3, onIdleError: () => undefined }),
    ),
  )
  const crowd = stores.map((store) => bench.dispatch(bench.other(store)))
  const subjects = await Promise.all(Array.from({ length: 80 }, () => recordEvent(bench, caller)))
  await until(async () => {
    const deliveries = await deliveriesOf(caller, endpoint.id)
    return deliveries.length === 80 && deliveries.every(({ status }) => status === 'delivered')
  })
  await Promise.all(crowd.map((one) => one.stop()))
  assert.deepEqual(subjectsOf(receiver.messages).toSorted(), subjects.toSorted())
  await Promise.all(stores.filter((one) => one !== bench.db.store).map((one) => one.close()))
  await receiver.close()
})

test('an event whose transaction ends after that of a later one is sent too', {
  skip: postgresUrl === null,
}, async () => {
  const caller = await aTenant(bench)
  const receiver = await aReceiver()
  await anEndpoint(bench, caller, receiver.url)
  const { store, clock } = bench.platform
  const entry = { action: 'credential.revoked', subject: { kind: 'credential', id: 'slow' }, by: 'system' } as const
  let late = ''
  await store.inTenant(caller.tenantId, async (tx) => {
    await record(tx, entry, clock.now())
    late = await recordEvent(bench, caller)
    await new Promise((resolve) => setTimeout(resolve, 300))
    assert.equal(receiver.messages.length, 0, 'the later event was sent before the order was settled')
  })
  await until(() => receiver.messages.length === 2)
  assert.deepEqual(subjectsOf(receiver.messages).toSorted(), [late, 'slow'].toSorted())
  await receiver.close()
})

test('the secret is sealed at rest', async () => {
  const caller = await aTenant(bench)
  const receiver = await aReceiver()
  const { secret } = await anEndpoint(bench, caller, receiver.url)
  const rows = await bench.platform.store.single(caller.tenantId, (tx) =>
    tx.rows<{ sealed: Buffer }>(sql('test.sealed', 'select sealed from webhook_secret')),
  )
  assert.equal(rows.length, 1)
  assert(!rows[0]?.sealed.includes(Buffer.from(secret.slice(6), 'base64')))
  await receiver.close()
})

test('five endpoints of one tenant that never answer do not hold up the webhook of another tenant', async () => {
  const [slow, other] = [await aTenant(bench), await aTenant(bench)]
  const held: ServerResponse[] = []
  const silent = await aReceiver((response) => held.push(response))
  const receiver = await aReceiver()
  for (let n = 0; n < 5; n += 1) await anEndpoint(bench, slow, `${silent.url}/${n}`)
  await anEndpoint(bench, other, receiver.url)
  for (let n = 0; n < 10; n += 1) await recordEvent(bench, slow)
  await until(() => held.length >= 36)
  await new Promise((resolve) => setTimeout(resolve, 200))
  assert.ok(held.length < 40, 'one tenant has more than six tenths of the 64 places')
  const heldBefore = held.length
  await recordEvent(bench, other)
  await until(() => receiver.messages.length === 1)
  assert.equal(held.length, heldBefore, 'it waited until a message to the others had timed out')
  await until(() => {
    for (const response of held.splice(0)) response.writeHead(204).end()
    return silent.messages.length === 50
  })
  await silent.close()
  await receiver.close()
})

test('an endpoint whose last answer took longer than 3 s is sent one message at a time until it is fast again', async () => {
  const caller = await aTenant(bench)
  const held: ServerResponse[] = []
  const receiver = await aReceiver((response, _message, n) => {
    if (n <= 16) setTimeout(() => response.writeHead(204).end(), 3100)
    else held.push(response)
  })
  const { endpoint } = await anEndpoint(bench, caller, receiver.url)
  for (let n = 0; n < 20; n += 1) await recordEvent(bench, caller)
  await until(() => held.length > 0)
  await new Promise((resolve) => setTimeout(resolve, 300))
  assert.equal(held.length, 1)
  for (const response of held.splice(0)) response.writeHead(204).end()
  await until(() => held.length === 3)
  for (const response of held.splice(0)) response.writeHead(204).end()
  await until(async () => (await deliveriesOf(caller, endpoint.id)).every(({ status }) => status === 'delivered'))
  assert.equal((await endpointOf(caller, endpoint.id)).failingSince, null)
  await receiver.close()
})
