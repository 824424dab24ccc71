import { openTestDatabase } from '../../../test/support/database.ts'
import { platformOn } from '../../../test/support/platform.ts'
import { vapidTestKey } from '../../../test/support/server.ts'
import type { Caller, Scope, TenantId, UserId } from '../../caller.ts'
import { readConfig } from '../../config.ts'
import { openOutbound } from '../../http/outbound/outbound.ts'
import { Memory } from '../../memory/memory.ts'
import type { Platform } from '../../platform.ts'
import { newId } from '../../store/row-id.ts'
import { sql } from '../../store/store.ts'

/** A platform with a real database and real outbound calls, and its users. */
export type Bench = {
  readonly platform: Platform
  /** Makes a person with an empty wallet, in a new tenant by default. */
  readonly person: (tenantId?: TenantId) => Promise<Caller & { readonly userId: UserId }>
  /** The rows of a wallet table of one tenant. */
  readonly rows: (tenantId: TenantId, table: string) => Promise<Record<string, unknown>[]>
  /** Moves the clock. */
  readonly later: (seconds: number) => void
  /** Deletes the jobs of a tenant, as a coordinator of a distributed database that ends between two commits. */
  readonly loseJobs: (tenantId: TenantId) => Promise<void>
  readonly close: () => Promise<void>
}

const insertTenant = sql(
  'test.wallet.tenant',
  `insert into tenant (id, slug, name, created_at, updated_at) values ($1, $2, $2, now(), now())`,
)
const insertUser = sql(
  'test.wallet.user',
  `insert into user_account (tenant_id, id, username, username_folded, enabled, created_at, updated_at)
   values ($1, $2, $3, $3, true, now(), now())`,
)
const tables = [
  'wallet_delivery',
  'wallet_credential',
  'wallet_credential_copy',
  'wallet_notification',
  'wallet_deferred',
  'wallet_refill',
  'wallet_issuance_session',
  'wallet_presentation',
  'wallet_shared_link',
  'job',
  'audit_entry',
]
const listing = new Map(
  tables.map((table) => [table, sql(`test.wallet.${table}`, `select * from ${table} order by id`)]),
)

const deleteJobs = sql('test.wallet.delete_jobs', 'delete from job where tenant_id = $1')

/** Opens it on a database of its own. */
export async function openBench(): Promise<Bench> {
  const db = await openTestDatabase()
  const config = readConfig({ PUBLIC_URL: 'http://localhost:1', VAPID_PRIVATE_KEY: vapidTestKey })
  let shift = 0
  const clock = { now: () => new Date(Date.now() + shift * 1000) }
  const inside = () => Promise.reject(new Error('no request goes to our own address'))
  const outbound = openOutbound({ config, memory: new Memory(), inside })
  const silent = () => undefined
  const log = { debug: silent, info: silent, warn: silent, error: silent }
  const platform = platformOn({ store: db.store, config, clock, fetch: outbound.fetch, log })
  return {
    platform,
    person: async (given) => {
      const tenantId = given ?? (newId() as TenantId)
      if (given === undefined)
        await db.store.across('test set-up', (tx) => tx.rows(insertTenant, [tenantId, `t-${tenantId}`]))
      const userId = newId() as UserId
      await db.store.single(tenantId, (tx) => tx.rows(insertUser, [tenantId, userId, `u-${userId}`]))
      return aCaller(tenantId, userId)
    },
    rows: (tenantId, table) => {
      const statement = listing.get(table)
      if (statement === undefined) throw new Error(`no such table: ${table}`)
      return db.store.single(tenantId, (tx) => tx.rows(statement))
    },
    later: (seconds) => {
      shift += seconds
    },
    loseJobs: async (tenantId) => void (await db.store.single(tenantId, (tx) => tx.rows(deleteJobs, [tenantId]))),
    close: async () => {
      await outbound.close()
      await db.close()
    },
  }
}

function aCaller(tenantId: TenantId, userId: UserId): Caller & { readonly userId: UserId } {
  return {
    tenantId,
    tenantSlug: `t-${tenantId}`,
    actor: { kind: 'user', id: userId },
    userId,
    clientId: 'app',
    actingClientId: null,
    scopes: new Set<Scope>(['wallet:read', 'wallet:write']),
    requestId: 'request',
    ip: '127.0.0.1',
  }
}
