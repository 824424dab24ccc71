import { readdirSync, readFileSync } from 'node:fs'
import { sha256 } from '../../crypto/digest.ts'
import type { Engine, RunStatement } from '../engine.ts'
import { sql } from '../store.ts'

type Migration = { readonly number: number; readonly name: string; readonly text: string; readonly digest: string }

const folder = new URL('../migrations/', import.meta.url)
/** Arbitrary number of the advisory lock that lets one process migrate at a time. */
const MIGRATION_LOCK = 7_221_843

const journalExists = sql('store.find_journal', `select to_regclass('schema_migration') is not null as found`)
const listApplied = sql('store.list_migrations', 'select number, digest from schema_migration order by number')
const insertApplied = sql(
  'store.insert_migration',
  'insert into schema_migration (number, name, digest) values ($1, $2, $3)',
)

const CREATE_JOURNAL = `create table if not exists schema_migration (
  number integer primary key, name text not null, digest text not null, applied_at timestamptz not null default now())`

/**
 * Applies the pending migrations in one transaction under an advisory lock: processes may start concurrently, and a failure changes
 * nothing.
 *
 * @param upTo Stop after this number (tests use it to prove that upgraded equals fresh).
 * @throws Error when an applied migration was changed afterwards, or when the database is newer than this code.
 */
export async function migrate(engine: Engine, upTo = Number.POSITIVE_INFINITY): Promise<void> {
  if ((await pendingMigrations(engine)) === 0) return
  await engine.asOwner(async (script, run) => {
    await script(`select pg_advisory_xact_lock(${MIGRATION_LOCK})`)
    await script(CREATE_JOURNAL)
    const applied = await appliedIn(run)
    for (const one of readMigrations()) {
      if (one.number > upTo || isApplied(one, applied)) continue
      await script(one.text)
      await run(insertApplied, [one.number, one.name, one.digest])
    }
  })
}

/** Returns the number of pending migrations. @throws Error as {@link migrate}. */
export async function pendingMigrations(engine: Engine): Promise<number> {
  const migrations = readMigrations()
  const applied = await engine.asOwner(async (_script, run) => {
    const [journal] = await run<{ found: boolean }>(journalExists)
    return journal?.found === true ? appliedIn(run) : new Map<number, string>()
  })
  const newest = Math.max(0, ...applied.keys())
  const known = Math.max(0, ...migrations.map((one) => one.number))
  if (newest > known) {
    throw new Error(`the database is at migration ${newest}, this version has ${known}: run the newer version`)
  }
  return migrations.filter((one) => !isApplied(one, applied)).length
}

async function appliedIn(run: RunStatement): Promise<Map<number, string>> {
  const rows = await run<{ number: number; digest: string }>(listApplied)
  return new Map(rows.map((row) => [row.number, row.digest]))
}

function isApplied({ number, name, digest }: Migration, applied: Map<number, string>): boolean {
  const found = applied.get(number)
  if (found !== undefined && found !== digest)
    throw new Error(`migration ${name} was changed after it had been applied`)
  return found !== undefined
}

let read: readonly Migration[] | null = null

function readMigrations(): readonly Migration[] {
  read ??= readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => {
      const text = readFileSync(new URL(name, folder), 'utf8')
      return { number: Number(name.slice(0, 4)), name, text, digest: sha256(text).toString('hex') }
    })
  return read
}
