import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { platformOn } from '../../../test/support/platform.ts'
import type { TenantId } from '../../caller.ts'
import { sealedColumns } from '../../contributions.ts'
import { resealing } from '../../keys/reseal.ts'
import { sealingWith } from '../../keys/sealing.ts'
import type { Platform } from '../../platform.ts'
import { newId } from '../../store/row-id.ts'
import { sql } from '../../store/store.ts'
import { resealSchedule, rotateDataKeys } from './rotate-keys.ts'

// More than one step.
const ROWS = 510
const tenantId = '00000000-0000-7000-8000-0000000000bb' as TenantId
const insertTenant = sql(
  'test.rotate.tenant',
  `insert into tenant (id, slug, name, created_at, updated_at) values ($1, 'acme', 'Acme', now(), now())`,
)
const insertSecret = sql(
  'test.rotate.endpoint',
  `with endpoint as (
     insert into webhook_endpoint (tenant_id, id, url, filter_types, status, era, xact, event_id, created_at, updated_at)
     values ($1, $2, 'https://acme.example', '{}', 'active', 1, '0', $2, now(), now()) returning id
   )
   insert into webhook_secret (tenant_id, id, endpoint_id, sealed, created_at) select $1, s.id, endpoint.id, s.sealed, now()
   from endpoint, unnest($3::uuid[], $4::bytea[]) as s (id, sealed)`,
)
const listSecrets = sql('test.rotate.secrets', 'select id, sealed from webhook_secret where tenant_id = $1 order by id')
const listColumns = sql(
  'test.rotate.columns',
  `select c.relname as table, a.attname as column from pg_attribute a join pg_class c on c.oid = a.attrelid and c.relkind in ('r', 'p')
   where c.relnamespace = 'public'::regnamespace and a.atttypid = 'bytea'::regtype and not a.attisdropped order by 1, 2`,
)
const listRotations = sql('test.rotate.entries', `select id from audit_entry where action = 'deployment.keys_rotated'`)
/** Columns of bytes that are no sealed values, or of values that live for a day at most. */
const EXEMPT = [
  /_hash$/,
  /\.(der|serial|subject_key_id|key|hash|credential_id|public_key|bytes)$/,
  /^tenant_key\.wrapped$/,
  /^issuance_batch_item\.sealed_(claims|recipient|mail)$/,
  /^(offer_mail|sign_in_claims|table_draft|table_draft_part)\.sealed_/,
  /^kept_answer\.sealed_answer$/,
  /^kept_path\.sealed_path$/,
  /^pushed_request\.sealed_parameters$/,
]

let db: TestDatabase
let ids: string[]
before(async () => {
  db = await openTestDatabase()
  await db.store.across('test set-up', (tx) => tx.rows(insertTenant, [tenantId]))
  ids = Array.from({ length: ROWS }, newId)
})
after(() => db.close())

const masterKey = Buffer.alloc(32, 7)
const sealing = () => sealingWith(masterKey, db.store, () => new Date())
const column = resealing({ table: 'webhook_secret', column: 'sealed' })
const placeOf = (row: string) => ({ tenantId, table: 'webhook_secret', column: 'sealed', row })
const running = new AbortController().signal

function platformWith(days: number): Platform {
  const now = () => new Date(Date.now() + days * 86_400_000)
  return { ...platformOn({ store: db.store }), sealing: sealing(), clock: { now } }
}
const secrets = () =>
  db.store.single(tenantId, (tx) => tx.rows<{ id: string; sealed: Buffer }>(listSecrets, [tenantId]))
const versionsIn = async () => [...new Set((await secrets()).map(({ sealed }) => sealed[0]))]

test('every sealed column is sealed anew, or lives for a day at most', async () => {
  const found = await db.store.across('test', (tx) => tx.rows<{ table: string; column: string }>(listColumns))
  const names = found.map((one) => `${one.table}.${one.column}`)
  const resealed = sealedColumns.map(({ name }) => name)
  assert.deepEqual(names.filter((name) => !EXEMPT.some((one) => one.test(name))).sort(), resealed.toSorted())
})

