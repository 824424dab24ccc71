import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { platformOn } from '../../../test/support/platform.ts'
import type { TenantId } from '../../caller.ts'
import { readConfig } from '../../config.ts'
import { checkArchive } from '../../events/archive/archive-file.ts'
import { record } from '../../events/audit/record.ts'
import { enqueueNamed } from '../../jobs/job.ts'
import type { Log, Platform } from '../../platform.ts'
import { newId } from '../../store/row-id.ts'
import { composedSql, platformTenantId, type Store, sql } from '../../store/store.ts'
import { listTenantTables } from '../../store/tenant-rows.ts'
import { applyBootstrap } from '../bootstrap/apply-bootstrap.ts'
import { findClient } from '../clients/find-client.ts'
import { allTenantIds, findTenant, getTenant } from '../tenants/find-tenant.ts'
import { findRemoved } from './removal-store.ts'
import { removeRows } from './remove-rows.ts'
import { previewRemoval, removeTenant } from './remove-tenant.ts'

const ENTRIES = 2500
const USERS = 1200
const ENTRIES_OF_LIST = 700
const OPERATOR = { by: 'system', clientId: null } as const
const running = new AbortController().signal

const listEntries = sql(
  'test.removal.entries',
  `select action, detail from audit_entry where tenant_id = $1 and subject_id = $2::text order by id`,
)
const listColumns = sql(
  'test.removal.columns',
  `select table_name as name from information_schema.columns join pg_class on oid = to_regclass(table_name)
   where column_name = 'tenant_id' and table_schema = 'public' and relkind in ('r', 'p') and not relispartition
   order by 1`,
)
const insertUsers = sql(
  'test.removal.users',
  `insert into user_account (tenant_id, id, username, username_folded, enabled, created_at, updated_at)
   select $1, one, one::text, one::text, true, now(), now() from unnest($2::uuid[]) as one returning id`,
)
const insertLists = sql(
  'test.removal.lists',
  `with made as (
     insert into status_list (tenant_id, id, created_at, full_at)
     select $1, one, now(), now() from unnest($2::uuid[]) as one returning id
   )
   insert into status_entry (tenant_id, status_list_id, status_index)
   select $1, made.id, n from made, generate_series(0, ${ENTRIES_OF_LIST - 1}) as n returning status_index`,
)
const removeAudit = sql('test.removal.audit', 'select remove_audit_entries(10)')

let db: TestDatabase
let platform: Platform
let shiftMs = 0
const clock = { now: () => new Date(Date.now() + shiftMs) }
const warned: { fields: object; message: string }[] = []
const log: Log = {
  debug: () => undefined,
  info: () => undefined,
  error: () => undefined,
  warn: (fields, message) => warned.push({ fields, message }),
}
before(async () => {
  db = await openTestDatabase()
  platform = platformOn({ store: db.store, clock, log })
})
after(() => db.close())

type Made = { readonly id: TenantId; readonly slug: string; readonly clientId: string }

const fileOf = ({ slug, clientId }: Omit<Made, 'id'>) => ({
  tenants: [{ slug, name: 'Acme', clients: [{ clientId, clientSecret: 's'.repeat(32), scopes: [] }] }],
})

/** A tenant with rows of many tables, of some more than a piece has. */
async function aTenant(): Promise<Made> {
  const made = { slug: `t-${newId()}`, clientId: `client-${newId()}` }
  await applyBootstrap(platform, fileOf(made))
  const { id } = await getTenant(platform, made.slug)
  await platform.keys.current(id, 'credential')
  await platform.store.inTenant(id, async (tx) => {
    const about = { action: 'user.created', subject: { kind: 'user', id: null }, by: 'system' } as const
    for (let n = 0; n < ENTRIES; n += 1) await record(tx, about, clock.now())
    await tx.rows(insertUsers, [id, Array.from({ length: USERS }, newId)])
    await tx.rows(insertLists, [id, [newId(), newId()]])
    await enqueueNamed(tx, 'test.job', {}, { now: clock.now() })
  })
  return { id, ...made }
}

const tablesOf = async () => (await platform.store.across('test', listTenantTables)).map(({ name }) => name)

/** The number of rows of a tenant in each table that has some. */
async function rowsOf(id: TenantId): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {}
  for (const table of await tablesOf()) {
    const statement = composedSql(`select count(*)::int as count from ${table} where tenant_id = $1`)
    const [row] = await platform.store.single(id, (tx) => tx.rows<{ count: number }>(statement, [id]))
    if (row !== undefined && row.count > 0) counts[table] = row.count
  }
  return counts
}

const keptOf = (slug: string) => platform.store.across('test', (tx) => findRemoved(tx, slug))
const trailOf = (id: TenantId) =>
  platform.store.single(platformTenantId, (tx) =>
    tx.rows<{ action: string; detail: object }>(listEntries, [platformTenantId, id]),
  )

/** A platform whose process dies at a transaction, counted from 1. */
function dyingAt(transaction: number): Platform {
  let begun = 0
  const inTenant: Store['inTenant'] = (tenantId, work) => {
    begun += 1
    if (begun >= transaction) return Promise.reject(new Error('the process died'))
    return db.store.inTenant(tenantId, work)
  }
  return { ...platform, store: { ...db.store, inTenant } }
}

test('the tables whose rows go are all that have a tenant', async () => {
  // The role of the application has rights on each of them, and the schema shows it no others.
  const found = await platform.store.single(platformTenantId, (tx) => tx.rows<{ name: string }>(listColumns))
  const order = await tablesOf()
  assert.deepEqual(order.toSorted(), found.map(({ name }) => name).toSorted())
  assert(found.length > 70)
  const at = (name: string) => (order.includes(name) ? order.indexOf(name) : assert.fail(name))
  assert(at('status_entry') < at('status_list') && at('presentation_request') < at('presentation_template'))
})

