// The places of the worker that sends messages: what hangs occupies some of them, and the messages of others are sent
// meanwhile.
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { until } from '../../../test/support/until.ts'
import type { Caller, UserId } from '../../caller.ts'
import { startWorker, type Worker } from '../../jobs/worker.ts'
import { newId } from '../../store/row-id.ts'
import { subscribe } from '../push-subscriptions/subscribe.ts'
import { pushService } from '../test-support/foreign-push.ts'
import { type Bench, openBench } from '../test-support/wallet-platform.ts'
import { messageWorker, pushMessageJobs } from './jobs.ts'
import { recordForUser } from './record-for-user.ts'

type Person = Caller & { readonly userId: UserId }
/** Longer than what makes a push service a slow one. */
const SLOW_MS = 2200
let bench: Bench
let worker: Worker
let keys: { readonly p256dh: string; readonly auth: string }
/** The services that answer when the test lets them; every other one answers at once. By their origins. */
const hanging = new Set<string>()
/** Calls that are not answered yet. */
const held: (() => void)[] = []
let heldMost = 0
const called: string[] = []
before(async () => {
  bench = await openBench()
  const service = await pushService()
  keys = service.browser().subscription.keys
  await service.close()
  // The time limit of a real call would end it by itself, sooner or later than this machine gets on with the rest.
  const platform: Bench['platform'] = {
    ...bench.platform,
    fetch: async (_tenantId, url) => {
      called.push(url)
      if (hanging.has(new URL(url).origin)) {
        const { promise, resolve } = Promise.withResolvers<void>()
        held.push(resolve)
        heldMost = Math.max(heldMost, held.length)
        await promise
      }
      return { status: 201, headers: {}, contentType: '', body: Buffer.alloc(0) }
    },
  }
  worker = startWorker(platform, pushMessageJobs, [], messageWorker)
})
afterEach(() => {
  hanging.clear()
  release()
  heldMost = 0
})
after(async () => {
  await worker.stop()
  await bench.close()
})

function release(): void {
  for (const answer of held.splice(0)) answer()
}

/** A message is enqueued for each new browser of a person. @returns the addresses of the browsers */
async function notify(person: Person, origins: readonly string[]): Promise<string[]> {
  const endpoints = origins.map((origin) => `${origin}/${newId()}`)
  const { platform } = bench
  for (const endpoint of endpoints)
    await subscribe(platform, person, { endpoint, keys }, { id: newId(), acceptLanguage: undefined })
  const subject = { kind: 'wallet_presentation', id: newId() } as const
  const entry = { action: 'user.notification', subject, by: person, detail: { userId: person.userId } } as const
  await platform.store.inTenant(person.tenantId, (tx) => recordForUser(tx, entry, person.userId, platform.clock.now()))
  return endpoints
}

const serviceAt = (port: number) => `http://127.0.0.1:${port}`
const isSent = (endpoints: readonly string[]) => endpoints.every((one) => called.includes(one))

test('ten messages of a tenant that hang occupy two places, and the message of another tenant is sent', async () => {
  const [crowd, alone] = [await bench.person(), await bench.person()]
  const services = Array.from({ length: 10 }, (_, n) => serviceAt(9000 + n))
  for (const one of services) hanging.add(one)
  const stuck = await notify(crowd, services)
  await until(() => held.length === 2)
  const sent = await notify(alone, [serviceAt(9100)])
  await until(() => isSent(sent))
  assert.deepEqual([held.length, heldMost], [2, 2])
  hanging.clear()
  release()
  await until(() => isSent(stuck))
})

test('a push service that was slow gets one message at a time, whichever tenants its browsers belong to; none is lost', async () => {
  const slow = serviceAt(9200)
  hanging.add(slow)
  await notify(await bench.person(), [slow])
  await until(() => held.length === 1)
  await delay(SLOW_MS)
  release()
  // All places, if each tenant had its two.
  const people = [await bench.person(), await bench.person(), await bench.person()]
  const stuck: string[] = []
  for (const one of people) stuck.push(...(await notify(one, [slow, slow])))
  const sent = await notify(await bench.person(), [serviceAt(9300)])
  await until(() => isSent(sent))
  const due = async () => {
    const rows = await Promise.all(people.map(({ tenantId }) => bench.rows(tenantId, 'job')))
    return rows.flat().filter(({ run_at }) => (run_at as Date) <= bench.platform.clock.now()).length
  }
  await until(async () => (await due()) === 1)
  assert.deepEqual([held.length, heldMost], [1, 1])
  assert.equal(stuck.filter((one) => called.includes(one)).length, 1)
  hanging.clear()
  release()
  await until(async () => (await due()) === 0)
  bench.later(61)
  await until(() => isSent(stuck))
  assert.equal(called.filter((one) => stuck.includes(one)).length, stuck.length, 'each message was sent once')
})
