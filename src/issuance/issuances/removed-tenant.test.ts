import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../store/store.ts'
import { aDatabase, aKey, anIssuer, aToken, request } from '../test-support/issuer.ts'

const tables = sql(
  'test.removed.tables',
  `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'public'
   join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped where c.relkind in ('r', 'p') and not c.relispartition order by 1`,
)
const remove = sql('test.removed.delete', 'delete from tenant where id = $1')
/** Tables without a foreign key to their tenant. */
const HOT_TABLES = ['audit_entry', 'issuance', 'status_entry', 'spent_nonce']

test('a removed tenant leaves no row in any table, and the rows of the others stay', async () => {
  const db = await aDatabase()
  const issuer = await anIssuer(db)
  const other = await anIssuer(db)
  for (const one of [issuer, other]) {
    const { token, template } = await aToken(one)
    assert.equal((await request(one, token, template.code, [aKey()])).status, 200)
  }
  const names = (await db.store.across('all tables', (tx) => tx.rows<{ name: string }>(tables))).map(({ name }) => name)
  const filled = async ({ tenant }: typeof issuer) => {
    const found = []
    for (const name of names) {
      const count = sql(`test.removed.${name}`, `select count(*)::int as count from ${name} where tenant_id = $1`)
      const [row] = await db.store.single(tenant.id, (tx) => tx.rows<{ count: number }>(count, [tenant.id]))
      if (row?.count !== 0) found.push(name)
    }
    return found
  }
  const before = await filled(other)
  for (const name of HOT_TABLES) assert.ok(before.includes(name), name)
  assert.deepEqual(await filled(issuer), before)
  await db.store.across('a tenant is removed', (tx) => tx.rows(remove, [issuer.tenant.id]))
  assert.deepEqual(await filled(issuer), [])
  assert.deepEqual(await filled(other), before)
  await issuer.server.close(0)
  await other.server.close(0)
  await db.close()
})
