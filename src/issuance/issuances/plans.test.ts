import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { openTestDatabase, postgresUrl } from '../../../test/support/database.ts'
import { composedSql } from '../../store/store.ts'
import { aKey, anIssuer, aTemplate, codeOf, type Issuer, redeem, request, someClaims } from '../test-support/issuer.ts'

const ISSUANCES = 80
/** A look-up of one row reads one entry, or two while an older version of the row is not swept away. */
const ENTRIES_MAX = 4

/** PostgreSQL plans a statement for its values the first five times that a connection uses it, and then compares. */
const PLANNED_MAX = 5

const skip = postgresUrl === null && 'there are no figures of plans without a PostgreSQL server'

test('the plans that PostgreSQL makes while the tables are empty look rows up one by one when they are not', {
  skip,
}, async () => {
  const db = await openTestDatabase()
  await countNothing(db.url ?? '')
  const issuer = await anIssuer(db)
  await issueMany(issuer)
  await issuer.server.close(0)
  // Sessions report their statistics when they end.
  await db.store.close()
  assert.deepEqual(await readTooMuch(db.url ?? ''), [])
})

test('the statements of an issuance are planned once for all values', { skip }, async () => {
  const db = await openTestDatabase()
  const issuer = await anIssuer(db)
  await issueMany(issuer)
  await issuer.server.close(0)
  const plans = composedSql(
    `select name, generic_plans::int as generic, custom_plans::int as custom from pg_prepared_statements where from_sql is false`,
  )
  const found = await db.store.across('which plans there are', (tx) =>
    tx.rows<{ name: string; generic: number; custom: number }>(plans),
  )
  const often = found.filter(({ generic, custom }) => generic + custom >= ISSUANCES / 2)
  assert(often.some(({ name }) => name === 'issuance.redeem_offer'))
  assert.deepEqual(
    often.filter(({ custom }) => custom > PLANNED_MAX),
    [],
  )
  await db.close()
})

async function issueMany(issuer: Issuer): Promise<void> {
  const { body: template } = await issuer.api('POST', '/templates/credentials', aTemplate())
  const ask = { credentialTemplateId: template.data.id, attributes: someClaims }
  for (let turn = 0; turn < ISSUANCES; turn += 1) {
    const { body } = await issuer.api('POST', '/credentials/issuance', ask)
    const { body: granted } = await redeem(issuer, await codeOf(issuer, body.data.offerUri))
    const answer = await request(issuer, granted.access_token, template.data.code, [aKey()])
    assert.equal(answer.status, 200)
  }
}

/**
 * Keeps autovacuum from counting the rows of a table: with them PostgreSQL plans anew, and reads a table of a page from
 * end to end.
 */
async function countNothing(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`do $$ declare name text; begin
    for name in select c.oid::regclass from pg_class c where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace loop
      execute format('alter table %s set (autovacuum_enabled = false)', name);
    end loop; end $$`)
  await client.end()
}

/** Indexes of which a look reads many entries, and tables that were read from end to end. */
async function readTooMuch(url: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const indexes = await client.query(
    `select indexrelname, idx_scan, idx_tup_read from pg_stat_user_indexes where idx_scan > $1 and idx_tup_read > $2 * idx_scan`,
    [ISSUANCES / 2, ENTRIES_MAX],
  )
  const tables = await client.query(
    `select relname, seq_scan, seq_tup_read from pg_stat_user_tables where seq_tup_read > $1`,
    [ISSUANCES * ENTRIES_MAX],
  )
  await client.end()
  return [...indexes.rows, ...tables.rows]
}
