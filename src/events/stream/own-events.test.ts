// One holder of a tenant with many: listing and streaming the own notifications must not read those of the others.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { openTestDatabase, postgresUrl, type TestDatabase } from '../../../test/support/database.ts'
import type { TenantId } from '../../caller.ts'
import { newId } from '../../store/row-id.ts'
import { composedSql, type Sql } from '../../store/store.ts'
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

for (const descending of [false, true])
  test(`a user's own notifications are read from their index, ${descending ? 'newest' : 'oldest'} first`, {
    skip,
  }, async () => {
    let read = Number.NaN
    const list = () =>
      db.store.inTenant(tenant, (tx) => {
        const rows = async <Row>(statement: Sql, values: readonly unknown[] = []): Promise<Row[]> => {
          const explain = composedSql(`explain (analyze, format json) ${statement.text}`)
          const [explained] = await tx.rows<{ 'QUERY PLAN': readonly { Plan: Plan }[] }>(explain, values)
          read = (explained?.['QUERY PLAN'] ?? []).reduce((sum, { Plan: plan }) => sum + entriesRead(plan), 0)
          return tx.rows<Row>(statement, values)
        }
        const filter = { types: null, subject: null, userId: 'mine' }
        return listEventRows({ ...tx, rows }, { from: null, descending, limit: 20 }, filter)
      })
    // Any open transaction of the database server delays events.
    await until(async () => (await list()).length === 2)
    assert(read <= 2, `${read} entries are read`)
  })
