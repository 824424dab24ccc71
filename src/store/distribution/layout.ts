import type { RunStatement } from '../engine.ts'
import { type Distribution, type Placement, sql } from '../store.ts'

/** A table, the placement that it should have, and whether it has it. */
export type PlacedTable = { readonly name: string; readonly placement: Placement; readonly isPlaced: boolean }

/** What a server says about its distribution. `workers`: active nodes that hold shards. */
export type DistributionState = {
  readonly hasCoordinator: boolean
  readonly workers: number
  readonly tables: readonly PlacedTable[]
}

/**
 * They find the tenant of a request, or are read for all tenants, and seldom written. Some are unique without the
 * tenant.
 */
const REFERENCE: ReadonlySet<string> = new Set(['tenant', 'client', 'client_secret', 'identity_provider'])
/** Their rows are claimed for all tenants at once, with locks. */
const LOCAL: ReadonlySet<string> = new Set(['job'])

const findCitus = sql('store.find_citus', `select to_regclass('pg_dist_partition') is not null as found`)
const findNodes = sql(
  'store.find_citus_nodes',
  `select coalesce(bool_or(groupid = 0), false) as "hasCoordinator", count(*) filter (where isactive and shouldhaveshards)::int as workers,
     (select groupid <> 0 from pg_dist_local_group) as "isWorker"
     from pg_dist_node where noderole = 'primary'`,
)
/** partmethod h: by hash; n: a reference table (repmodel t), or one on the coordinator that Citus knows. */
const listTables = sql(
  'store.list_placed_tables',
  `select c.relname as name, a.attname is not null as "hasTenant",
     coalesce(p.partmethod = 'h', false) as "isDistributed", coalesce(p.partmethod = 'n' and p.repmodel = 't', false) as "isReference"
   from pg_class c
   left join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
   left join pg_dist_partition p on p.logicalrelid = c.oid
   where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
     and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
   order by c.relname`,
)

const findRemainder = sql('store.find_remainder', 'select exists (select from distribution_remainder) as found')

type NodesRow = { hasCoordinator: boolean; workers: number; isWorker: boolean }
type TableRow = { name: string; hasTenant: boolean; isDistributed: boolean; isReference: boolean }

/** The placement that a table should have. */
function placementOf(name: string, hasTenant: boolean): Placement {
  if (REFERENCE.has(name)) return 'reference'
  return hasTenant && !LOCAL.has(name) ? 'distributed' : 'local'
}

/**
 * Reads where the tables lie. @returns null where the server has no Citus
 *
 * @throws Error on a worker: tables that stay on the coordinator are not there
 */
export async function distributionState(run: RunStatement): Promise<DistributionState | null> {
  const [citus] = await run<{ found: boolean }>(findCitus)
  if (citus?.found !== true) return null
  const [found] = await run<NodesRow>(findNodes)
  const { isWorker, ...nodes } = found ?? { hasCoordinator: false, workers: 0, isWorker: false }
  if (isWorker)
    throw new Error('DATABASE_URL names a worker of a Citus cluster: name its coordinator, see docs/distribution.md')
  const rows = await run<TableRow>(listTables)
  const tables = rows.map(({ name, hasTenant, isDistributed, isReference }) => {
    const placement = placementOf(name, hasTenant)
    const isPlaced = { reference: isReference, distributed: isDistributed, local: !isReference && !isDistributed }[
      placement
    ]
    return { name, placement, isPlaced }
  })
  return { ...nodes, tables }
}

/** Says where the rows of tenants are. */
export async function distributionOf(run: RunStatement): Promise<Distribution> {
  const state = await distributionState(run)
  if (state === null) return { kind: 'whole', missing: [] }
  const isBegun = state.tables.some(({ placement, isPlaced }) => placement !== 'local' && isPlaced)
  const missing = state.tables.filter(({ isPlaced }) => !isPlaced).map(({ name }) => name)
  if (!isBegun) return { kind: 'distributable', missing }
  return { kind: missing.length === 0 && !(await hasRemainder(run)) ? 'distributed' : 'partly', missing }
}

async function hasRemainder(run: RunStatement): Promise<boolean> {
  return (await run<{ found: boolean }>(findRemainder))[0]?.found === true
}
