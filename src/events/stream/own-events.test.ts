// A tenant with many events: a reader of a few must not read those of the others, or all that come after a position.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { openTestDatabase, postgresUrl, type TestDatabase } from '../../../test/support/database.ts'
import type { TenantId } from '../../caller.ts'
import { positional, type Values } from '../../store/named-parameters.ts'
import { newId } from '../../store/row-id.ts'
import { composedSql, type Sql, type TenantTx } from '../../store/store.ts'
import { listFreshEvents, listSettledEvents } from '../counts/count-store.ts'
import { until } from '../test-support/events-bench.ts'
import { listEventRows } from './event-store.ts'

const OTHERS = 3000
const skip = postgresUrl === null ? 'needs PostgreSQL' : false
const tenant = newId() as TenantId

let db: TestDatabase
let client: pg.Client
before(async () => {
  if (postgresUrl === null) return
  db = await openTestDatabase()
  client = new pg.Client({ connectionString: db.url ?? '' })
  await client.connect()
  await client.query(
    `insert into tenant (id, slug, name, created_at, updated_at) values ($1, 'many', 'M', now(), now())`,
    [tenant],
  )
  const users = Array.from({ length: OTHERS + 2 }, (_, n) => (n === 5 || n === OTHERS ? 'mine' : `other-${n}`))
  await client.query(
    `insert into audit_entry (tenant_id, id, at, actor_kind, action, event_type, subject_kind, result, detail, notified_user)
     select $1, id, now(), 'system', 'user.notification', 'user.notification', 'offer', 'done', '{}', notified
     from unnest($2::uuid[], $3::text[]) as e (id, notified)`,
    [tenant, users.map(() => newId()), users],
  )
  await client.query('vacuum analyze audit_entry')
})
after(async () => {
  await client?.end()
  await db?.close()
})

type Plan = Readonly<Record<string, unknown>> & { readonly Plans?: readonly Plan[] }

/** Rows of the audit trail that a plan reads, those that a filter removes included. */
function entriesRead(plan: Plan): number {
  const read = String(plan['Relation Name'] ?? '').startsWith('audit_entry')
  const own = read ? Number(plan['Actual Rows']) + Number(plan['Rows Removed by Filter'] ?? 0) : 0
  return (plan.Plans ?? []).reduce((sum, one) => sum + entriesRead(one), own * Number(plan['Actual Loops']))
}

/** Reads events of the tenant. @returns the events, and how many entries of the audit trail their statement reads */
async function reading<Row>(list: (tx: TenantTx) => Promise<Row[]>): Promise<{ found: Row[]; read: number }> {
  let read = Number.NaN
  const found = await db.store.inTenant(tenant, (tx) => {
    const rows = async <R>(statement: Sql, values: Values = []): Promise<R[]> => {
      const explain = composedSql(`explain (analyze, format json) ${statement.text}`)
      const [explained] = await tx.rows<{ 'QUERY PLAN': readonly { Plan: Plan }[] }>(
        explain,
        positional(statement, values),
      )
      read = (explained?.['QUERY PLAN'] ?? []).reduce((sum, { Plan: plan }) => sum + entriesRead(plan), 0)
      return tx.rows<R>(statement, values)
    }
    return list({ ...tx, rows })
  })
  return { found, read }
}

for (const descending of [false, true])
  test(`a user's own notifications are read from their index, ${descending ? 'newest' : 'oldest'} first`, {
    skip,
  }, async () => {
    const filter = { types: null, subject: null, userId: 'mine' }
    const list = () => reading((tx) => listEventRows(tx, { from: null, descending, limit: 20 }, filter))
    // Any open transaction of the database server delays events.
    await until(async () => (await list()).found.length === 2)
    const { read } = await list()
    assert(read <= 2, `${read} entries are read`)
  })

test('of the events after a position no more are read than are counted at once', { skip }, async () => {
  const from = { era: 1, xact: '3', id: newId(), at: null }
  const readers = [(tx: TenantTx) => listFreshEvents(tx, from, 20), (tx: TenantTx) => listSettledEvents(tx, from, 20)]
  for (const list of readers) {
    await until(async () => (await reading(list)).found.length === 20)
    const { read } = await reading(list)
    assert(read >= 20 && read <= 25, `${read} entries are read`)
  }
})
