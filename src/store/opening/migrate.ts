import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { sha256 } from '../../crypto/digest.ts'
import { distributionOf } from '../distribution/layout.ts'
import { prepareNodes } from '../distribution/prepare-nodes.ts'
import type { Engine, RunStatement } from '../engine.ts'
import { type Sql, sql } from '../store.ts'
import { statementsOf } from './sql-statements.ts'

/** A migration file. */
type Migration = {
  readonly number: number
  readonly name: string
  readonly text: string
  readonly digest: string
  /** Whether servers of the version before it may keep running, as its header says. */
  readonly runsOldCode: boolean
  /**
   * Whether its statements run one by one outside a transaction, as indexes built concurrently must. They may run
   * twice, after a failure.
   */
  readonly isConcurrent: boolean
}

const folder = new URL('../migrations/', import.meta.url)
/** Arbitrary number of the advisory lock that lets one process migrate at a time. */
const MIGRATION_LOCK = 7_221_843
const LOCK_POLL_MS = 100
/**
 * In a transaction the last statement keeps its snapshot until the next one begins. An index that is built concurrently
 * waits for the end of every older snapshot, so without this it would wait for the transaction that waits for it.
 */
const END_SNAPSHOT = 'select 1'
/** Header line of a migration without a transaction. */
const CONCURRENT = /^-- Runs: outside a transaction/m

const findJournal = sql('store.find_journal', `select to_regclass('schema_migration') is not null as found`)
/** Asks for nothing that the journal of an older state may lack. */
const findFirst = sql('store.find_first_migration', 'select name from schema_migration where number = 1')
const listApplied = sql(
  'store.list_migrations',
  `select number, digest, runs_old_code as "runsOldCode" from schema_migration order by number`,
)
const tryLock = sql('store.try_migration_lock', 'select pg_try_advisory_xact_lock($1) as "isMine"')
/** The account may set the roles. From PostgreSQL 16 on the creator of a role is a member of it that may not. */
const findRoles = sql(
  'store.find_roles',
  `select count(*) = 2 as usable from pg_roles where rolname in ('chirograph_app', 'chirograph_across') and pg_has_role(
     current_user, oid,
     case when current_setting('server_version_num')::integer >= 160000 then 'set' else 'member' end)`,
)
const insertApplied = sql(
  'store.insert_migration',
  'insert into schema_migration (number, name, digest, runs_old_code) values ($1, $2, $3, $4)',
)

const CREATE_JOURNAL = `create table if not exists schema_migration (
  number integer primary key, name text not null, digest text not null, applied_at timestamptz not null default now(),
  runs_old_code boolean not null)`
/** The account that serves may own nothing. */
const OPEN_JOURNAL = 'grant select on schema_migration to chirograph_app, chirograph_across'

const CREATES_ROLES = /\bcreate role\b/

/** What is left to do with a database that has other migrations than those that landed, which never change. */
const NO_WAY_ON = 'run the version that made the database, or begin with an empty one'

type Applied = ReadonlyMap<number, { readonly digest: string; readonly runsOldCode: boolean }>

/**
 * Applies the pending migrations under an advisory lock, so processes may start concurrently. All up to the next one
 * that runs outside a transaction are one transaction: a failure changes nothing.
 *
 * @param upTo Stop after this number (tests use it to prove that upgraded equals fresh).
 * @returns how many were pending
 * @throws Error when an applied migration was changed afterwards, the database is from before the
 *   baseline, or this code does not run on its newer schema.
 */
export async function migrate(
  engine: Engine,
  upTo = Number.POSITIVE_INFINITY,
  migrations = readMigrations(),
): Promise<number> {
  const wanted = migrations.filter(({ number }) => number <= upTo)
  const pending = await pendingMigrations(engine, wanted)
  while ((await pendingMigrations(engine, wanted)) > 0) {
    await engine.asOwner(async (script, send, alone) => {
      const run: RunStatement = async <Row>(statement: Sql, values: readonly unknown[] = []) => {
        const rows = await send<Row>(statement, values)
        await script(END_SNAPSHOT)
        return rows
      }
      await acquireLock(run)
      // Such an engine passes the text that it got on to its nodes, which take one statement at a time.
      const isDistributed = ['distributed', 'partly'].includes((await distributionOf(run)).kind)
      if (isDistributed) await prepareNodes(script)
      // Not where it exists: that would lock it, and servers read it to know whether they are ready.
      if (!(await hasJournal(run))) await script(CREATE_JOURNAL)
      const applied = await appliedIn(run)
      const [roles] = await run<{ usable: boolean }>(findRoles)
      for (const one of nextOf(wanted.filter((migration) => !isApplied(migration, applied)))) {
        // PostgreSQL refuses to create a role that exists to an account without CREATEROLE, as it refuses a new one.
        const hasRoles = roles?.usable === true && CREATES_ROLES.test(one.text)
        if (one.isConcurrent) for (const statement of statementsOf(one.text)) await alone(statement)
        else if (isDistributed) for (const statement of statementsOf(one.text)) await script(statement)
        else if (hasRoles)
          await script(
            statementsOf(one.text)
              .filter((part) => !CREATES_ROLES.test(part))
              .join(';\n'),
          )
        else await script(one.text)
        await run(insertApplied, [one.number, one.name, one.digest, one.runsOldCode])
      }
      await script(OPEN_JOURNAL)
    })
  }
  return pending
}