test('a removed tenant is closed at once, and its rows stay for a minute', async () => {
  const { id, slug, clientId } = await aTenant()
  const before = await rowsOf(id)
  const counts = { users: USERS, credentials: 0, issuances: 0, auditEntries: ENTRIES + 2 }
  assert.deepEqual(await previewRemoval(platform, slug), { kind: 'preview', name: 'Acme', counts })
  assert.notEqual(await findTenant(platform, slug), null)
  const removed = await removeTenant(platform, slug, OPERATOR)
  assert.partialDeepStrictEqual(removed, { id, slug, name: 'Acme', removedBy: null, counts, endedAt: null })
  assert.equal(await findTenant(platform, slug), null)
  assert.equal(await findClient(platform, clientId), null)
  assert.equal((await allTenantIds(platform)).includes(id), false)
  assert.deepEqual(await removeTenant(platform, slug, OPERATOR), removed)
  assert.deepEqual(await previewRemoval(platform, slug), { kind: 'removed', removed })
  await removeRows(platform, running)
  assert.deepEqual(await rowsOf(id), before)
  assert.deepEqual(await trailOf(id), [{ action: 'tenant.removed', detail: { slug, ...counts } }])
  shiftMs += 61_000
  await removeRows(platform, running)
  assert.deepEqual(await rowsOf(id), {})
})

test('processes that die and two at once leave no row of a removed tenant, and every row of another', async () => {
  const [gone, other] = [await aTenant(), await aTenant()]
  const before = await rowsOf(other.id)
  assert.partialDeepStrictEqual(before, {
    audit_entry: ENTRIES + 2,
    user_account: USERS,
    status_entry: 2 * ENTRIES_OF_LIST,
  })
  const total = Object.values(await rowsOf(gone.id)).reduce((sum, one) => sum + one, 0)
  await assert.rejects(removeTenant(dyingAt(1), gone.slug, OPERATOR), /died/)
  assert.equal(await keptOf(gone.slug), null)
  await removeTenant(platform, gone.slug, OPERATOR)
  shiftMs += 61_000
  for (const transaction of [1, 3, 12, 40]) await assert.rejects(removeRows(dyingAt(transaction), running), /died/)
  const half = await rowsOf(gone.id)
  assert.equal(half.tenant_key, undefined)
  assert(Object.keys(half).length > 0)
  await Promise.all([removeRows(platform, running), removeRows(platform, running)])
  assert.deepEqual(await rowsOf(gone.id), {})
  assert.deepEqual(await rowsOf(other.id), before)
  const kept = await keptOf(gone.slug)
  assert.notEqual(kept?.endedAt, null)
  // The pieces of names go with their users.
  assert((kept?.rowsRemoved ?? 0) <= total)
  assert.deepEqual(
    (await trailOf(gone.id)).map(({ action }) => action),
    ['tenant.removed', 'tenant.destroyed'],
  )
})

test('what a process wrote after the end goes too', async () => {
  const { id, slug } = await aTenant()
  await removeTenant(platform, slug, OPERATOR)
  shiftMs += 61_000
  await removeRows(platform, running)
  const about = { action: 'user.created', subject: { kind: 'user', id: null }, by: 'system' } as const
  await platform.store.inTenant(id, (tx) => record(tx, about, clock.now()))
  await removeRows(platform, running)
  assert.deepEqual(await rowsOf(id), {})
  assert.equal((await trailOf(id)).length, 2)
})

test('nobody gets the slug of a removed tenant, also by a bootstrap file that names it', async () => {
  const made = await aTenant()
  await removeTenant(platform, made.slug, OPERATOR)
  for (const wait of [0, 61_000]) {
    shiftMs += wait
    await removeRows(platform, running)
    warned.length = 0
    const applied = await applyBootstrap(platform, fileOf(made))
    assert.deepEqual(applied, { created: 0, changed: 0 })
    assert.partialDeepStrictEqual(warned, [{ fields: { slug: made.slug } }])
    assert.equal(await findTenant(platform, made.slug), null)
  }
  assert.deepEqual(await rowsOf(made.id), {})
})

test('a tenant that is unknown, or the platform itself, is not removed', async () => {
  for (const slug of ['nobody', '_platform', 'no slug', '\0']) {
    await assert.rejects(previewRemoval(platform, slug), { code: 'resource.unknown' })
    await assert.rejects(removeTenant(platform, slug, OPERATOR), { code: 'resource.unknown' })
  }
})

test('the audit trail of a removed tenant is archived first, whole also after a crash', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'chirograph-removal-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const { id, slug } = await aTenant()
  await removeTenant(platform, slug, OPERATOR)
  shiftMs += 61_000
  const config = { ...readConfig({}), auditArchive: folder }
  await assert.rejects(removeRows({ ...dyingAt(12), config }, running), /died/)
  await removeRows({ ...platform, config }, running)
  assert.deepEqual(readdirSync(folder), [id])
  assert.deepEqual(await checkArchive(join(folder, id)), { entries: ENTRIES + 2, fault: null })
  assert.notEqual((await keptOf(slug))?.archivedAt, null)
  assert.deepEqual(await rowsOf(id), {})
})

test('the database refuses to delete audit entries of a tenant that is not being removed', async () => {
  const { id } = await aTenant()
  const isRefused = db.store.single(id, (tx) => tx.rows(removeAudit))
  await assert.rejects(isRefused, /the tenant is not being removed/)
})
