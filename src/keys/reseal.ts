import type { TenantId } from '../caller.ts'
import { type Store, sql } from '../store/store.ts'
import { versionOf } from './cipher.ts'
import type { Sealing } from './sealing.ts'

/**
 * A column of sealed values that live longer than a few days, in a table with the unique key (tenant_id, id). They are
 * bound to the id of the row.
 */
type SealedColumn = {
  readonly table: string
  readonly column: string
  /** The column of the id; `id` by default. */
  readonly id?: string
}

/** Works on one column: seals its values anew, or checks that they open. */
export type ResealingColumn = {
  readonly name: string
  /** Seals the values of a tenant that a former data key seals under the newest one, in steps. @returns how many */
  readonly reseal: (needs: Needs, tenantId: TenantId, signal: AbortSignal) => Promise<number>
  /**
   * Opens the newest values of a tenant, at most 100.
   *
   * @returns how many, and a sentence for each that cannot be opened
   */
  readonly check: (needs: Needs, tenantId: TenantId) => Promise<{ examined: number; faults: readonly string[] }>
}

type Needs = { readonly store: Store; readonly sealing: Sealing }
type Row = { readonly id: string; readonly sealed: Buffer | null }

const ROWS_PER_STEP = 500
const CHECKED_MAX = 100
const LEAST = '00000000-0000-0000-0000-000000000000'

/** Returns what works on a column. */
export function resealing({ table, column, id: key = 'id' }: SealedColumn): ResealingColumn {
  const name = `${table}.${column}`
  const statementOf = (verb: string) => `keys.${verb}_${table}_${column}`
  // Along the primary key, so that each step reads as many rows, sealed anew or not.
  const list = sql(
    statementOf('list_stale'),
    `select id, case when get_byte(${column}, 0) <> $3::int then ${column} end as sealed
     from (select ${key} as id, ${column} from ${table} where tenant_id = $1 and ${key} > $2 order by ${key} limit ${ROWS_PER_STEP}) as step order by id`,
  )
  // Another value may have been written meanwhile.
  const replace = sql(
    statementOf('replace'),
    `update ${table} set ${column} = $4 where tenant_id = $1 and ${key} = $2 and ${column} = $3 returning ${key} as id`,
  )
  const newest = sql(
    statementOf('list_newest'),
    `select ${key} as id, ${column} as sealed from ${table} where tenant_id = $1 and ${column} is not null order by ${key} desc limit ${CHECKED_MAX}`,
  )
  const placeOf = (tenantId: TenantId, row: string) => ({ tenantId, table, column, row })

  async function resealOne({ store, sealing }: Needs, tenantId: TenantId, id: string, sealed: Buffer): Promise<number> {
    const place = placeOf(tenantId, id)
    const again = await sealing.seal(place, await sealing.open(place, sealed))
    // This process may not know the newest key yet.
    if (versionOf(again) <= versionOf(sealed)) return 0
    return (await store.single(tenantId, (tx) => tx.rows(replace, [tenantId, id, sealed, again]))).length
  }

  return {
    name,
    reseal: async (needs, tenantId, signal) => {
      const version = (await needs.sealing.versions(tenantId))?.newest ?? 1
      let count = 0
      let rows: readonly Row[] = [{ id: LEAST, sealed: null }]
      while (rows.length > 0) {
        signal.throwIfAborted()
        const after = rows.at(-1)?.id ?? LEAST
        rows = await needs.store.single(tenantId, (tx) => tx.rows<Row>(list, [tenantId, after, version]))
        for (const { id, sealed } of rows) if (sealed !== null) count += await resealOne(needs, tenantId, id, sealed)
      }
      return count
    },
    check: async ({ store, sealing }, tenantId) => {
      const rows = await store.single(tenantId, (tx) => tx.rows<{ id: string; sealed: Buffer }>(newest, [tenantId]))
      const faults: string[] = []
      for (const { id, sealed } of rows) {
        await sealing.open(placeOf(tenantId, id), sealed).catch((error: unknown) => {
          faults.push(`${name} of ${id} cannot be opened: ${error instanceof Error ? error.message : error}`)
        })
      }
      return { examined: rows.length, faults }
    },
  }
}