/** Polls instead of waiting, because a statement that waits has a snapshot. */
async function acquireLock(run: RunStatement): Promise<void> {
  for (;;) {
    const [row] = await run<{ isMine: boolean }>(tryLock, [MIGRATION_LOCK])
    if (row?.isMine === true) return
    await pause(LOCK_POLL_MS)
  }
}

/** Returns the first migration if it runs outside a transaction, else all before the next such one. */
function nextOf(pending: readonly Migration[]): readonly Migration[] {
  const end = pending.findIndex(({ isConcurrent }) => isConcurrent)
  return pending.slice(0, end === -1 ? pending.length : Math.max(1, end))
}

/** Returns which migrations the database has. @throws Error as {@link migrate}. */
export async function schemaOf(engine: Engine): Promise<'none' | 'older' | 'current'> {
  if ((await appliedTo(engine)).size === 0) return 'none'
  return (await pendingMigrations(engine)) === 0 ? 'current' : 'older'
}

/** Returns the number of pending migrations. @throws Error as {@link migrate}. */
export async function pendingMigrations(engine: Engine, migrations = readMigrations()): Promise<number> {
  const applied = await appliedTo(engine)
  refuseForeignSchema(
    applied,
    Math.max(0, ...readMigrations().map(({ number }) => number), ...migrations.map(({ number }) => number)),
  )
  return migrations.filter((one) => !isApplied(one, applied)).length
}

function appliedTo(engine: Engine): Promise<Applied> {
  return engine.readAsOwner<Applied>(async (run) => {
    return (await hasJournal(run)) ? appliedIn(run) : new Map()
  })
}

/** @throws Error if the database is from before the baseline, whose first migration has a name of its own */
async function hasJournal(run: RunStatement): Promise<boolean> {
  const [journal] = await run<{ found: boolean }>(findJournal)
  if (journal?.found !== true) return false
  const [first] = await run<{ name: string }>(findFirst)
  if (first !== undefined && first.name !== readMigrations()[0]?.name)
    throw new Error(`the database is from before 0.1.0 and cannot be upgraded: ${NO_WAY_ON}`)
  return true
}

/** Throws if the database has a newer migration on which this code does not run. */
function refuseForeignSchema(applied: Applied, known: number): void {
  const foreign = [...applied].find(([number, { runsOldCode }]) => number > known && !runsOldCode)
  if (foreign === undefined) return
  throw new Error(`the database is at migration ${foreign[0]}, this version has ${known}: run the newer version`)
}

async function appliedIn(run: RunStatement): Promise<Applied> {
  const rows = await run<{ number: number; digest: string; runsOldCode: boolean }>(listApplied)
  return new Map(rows.map((row) => [row.number, row]))
}

function isApplied({ number, name, digest }: Migration, applied: Applied): boolean {
  const found = applied.get(number)
  if (found !== undefined && found.digest !== digest)
    throw new Error(`migration ${name} was changed after it had been applied: ${NO_WAY_ON}`)
  return found !== undefined
}

let read: readonly Migration[] | null = null

function readMigrations(): readonly Migration[] {
  read ??= readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => migrationOf(name, readFileSync(new URL(name, folder), 'utf8')))
  return read
}

/** Reads a migration: `NNNN_name.sql` and its text, whose header says whether old code runs on it. */
export function migrationOf(name: string, text: string): Migration {
  return {
    number: Number(name.slice(0, 4)),
    name,
    text,
    digest: sha256(text).toString('hex'),
    runsOldCode: /Old code runs on it: (yes|there is none)\b/.test(text),
    isConcurrent: CONCURRENT.test(text),
  }
}
