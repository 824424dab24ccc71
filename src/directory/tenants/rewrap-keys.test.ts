import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { platformOn } from '../../../test/support/platform.ts'
import type { TenantId } from '../../caller.ts'
import { readConfig } from '../../config.ts'
import { sealingWith } from '../../keys/sealing.ts'
import { platformTenantId, sql } from '../../store/store.ts'
import { rewrapKeys } from './jobs.ts'

const TENANTS = 3
const former = Buffer.alloc(32, 1)
const present = Buffer.alloc(32, 2)
const tenants = Array.from({ length: TENANTS }, (_, at) => `00000000-0000-7000-8000-00000000000${at + 1}` as TenantId)
const insertTenant = sql(
  'test.rewrap_tenant',
  `insert into tenant (id, slug, name, created_at, updated_at) values ($1, $2, 'Acme', now(), now())`,
)

let db: TestDatabase
before(async () => {
  db = await openTestDatabase()
  await db.store.across('test set-up', async (tx) => {
    for (const id of tenants) await tx.rows(insertTenant, [id, `acme-${id.at(-1)}`])
  })
})
after(() => db.close())

const now = () => new Date()
const place = (tenantId: TenantId) => ({ tenantId, table: 'issuance', column: 'claims', row: 'r1' })

test('the job seals the data keys of all tenants under the new master key and says when the former may go', async () => {
  const before = sealingWith(former, db.store, now)
  // The last tenant has no data key yet.
  const [one, two] = await Promise.all(tenants.slice(0, 2).map((id) => before.seal(place(id), 'Thandi')))
  await before.derive(platformTenantId, 'start')
  const said: object[] = []
  const log = {
    debug: () => undefined,
    info: (fields: object) => said.push(fields),
    warn: () => undefined,
    error: () => assert.fail(),
  }
  const masterKeyPrevious = former.toString('base64')
  const config = readConfig({ MASTER_KEY: present.toString('base64'), MASTER_KEY_PREVIOUS: masterKeyPrevious })
  const sealing = sealingWith(present, db.store, now, undefined, former)
  const platform = { ...platformOn({ store: db.store, config }), sealing, log }
  for (let turn = 0; turn < 2; turn += 1) await rewrapKeys(platform, new AbortController().signal)
  assert.deepEqual(said, [{ rewrapped: 6 }, { rewrapped: 0 }])
  const alone = sealingWith(present, db.store, now)
  for (const [at, sealed] of [one, two].entries()) {
    assert(sealed !== undefined && tenants[at] !== undefined)
    assert.equal((await alone.open(place(tenants[at]), sealed)).toString(), 'Thandi')
  }
})
