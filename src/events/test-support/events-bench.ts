import assert from 'node:assert/strict'
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { platformOn } from '../../../test/support/platform.ts'
import type { Caller, TenantId } from '../../caller.ts'
import { readConfig } from '../../config.ts'
import type { PublicEvent } from '../../contract/events/vocabulary.ts'
import { randomBytes } from '../../crypto/random.ts'
import { openOutbound } from '../../http/outbound/outbound.ts'
import { Memory } from '../../memory/memory.ts'
import type { Platform } from '../../platform.ts'
import { newId } from '../../store/row-id.ts'
import { type Store, sql } from '../../store/store.ts'
import { record } from '../audit/record.ts'
import { startDispatcher } from '../webhooks/dispatcher.ts'
import { createWebhookEndpoint } from '../webhooks/webhook-endpoints.ts'

/** The platform for tests of this room, on a database of its own, with a clock that the test moves. */
export type Bench = {
  readonly db: TestDatabase
  readonly platform: Platform
  readonly pass: (seconds: number) => void
  /** A platform of another server on the same database. */
  readonly other: (store: Store) => Platform
  /** Starts a dispatcher of webhooks, which is stopped with the bench. */
  readonly dispatch: (platform?: Platform) => { readonly stop: () => Promise<void> }
  readonly close: () => Promise<void>
}

const insertTenant = sql(
  'test.events.tenant',
  `insert into tenant (id, slug, name, created_at, updated_at) values ($1, $2, $2, now(), now())`,
)

/** Opens it. No server listens at its `publicUrl`. */
export async function openBench(): Promise<Bench> {
  const db = await openTestDatabase()
  const config = { ...readConfig({}), publicUrl: 'http://localhost:9' }
  const masterKey = randomBytes(32)
  let time = Date.parse('2026-05-01T12:00:00.000Z')
  const clock = { now: () => new Date(time) }
  const inside = () => Promise.reject(new Error('no server is inside'))
  const resolve = async (name: string) => [{ address: name === 'inner.example' ? '10.0.0.1' : '127.0.0.1', family: 4 }]
  const outbound = openOutbound({ config, memory: new Memory(), inside, resolve })
  const on = (store: Store) => platformOn({ store, config, clock, fetch: outbound.fetch, masterKey })
  const platform = on(db.store)
  const dispatchers: { readonly stop: () => Promise<void> }[] = []
  return {
    db,
    platform,
    other: on,
    pass: (seconds) => {
      time += seconds * 1000
    },
    dispatch: (where = platform) => {
      const started = startDispatcher(where, { pollMs: 20 })
      dispatchers.push(started)
      return started
    },
    close: async () => {
      await Promise.all(dispatchers.map((one) => one.stop()))
      await outbound.close()
      await db.close()
    },
  }
}

/** A tenant of its own, and a caller with all of its scopes. */
export async function aTenant({ db }: Bench): Promise<Caller> {
  const tenantId = newId() as TenantId
  await db.store.across('test set-up', (tx) => tx.rows(insertTenant, [tenantId, `t-${tenantId}`]))
  return {
    tenantId,
    tenantSlug: `t-${tenantId}`,
    userId: null,
    clientId: 'backend',
    actingClientId: null,
    actor: { kind: 'client', id: 'backend' },
    scopes: new Set(['tenant:admin']),
    requestId: 'r',
    ip: '192.0.2.1',
  }
}

/** An endpoint at a receiver. */
export function anEndpoint({ platform }: Bench, caller: Caller, url: string, filterTypes: PublicEvent[] = []) {
  return createWebhookEndpoint(platform, caller, { url, filterTypes })
}

/** Records a public event about a new credential. @returns the id of that credential. */
export async function recordEvent(
  { platform }: Bench,
  { tenantId }: Caller,
  action: PublicEvent = 'credential.revoked',
): Promise<string> {
  const id = newId()
  const entry = { action, subject: { kind: 'credential', id }, by: 'system' } as const
  await platform.store.single(tenantId, (tx) => record(tx, entry, platform.clock.now()))
  return id
}

/** Polls until a condition holds; fails after 15 s. */
export async function until(what: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + 15_000
  while (performance.now() < end) {
    if (await what()) return
    await new Promise((resolve) => setTimeout(resolve, 15))
  }
  assert.fail('the condition was not met in time')
}
