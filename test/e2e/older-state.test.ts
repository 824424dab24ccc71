// A restored older state, a database of the version before, and one from before the baseline: which commands refuse
// them, before anything is written.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { PGlite } from '@electric-sql/pglite'
import { apply, createOwner, distributeDatabase, migrateDatabase, start } from '../../src/main.ts'
import { checkBackups, rotateKeys, verifyDatabase } from '../../src/maintenance.ts'
import { onServer } from '../support/citus.ts'
import { createDatabase, dropDatabase, postgresUrl } from '../support/database.ts'

const folder = mkdtempSync(join(tmpdir(), 'chirograph-older-'))
const dataDir = join(folder, 'data')
const mark = join(folder, 'mark.json')
const file = join(folder, 'next.json')
const bootstrap = (clientId: string) => ({
  tenants: [
    { slug: 'acme', name: 'Acme', clients: [{ clientId, clientSecret: 'x'.repeat(43), scopes: ['tenant:admin'] }] },
  ],
})
writeFileSync(file, JSON.stringify(bootstrap('next')))

let url: string | null = null
let settings: Record<string, string> = {}
before(async () => {
  url = postgresUrl === null ? null : await createDatabase(postgresUrl)
  settings = { DATA_DIR: dataDir, LOG_LEVEL: 'silent', RECOVERY_MARK: mark, ...(url !== null && { DATABASE_URL: url }) }
  const first = join(folder, 'first.json')
  writeFileSync(first, JSON.stringify(bootstrap('first')))
  await apply(settings, first)
  // No command gets as far as to apply the last migration again.
  await query('delete from schema_migration where number = (select max(number) from schema_migration) returning number')
})
after(async () => {
  if (url !== null) await dropDatabase(url)
  rmSync(folder, { recursive: true, force: true })
})

async function query<Row>(text: string): Promise<Row[]> {
  if (url !== null) return onServer(url, text)
  const db = await PGlite.create({ dataDir: join(dataDir, 'pgdata') })
  return (await db.query<Row>(text).finally(() => db.close())).rows
}

/** What the database holds, as far as commands write it. */
async function contents(): Promise<unknown> {
  const tables = ['schema_migration', 'deployment', 'tenant', 'tenant_key', 'client', 'user_account', 'audit_entry']
  const sums = tables.map((name) => `(select md5(string_agg(t::text, ',' order by t::text)) from ${name} t) as ${name}`)
  return query(`select ${sums.join(', ')}`)
}

async function writeMark(): Promise<void> {
  const [row] = await query<{ id: string }>('select id from deployment')
  writeFileSync(mark, JSON.stringify({ deployment: row?.id, beat: 1000, at: '2026-01-31T02:00:00.000Z' }))
}

const commands: readonly [name: string, run: () => Promise<unknown>][] = [
  ['serve', () => start({ ...settings, BOOTSTRAP_FILE: file })],
  ['apply', () => apply(settings, file)],
  ['owner create', () => createOwner(settings, 'acme', 'thandi')],
  ['migrate', () => migrateDatabase(settings)],
  ['distribute', () => distributeDatabase(settings)],
  ['keys rotate', () => rotateKeys(settings)],
]

for (const [name, run] of commands) {
  test(`${name} refuses an older state and has written nothing by then`, async () => {
    await writeMark()
    const held = await contents()
    await assert.rejects(run(), /older state .* run `chirograph recover --since TIME`/)
    assert.deepEqual(await contents(), held)
  })
}

test('verify and keys rotate do not migrate: servers of the version before may be running', async () => {
  rmSync(mark, { force: true })
  const held = await contents()
  await assert.rejects(verifyDatabase(settings), /lacks migrations of this version: run `chirograph migrate`/)
  await assert.rejects(rotateKeys(settings), /lacks migrations of this version/)
  assert.deepEqual(await contents(), held)
})

test('backup-check works on the schema of the version before, and changes nothing', async () => {
  const held = await contents()
  const items = await checkBackups(settings)
  assert.equal(items.find(({ item }) => item === 'recovery mark')?.isMet, false)
  assert.deepEqual(await contents(), held)
})

test('an empty database is refused where a mark is, and stays empty', async () => {
  await writeMark()
  const empty = { ...settings, DATA_DIR: join(folder, 'empty'), DATABASE_URL: '' }
  await assert.rejects(start(empty), /the database is empty, .*mark\.json is the RECOVERY_MARK of a deployment/)
  await assert.rejects(verifyDatabase(empty), /lacks migrations/)
})

test('a database from before the baseline is refused by every command, with a sentence, and left as it is', async () => {
  rmSync(mark, { force: true })
  await query(`update schema_migration set name = '0001_foundation.sql' where number = 1 returning number`)
  const held = await contents()
  const all = [...commands.map(([, run]) => run), () => verifyDatabase(settings), () => checkBackups(settings)]
  for (const run of all) await assert.rejects(run(), /from before 0\.1\.0 and cannot be upgraded: run the version/)
  assert.deepEqual(await contents(), held)
})
