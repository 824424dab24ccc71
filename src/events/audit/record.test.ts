import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import type { Caller, TenantId, UserId } from '../../caller.ts'
import { newId } from '../../store/row-id.ts'
import { sql } from '../../store/store.ts'
import { record, recordChange, recordEach } from './record.ts'

const noon = new Date('2026-05-01T12:00:00.000Z')
const insertTenant = sql(
  'test.events.tenant',
  `insert into tenant (id, slug, name, created_at, updated_at) values ($1, $2, $2, now(), now())`,
)
const listEntries = sql('test.events.list', 'select * from audit_entry order by id')
const changing = sql('test.events.change', 'update tenant set name = $1 where slug = $2 returning id')

let db: TestDatabase
before(async () => {
  db = await openTestDatabase()
})
after(() => db.close())

async function aTenant(): Promise<{ id: TenantId; slug: string }> {
  const id = newId() as TenantId
  const slug = `t-${id}`
  await db.store.across('test set-up', (tx) => tx.rows(insertTenant, [id, slug]))
  return { id, slug }
}

function entriesOf(tenant: TenantId) {
  return db.store.single(tenant, (tx) => tx.rows<Record<string, unknown>>(listEntries))
}

function aCaller(tenantId: TenantId): Caller {
  return {
    tenantId,
    tenantSlug: 'acme',
    actor: { kind: 'user', id: 'u1' },
    userId: 'u1' as UserId,
    clientId: 'backend',
    actingClientId: 'backend',
    scopes: new Set(),
    requestId: 'r1',
    ip: '192.0.2.1',
  }
}

test('an entry has actor, acting client, action, subject, time, address and result', async () => {
  const { id } = await aTenant()
  const entry = {
    action: 'credential.revoked',
    subject: { kind: 'credential', id: 'c1' },
    by: aCaller(id),
    detail: { templateId: 't1', listed: ['a', 'b'] },
  } as const
  await db.store.single(id, (tx) => record(tx, entry, noon))
  const [found] = await entriesOf(id)
  assert.partialDeepStrictEqual(found, {
    tenant_id: id,
    at: noon,
    actor_kind: 'user',
    actor_id: 'u1',
    acting_client: 'backend',
    action: 'credential.revoked',
    event_type: 'credential.revoked',
    subject_kind: 'credential',
    subject_id: 'c1',
    result: 'done',
    ip: '192.0.2.1',
    request_id: 'r1',
    detail: { templateId: 't1', listed: ['a', 'b'] },
  })
})

test('an action that is no public event stays in the audit trail', async () => {
  const { id } = await aTenant()
  const entry = { action: 'client.created', subject: { kind: 'client', id: 'x' }, by: 'system' } as const
  await db.store.single(id, (tx) => record(tx, entry, noon))
  assert.partialDeepStrictEqual((await entriesOf(id))[0], { event_type: null, actor_kind: 'system', actor_id: null })
})

test('an entry and its change stand or fall together', async () => {
  const { id } = await aTenant()
  const entry = { action: 'tenant.created', subject: { kind: 'tenant', id: null }, by: 'system' } as const
  const failed = db.store.inTenant(id, async (tx) => {
    await record(tx, entry, noon)
    throw new Error('later')
  })
  await assert.rejects(failed, /later/)
  assert.deepEqual(await entriesOf(id), [])
})

test('the entry of a change is written when a row was changed, and only then', async () => {
  const { id, slug } = await aTenant()
  const entry = { action: 'tenant.changed', subject: { kind: 'tenant', id }, by: 'system' } as const
  const change = (of: string) => db.store.inTenant(id, (tx) => recordChange(tx, changing, ['New', of], entry, noon))
  assert.deepEqual(await change(slug), { id })
  assert.equal(await change('nobody'), null)
  const entries = await entriesOf(id)
  assert.equal(entries.length, 1)
  assert.partialDeepStrictEqual(entries[0], { action: 'tenant.changed', subject_id: id })
})

test('several entries are one round trip, and none is none', async () => {
  const { id } = await aTenant()
  const entries = ['a', 'b'].map((one) => {
    return { action: 'user.changed', subject: { kind: 'user', id: one }, by: 'system' } as const
  })
  await db.store.single(id, (tx) => recordEach(tx, entries, noon))
  await db.store.single(id, (tx) => recordEach(tx, [], noon))
  assert.deepEqual((await entriesOf(id)).map((one) => one.subject_id).sort(), ['a', 'b'])
})

for (const text of [`update audit_entry set action = 'y'`, 'delete from audit_entry']) {
  test(`the application cannot rewrite history: ${text}`, async () => {
    const { id } = await aTenant()
    const rewrite = sql(`test.events.${text.slice(0, 6)}`, text)
    await assert.rejects(
      db.store.single(id, (tx) => tx.rows(rewrite)),
      /permission denied/,
    )
  })
}

test('the audit trail of another tenant is invisible', async () => {
  const [one, other] = [await aTenant(), await aTenant()]
  const entry = { action: 'tenant.created', subject: { kind: 'tenant', id: null }, by: 'system' } as const
  await db.store.single(one.id, (tx) => record(tx, entry, noon))
  assert.deepEqual(await entriesOf(other.id), [])
})