test('after a rotation every value is sealed under the next key, and other processes open all of them', async () => {
  const other = sealing()
  const sealed = await Promise.all(ids.map((id) => other.seal(placeOf(id), `secret ${id}`)))
  await db.store.single(tenantId, (tx) => tx.rows(insertSecret, [tenantId, newId(), ids, sealed]))
  const derived = await other.derive(tenantId, 'offer-code')
  assert.deepEqual(await versionsIn(), [1])
  const report = await rotateDataKeys(platformWith(0), [column], running)
  assert.deepEqual(report, { tenants: 2, resealed: { 'webhook_secret.sealed': ROWS } })
  assert.deepEqual(await versionsIn(), [2])
  for (const { id, sealed } of await secrets())
    assert.equal((await other.open(placeOf(id), sealed)).toString(), `secret ${id}`)
  assert.deepEqual(await sealing().derive(tenantId, 'offer-code'), derived)
  assert.equal((await other.seal(placeOf('r'), 'x'))[0], 2)
})

test('what another process sealed under the former key in the meantime is found by the sweep', async () => {
  const late = sealing()
  await late.seal(placeOf('r'), 'x')
  await rotateDataKeys(platformWith(0), [], running)
  const [first] = await secrets()
  assert(first !== undefined)
  assert.equal((await late.seal(placeOf('r'), 'x'))[0], 2)
  await resealSchedule([column]).run(platformWith(0), running)
  assert.deepEqual(await versionsIn(), [3])
})

test('former keys are deleted a month after the rotation, not while a value is sealed under one', async () => {
  const schedule = resealSchedule([column])
  await schedule.run(platformWith(30), running)
  assert.deepEqual((await sealing().versions(tenantId))?.oldest, 1)
  await rotateDataKeys(platformWith(0), [], running)
  // The first run seals anew, the second one finds nothing more.
  for (const oldest of [1, 4]) {
    await schedule.run(platformWith(32), running)
    assert.deepEqual((await sealing().versions(tenantId))?.oldest, oldest)
  }
  for (const { id, sealed } of await secrets())
    assert.equal((await sealing().open(placeOf(id), sealed)).toString(), `secret ${id}`)
  assert.deepEqual((await column.check(platformWith(0), tenantId)).faults, [])
})

test('a rotation that was interrupted is continued, and of two at once none harms the other', async () => {
  const stopped = new AbortController()
  stopped.abort()
  await assert.rejects(rotateDataKeys(platformWith(0), [column], stopped.signal))
  const platforms = [platformWith(0), platformWith(0)]
  await Promise.all(platforms.map((one) => rotateDataKeys(one, [column], running)))
  await resealSchedule([column]).run(platformWith(0), running)
  const newest = (await sealing().versions(tenantId))?.newest
  assert.deepEqual(await versionsIn(), [newest])
  // One entry for each key after the first, however many rotations ran at once.
  const entries = await db.store.single(tenantId, (tx) => tx.rows(listRotations))
  assert.equal(entries.length, (newest ?? 0) - 1)
  for (const { id, sealed } of await secrets())
    assert.equal((await sealing().open(placeOf(id), sealed)).toString(), `secret ${id}`)
})

test('a value that cannot be opened is named', async () => {
  const damage = sql(
    'test.rotate.damage',
    `update webhook_secret set sealed = set_byte(sealed, 20, get_byte(sealed, 20) # 1) where id = $1`,
  )
  const [id = ''] = ids.toSorted().slice(-100)
  await db.store.single(tenantId, (tx) => tx.rows(damage, [id]))
  const { examined, faults } = await column.check(platformWith(0), tenantId)
  assert.equal(examined, 100)
  const [fault = '', ...others] = faults
  assert.match(fault, new RegExp(`^webhook_secret.sealed of ${id} cannot be opened: `))
  assert.deepEqual(others, [])
})
