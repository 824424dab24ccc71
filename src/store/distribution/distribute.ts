import type { Engine, RunStatement } from '../engine.ts'
import { type DistributionReport, type Placement, sql } from '../store.ts'
import { LEAVE_PLACE_TO_NODES, STAMP_ON_NODES, TRIGGERS } from './event-place.ts'
import { type DistributionState, distributionState, type PlacedTable } from './layout.ts'
import { prepareNodes } from './prepare-nodes.ts'

type Key = { readonly table: string; readonly target: string; readonly name: string; readonly definition: string }

type Trigger = { readonly table: string; readonly name: string; readonly definition: string }

const listKeys = sql(
  'store.list_foreign_keys',
  `select conrelid::regclass::text as table, confrelid::regclass::text as target, conname as name, pg_get_constraintdef(oid) as definition
     from pg_constraint where contype = 'f' and conparentid = 0 and connamespace = 'public'::regnamespace order by 1, 3`,
)
const listViewGrants = sql(
  'store.list_view_grants',
  `select format('grant %s on %I to %I', lower(a.privilege_type), c.relname, r.rolname) as statement
     from pg_class c, aclexplode(c.relacl) a join pg_roles r on r.oid = a.grantee
     where c.relkind = 'v' and c.relnamespace = 'public'::regnamespace and a.grantee <> c.relowner order by 1`,
)
/**
 * They would run for each row that is copied to a node, whose functions are not all there yet, for rows that are copied
 * themselves.
 */
const listTriggers = sql(
  'store.list_triggers',
  `select tgrelid::regclass::text as table, tgname as name, pg_get_triggerdef(oid) as definition
     from pg_trigger where not tgisinternal and tgparentid = 0 and tgrelid = any($1::text[]::regclass[]) order by 1, 2`,
)
const insertRemainder = sql(
  'store.insert_remainder',
  `insert into distribution_remainder (position, statement)
   select coalesce((select max(position) from distribution_remainder), 0) + n, statement from unnest($1::text[]) with ordinality as left_over (statement, n)
   where not exists (select from distribution_remainder other where other.statement = left_over.statement)`,
)
const listRemainder = sql(
  'store.list_remainder',
  'select position, statement from distribution_remainder order by position',
)

/** Functions that nodes do not have yet. They run where the rows of their tenant are. */
const listFunctions = sql(
  'store.list_undistributed_functions',
  `select p.oid::regprocedure::text as name from pg_proc p
   where p.pronamespace = 'public'::regnamespace and p.prokind = 'f'
     and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
     and not exists (select from pg_dist_object o where o.classid = 'pg_proc'::regclass and o.objid = p.oid) order by 1`,
)

/** One process at a time. */
const LOCK = 'select pg_advisory_xact_lock(7221844)'

const listStamped = sql(
  'store.list_stamped_tables',
  `select tgrelid::regclass::text as table from pg_trigger where tgname = 'event_place' and tgparentid = 0`,
)

async function prepare(script: (text: string) => Promise<void>): Promise<void> {
  await prepareNodes(script)
  await script(LOCK)
}

/**
 * Makes reference, distributed and local tables on a Citus coordinator. Each table is a transaction of its own; an
 * interrupted run is resumed by the next one, and tables that are placed already are left alone. No server may run
 * meanwhile: foreign keys inside a tenant are absent until the end.
 *
 * @throws Error that says what to do, if the server has no Citus, no worker, or is not in the metadata of the cluster
 */
export async function distribute(engine: Engine): Promise<DistributionReport> {
  const state = refuseUnready(await engine.asOwner((_script, run) => distributionState(run)))
  const missing = state.tables.filter(({ isPlaced }) => !isPlaced)
  const leftOut = missing.length === 0 ? [] : await detach(engine, state.tables, missing)
  await prepareRoles(engine)
  if (missing.some(({ name }) => name === 'audit_entry')) await runEach(engine, LEAVE_PLACE_TO_NODES)
  for (const placement of ['reference', 'distributed'] as const) {
    for (const { name } of missing.filter((one) => one.placement === placement)) await place(engine, name, placement)
  }
  await stampEvents(engine)
  await placeFunctions(engine)
  await restore(engine)
  const count = (placement: Placement) => state.tables.filter((one) => one.placement === placement).length
  return {
    workers: state.workers,
    tables: { reference: count('reference'), distributed: count('distributed'), local: count('local') },
    placedNow: missing.map(({ name }) => name),
    leftOut,
  }
}

function refuseUnready(state: DistributionState | null): DistributionState {
  const see = 'see docs/distribution.md'
  if (state === null)
    throw new Error(`the database is not on a Citus coordinator (there is no extension citus in it): ${see}`)
  if (!state.hasCoordinator)
    throw new Error(`the coordinator is not in its own list of nodes: call citus_set_coordinator_host, ${see}`)
  if (state.workers === 0) throw new Error(`no worker has been added: call citus_add_node for each, ${see}`)
  return state
}

