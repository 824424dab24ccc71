// What a migration fills in for rows that are there already, by the documented account: owner, but no superuser.
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import pg from 'pg'
import { findPostgres, startPostgres } from '../../../test/support/postgres.ts'
import { openPostgresql } from '../postgresql/postgresql.ts'
import { migrate } from './migrate.ts'

// A separate server, since roles belong to the cluster.
const skip = process.env.TEST_POSTGRES_URL === undefined || findPostgres() === null

const numberOf = (migration: string) =>
  Number(
    readdirSync(new URL('../migrations/', import.meta.url))
      .find((one) => one.includes(migration))
      ?.slice(0, 4),
  )

/** Migrates up to before a migration, inserts rows, applies the migration, and returns what the query finds then. */
async function afterMigration(migration: string, rows: string, query: string): Promise<unknown[]> {
  const number = numberOf(migration)
  const server = await startPostgres()
  const admin = new pg.Client({ connectionString: server.url })
  await admin.connect()
  await admin.query('create role chirograph login createrole')
  await admin.query('create database chirograph owner chirograph')
  await admin.end()
  const at = (role: string) => server.url.replace(/postgres@(.*)\/postgres$/, `${role}@$1/chirograph`)
  const engine = openPostgresql({ url: at('chirograph'), poolMax: 1, onIdleError: () => undefined })
  await migrate(engine, number - 1)
  const client = new pg.Client({ connectionString: at('postgres') })
  await client.connect()
  await client.query(rows)
  await migrate(engine, number)
  const found = await client.query(query)
  const { rows: unforced } = await client.query(
    `select relname from pg_class
     where relrowsecurity and not relforcerowsecurity and relnamespace = 'public'::regnamespace`,
  )
  assert.deepEqual(unforced, [], 'row-level security applies to the owner')
  await client.end()
  await engine.close()
  await server.stop()
  return found.rows
}

const id = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`

test('an issuance that a batch delivered before names the user whom it was delivered to', { skip }, async () => {
  const [acme, globex] = [id(1), id(2)]
  const issuances = [11, 12, 13].map(
    (n) => `('${acme}', '${id(n)}', 'completed', '${id(3)}', 1, 'accepted', false, now(), now(), now(), now())`,
  )
  const rows = `
    insert into tenant (id, slug, name, created_at, updated_at)
      values ('${acme}', 'acme', 'Acme', now(), now()), ('${globex}', 'globex', 'Globex', now(), now());
    insert into credential_template (tenant_id, id, code, name, version, created_at, updated_at)
      values ('${acme}', '${id(3)}', 'badge', 'Badge', 1, now(), now());
    insert into credential_template_version (tenant_id, template_id, version, definition, created_at)
      values ('${acme}', '${id(3)}', 1, '{}', now());
    insert into user_account (tenant_id, id, username, username_folded, enabled, created_at, updated_at)
      select tenant, gen_random_uuid(), 'u', 'u', true, now(), now() from unnest('{${acme}, ${globex}}'::uuid[]) tenant;
    insert into issuance (tenant_id, id, status, template_id, template_version, credential_status, revocable,
      expires_at, sweep_at, created_at, updated_at) values ${issuances.join(', ')};
    update issuance set holder_id = '${id(4)}' where id = '${id(12)}';
    insert into wallet_delivery (tenant_id, id, user_id, kind, status, identifier_type, sealed_recipient, issuance_id,
      created_at, updated_at)
      select tenant_id, gen_random_uuid(), id, 'credential', 'delivered', 'username', '', issuance, now(), now()
      from user_account, unnest('{${id(11)}, ${id(12)}}'::uuid[]) issuance where username = 'u'`
  const held = `select i.id, u.tenant_id, i.holder_id from issuance i
    left join user_account u on u.id = i.holder_id order by i.id`
  const found = (await afterMigration('holders_of_batches', rows, held)) as {
    id: string
    tenant_id: string
    holder_id: string | null
  }[]
  assert.deepEqual(
    found.map(({ tenant_id: tenant, holder_id: holder }) => [tenant, tenant === null ? holder : 'their user']),
    [
      [acme, 'their user'],
      [null, id(4)],
      [null, null],
    ],
  )
})

test('a credential that was issued before has the end that its template says', { skip }, async () => {
  const acme = id(1)
  const ends = [
    `'{}'`,
    `'{"validUntil": "2027-03-01"}'`,
    `'{"validUntil": {"future": {"years": 1, "months": 1, "days": 2}}}'`,
    `'{"validUntil": {"future": {"days": 1}}}'`,
  ]
  const issuedAt = [`'2026-01-31T12:34:56Z'`, `'2026-01-31T12:34:56Z'`, `'2026-01-31T12:34:56Z'`, 'null']
  const rows = `
    insert into tenant (id, slug, name, created_at, updated_at) values ('${acme}', 'acme', 'Acme', now(), now());
    insert into credential_template (tenant_id, id, code, name, version, created_at, updated_at)
      values ('${acme}', '${id(3)}', 'badge', 'Badge', 1, now(), now());
    ${ends
      .map(
        (definition, n) => `
    insert into credential_template_version (tenant_id, template_id, version, definition, created_at)
      values ('${acme}', '${id(3)}', ${n}, ${definition}, now());
    insert into issuance (tenant_id, id, status, template_id, template_version, credential_status, revocable,
      expires_at, sweep_at, created_at, updated_at, issued_at, sealed_claims)
      values ('${acme}', '${id(10 + n)}', 'completed', '${id(3)}', ${n}, '${n === 1 ? 'accepted' : 'issued'}', false,
        now(), now(), now(), now(), ${issuedAt[n]}, ${n === 2 ? `'x'` : 'null'})`,
      )
      .join(';')}`
  const found = await afterMigration(
    'ends_of_credentials',
    rows,
    'select valid_until, unaccepted from issuance order by id',
  )
  assert.deepEqual(found, [
    { valid_until: null, unaccepted: true },
    { valid_until: new Date('2027-03-01T00:00:00Z'), unaccepted: null },
    { valid_until: new Date('2027-03-02T12:00:00Z'), unaccepted: null },
    { valid_until: null, unaccepted: true },
  ])
})
