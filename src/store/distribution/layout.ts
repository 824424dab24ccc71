import type { RunStatement } from '../engine.ts'
import { sql } from '../store.ts'

/**
 * How a table lies on a distributed engine: `reference`: a copy on each node; `distributed`: by its tenant, together with all other rows of the
 * tenant; `local`: on the coordinator.
 */
export type Placement = 'reference' | 'distributed' | 'local'

/** A table, the placement that it should have, and whether it has it. */
export type PlacedTable = { readonly name: string; readonly placement: Placement; readonly isPlaced: boolean }

/** What a server says about its distribution. `workers`: active nodes that hold shards. */
export type DistributionState = {
  readonly hasCoordinator: boolean
  readonly workers: number
  readonly tables: readonly PlacedTable[]
}

/** They find the tenant of a request, or are read for all tenants, and seldom written. Some are unique without the tenant. */
const REFERENCE: ReadonlySet<string> = new Set(['tenant', 'event_era', 'client', 'client_secret', 'identity_provider'])
/** Their rows are claimed for all tenants at once, with locks. */
const LOCAL: ReadonlySet<string> = new Set(['job'])

const findCitus = sql('store.find_citus', `select to_regclass('pg_dist_partition') is not null as found`)
const findNodes = sql(
  'store.find_citus_nodes',
  `select coalesce(bool_or(groupid = 0), false) as "hasCoordinator", count(*) filter (where isactive and shouldhaveshards)::int as workers
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

type TableRow = { name: string; hasTenant: boolean; isDistributed: boolean; isReference: boolean }

/** The placement that a table should have. */
export function placementOf(name: string, hasTenant: boolean): Placement {
  if (REFERENCE.has(name)) return 'reference'
  return hasTenant && !LOCAL.has(name) ? 'distributed' : 'local'
}

/** Reads where the tables lie. @returns null where the server has no Citus */
export async function distributionState(run: RunStatement): Promise<DistributionState | null> {
  const [citus] = await run<{ found: boolean }>(findCitus)
  if (citus?.found !== true) return null
  const [nodes = { hasCoordinator: false, workers: 0 }] = await run<{ hasCoordinator: boolean; workers: number }>(
    findNodes,
  )
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

/** Whether the rows of tenants lie on several nodes, so that role and tenant must reach them. */
export async function isDistributedDatabase(run: RunStatement): Promise<boolean> {
  const state = await distributionState(run)
  return state?.tables.some(({ placement, isPlaced }) => placement === 'distributed' && isPlaced) ?? false
}