/**
 * Drops the foreign keys and triggers of tables to be placed, and writes down what is to be put back.
 *
 * @returns the keys that are not
 */
async function detach(
  engine: Engine,
  tables: readonly PlacedTable[],
  missing: readonly PlacedTable[],
): Promise<readonly string[]> {
  const placements = new Map(tables.map(({ name, placement }) => [name, placement]))
  const moving = new Set(missing.map(({ name }) => name))
  return engine.asOwner(async (script, run) => {
    await prepare(script)
    // Citus knows a local table with a key to a reference table already, and takes the key along.
    const copied = new Set(
      tables.filter((one) => one.placement === 'reference' && one.isPlaced).map(({ name }) => name),
    )
    const stays = ({ table, target }: Key) => placements.get(table) === 'distributed' && copied.has(target)
    const isMoving = ({ table, target }: Key) => moving.has(table) || moving.has(target)
    const keys = (await run<Key>(listKeys)).filter((key) => isMoving(key) && !stays(key))
    const isKept = ({ table, target }: Key) => isPossible(placements.get(table), placements.get(target))
    const grants = await run<{ statement: string }>(listViewGrants)
    const filled = missing.filter((one) => one.placement === 'distributed').map(({ name }) => name)
    const triggers = await run<Trigger>(listTriggers, [filled])
    const statements = [
      ...keys
        .filter(isKept)
        .map(({ table, name, definition }) => `alter table ${table} add constraint ${name} ${definition}`),
      ...grants.map(({ statement }) => statement),
      ...triggers.map(({ definition }) => definition),
    ]
    await run(insertRemainder, [statements])
    for (const { table, name } of triggers) await script(`drop trigger ${name} on ${table}`)
    for (const { table, name } of keys) await script(`alter table ${table} drop constraint ${name}`)
    return keys.filter((key) => !isKept(key)).map(({ table, name }) => `${table}.${name}`)
  })
}

/** A distributed table refers to rows of the same tenant or to a reference table, a reference table to another one. */
function isPossible(table: Placement | undefined, target: Placement | undefined): boolean {
  if (table === 'distributed') return target === 'distributed' || target === 'reference'
  return table === 'reference' && target === 'reference'
}

/**
 * A node opens its connections to the others as the role of the transaction, so the roles may log in; they have no
 * password. The statements that set role and tenant for a transaction reach all nodes.
 */
async function prepareRoles(engine: Engine): Promise<void> {
  await engine.asOwner(async (script) => {
    await prepare(script)
    await script('alter role chirograph_app login')
    await script('alter role chirograph_across login')
    await script(
      `do $$ begin execute format('alter database %I set citus.propagate_set_commands = local', current_database()); end $$`,
    )
  })
}

async function place(engine: Engine, name: string, placement: 'reference' | 'distributed'): Promise<void> {
  const call =
    placement === 'reference'
      ? `create_reference_table('${name}')`
      : `create_distributed_table('${name}', 'tenant_id', colocate_with => ${await groupOf(engine)})`
  await engine.asOwner(async (script) => {
    await prepare(script)
    await script(`select ${call}`)
  })
}

/** Runs statements in one transaction. */
async function runEach(engine: Engine, statements: readonly string[]): Promise<void> {
  await engine.asOwner(async (script) => {
    await prepare(script)
    for (const statement of statements) await script(statement)
  })
}

async function stampEvents(engine: Engine): Promise<void> {
  const found = await engine.asOwner((_script, run) => run<{ table: string }>(listStamped))
  const stamped = new Set(found.map(({ table }) => table))
  const triggers = TRIGGERS.filter(({ table }) => !stamped.has(table)).map(({ statement }) => statement)
  if (triggers.length === 0) return
  await runEach(engine, STAMP_ON_NODES)
  await placeFunctions(engine)
  for (const trigger of triggers) await runEach(engine, [trigger])
}

async function placeFunctions(engine: Engine): Promise<void> {
  await engine.asOwner(async (script, run) => {
    await prepare(script)
    for (const { name } of await run<{ name: string }>(listFunctions))
      await script(`select create_distributed_function('${name}')`)
  })
}

/** The first distributed table begins the group of all others. */
async function groupOf(engine: Engine): Promise<string> {
  const state = await engine.asOwner((_script, run: RunStatement) => distributionState(run))
  const first = state?.tables.find((one) => one.placement === 'distributed' && one.isPlaced)
  return first === undefined ? `'none'` : `'${first.name}'`
}

/** Puts back what was taken away, each in the transaction that forgets it. */
async function restore(engine: Engine): Promise<void> {
  const rest = await engine.asOwner((_script, run) => run<{ position: number; statement: string }>(listRemainder))
  for (const { position, statement } of rest) {
    await engine.asOwner(async (script) => {
      await prepare(script)
      // Alone: the engine sends the text that it got to the nodes.
      await script(statement)
      await script(`delete from distribution_remainder where position = ${position}`)
    })
  }
}
